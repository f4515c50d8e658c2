import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import { ApiError, checkAll, recordRefused, shorten } from "../errors.ts";
import type { Facts } from "../records/facts.ts";
import {
  findLineOfKey,
  findPrivateKeyLine,
  type ListedPrivateKey,
} from "../records/private-key.ts";
import type { ListedAccount } from "../records/wallet-account.ts";

/**
 * How a key signs. The curve decides, except that a Taproot address asks for signatures of the output
 * key that it names.
 */
export type Scheme = "ecdsa-secp256k1" | "ecdsa-p256" | "ed25519" | "taproot";

/** A private key, or an account of a wallet. */
export type UnsealableKey =
  | ({ kind: "private-key" } & ListedPrivateKey)
  | ({ kind: "wallet-account" } & ListedAccount);

/** A key that can sign, with everything that is known without unsealing it. */
export type KeyHolder = UnsealableKey & {
  curve: Curve;
  scheme: Scheme;
  publicKey: string;
  /** The format of the address that names the key. Undefined if its id does. */
  addressFormat: string | undefined;
};

/**
 * Finds the private key or wallet account that `signWith` names by an id or an address. If the
 * document lists an account's key as a private key, it is that private key, whatever the host brings (decision 8).
 */
function findKeyHolder({ document, records }: Facts, signWith: string): KeyHolder {
  const key = records.privateKey(signWith);
  if (key) {
    const { curve, publicKey, addresses } = key.record;
    const canonical = canonicalAddress(signWith);
    const named = addresses.find(({ address }) => address === canonical);
    const addressFormat = named?.format;
    const scheme = schemeOf(curve, addressFormat);
    return { kind: "private-key", curve, scheme, publicKey, addressFormat, ...key };
  }
  const account = records.accountOfAddress(signWith);
  if (account) {
    const { curve, publicKey, addressFormat } = account.record;
    const scheme = schemeOf(curve, addressFormat);
    const by = scheme === "taproot" ? "x" : "point";
    const line = findLineOfKey(document, account.record, by);
    const signer = { curve, scheme, publicKey, addressFormat };
    if (!line) return { kind: "wallet-account", ...signer, ...account };
    const same = records.privateKey(line.privateKeyId);
    if (same) return { kind: "private-key", ...signer, ...same };
    throw recordRefused(`the host did not bring private key ${line.privateKeyId}`);
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

/**
 * Finds the key and reads what it is to sign. Refuses everything that is wrong at once. `read` gets
 * no scheme if there is no such key.
 */
export function readWithKey<T extends object>(
  facts: Facts,
  signWith: string,
  read: (scheme: Scheme | undefined) => T,
): T & { key: KeyHolder } {
  let key: KeyHolder;
  try {
    key = findKeyHolder(facts, signWith);
  } catch (notFound) {
    checkAll(
      () => {
        throw notFound;
      },
      () => read(undefined),
    );
    throw notFound;
  }
  return { ...read(key.scheme), key };
}

function schemeOf(curve: Curve, addressFormat: string | undefined): Scheme {
  switch (curve) {
    case "CURVE_ED25519":
      return "ed25519";
    case "CURVE_P256":
      return "ecdsa-p256";
    case "CURVE_SECP256K1":
      return addressFormat?.endsWith("_P2TR") ? "taproot" : "ecdsa-secp256k1";
  }
}
