import type { Input } from "@keyhearth/policy/environment";
import type { KeyHolder } from "../keys/key-holder.ts";

/** The roots of the policy language besides `activity`, filled by a declaration. */
export type Roots = { readonly [root: string]: Input };

/**
 * What policies see of a key: either `wallet` and `wallet_account`, or `private_key`. The others
 * are absent, and reading them is an error.
 */
export function signingRoots(key: KeyHolder): Roots {
  if (key.kind === "private-key") {
    const { privateKeyId, privateKeyName, privateKeyTags, imported, exported } = key.line;
    const id = privateKeyId;
    return {
      private_key: { id, tags: privateKeyTags, imported, exported, label: privateKeyName },
    };
  }
  const { walletId, walletName, imported, exported } = key.line;
  return {
    wallet: { id: walletId, imported, exported, label: walletName },
    wallet_account: { address: key.record.address },
  };
}
