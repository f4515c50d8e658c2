import type { Curve } from "@keyhearth/crypto/keys";
import { ApiError, recordRefused, shorten } from "../errors.ts";
import type { Facts } from "../records/facts.ts";
import { findPrivateKeyLine, type ListedPrivateKey } from "../records/private-key.ts";
import type { ListedAccount } from "../records/wallet-account.ts";

/** A key that can sign, with everything that is known without unsealing it. */
export type KeyHolder = { curve: Curve; publicKey: string } & (
  | ({ kind: "private-key" } & ListedPrivateKey)
  | ({ kind: "wallet-account" } & ListedAccount)
);

/** Finds the private key or wallet account that `signWith` names by an id or an address. */
export function findKeyHolder({ document, records }: Facts, signWith: string): KeyHolder {
  const key = records.privateKey(signWith);
  if (key) {
    const { curve, publicKey } = key.record;
    return { kind: "private-key", curve, publicKey, ...key };
  }
  const account = records.accountOfAddress(signWith);
  if (account) {
    const { curve, publicKey } = account.record;
    return { kind: "wallet-account", curve, publicKey, ...account };
  }

  if (findPrivateKeyLine(document, signWith)) {
    throw recordRefused(`the host did not bring private key ${signWith}`);
  }
  throw new ApiError(
    "NOT_FOUND",
    "NOT_FOUND",
    `Could not find any resource to sign with: \`${shorten(signWith, 120)}\` is neither the id of a private key nor an address of organization ${document.organizationId}`,
    { field: "parameters.signWith" },
  );
}
