import type { Input } from "@keyhearth/policy/environment";
import type { KeyHolder } from "../records/facts.ts";

/** Roots of the policy language beside `activity`, as a declaration fills them. */
export type Roots = { readonly [root: string]: Input };

/**
 * What a key shows to policies: `wallet` and `wallet_account`, or `private_key`. The other one is
 * absent, and reading it is an error.
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
