import type { Input } from "@keyhearth/policy/environment";
import type { PrivateKeyLine, WalletLine } from "../records/organization.ts";
import type { UnsealableKey } from "./key-holder.ts";

/** The roots of the policy language besides `activity`, filled by a declaration. */
export type Roots = { readonly [root: string]: Input };

/**
 * What policies see of a key: either `wallet` and `wallet_account`, or `private_key`. The others
 * are absent, and reading them is an error.
 */
export function signingRoots(key: UnsealableKey): Roots {
  if (key.kind === "private-key") return privateKeyRoots(key.line);
  return { ...walletRoots(key.line), wallet_account: { address: key.record.address } };
}

export function walletRoots({ walletId, walletName, imported, exported }: WalletLine): Roots {
  return { wallet: { id: walletId, imported, exported, label: walletName } };
}

export function privateKeyRoots({
  privateKeyId,
  privateKeyName,
  privateKeyTags,
  imported,
  exported,
}: PrivateKeyLine): Roots {
  const id = privateKeyId;
  return { private_key: { id, tags: privateKeyTags, imported, exported, label: privateKeyName } };
}
