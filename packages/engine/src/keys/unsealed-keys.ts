import { derivePrivateKey } from "@keyhearth/crypto/derive";
import { wipe } from "@keyhearth/crypto/encoding";
import type { Facts } from "../records/facts.ts";
import type { KeyHolder } from "./key-holder.ts";
import type { Keyring } from "./keyring.ts";
import { unseal } from "./seal.ts";

/** A cache of unsealed private keys, limited in number and age. Dropped keys are wiped. */
export type UnsealedKeys = {
  get(name: string, make: () => Uint8Array): Uint8Array;
};

export function createUnsealedKeys({
  max,
  maxAgeMs,
  now,
}: {
  max: number;
  maxAgeMs: number;
  now: () => number;
}): UnsealedKeys {
  const keys = new Map<string, { key: Uint8Array; untilMs: number }>();

  function dropOldest(nowMs: number) {
    for (const [name, { key, untilMs }] of keys) {
      if (keys.size < max && untilMs > nowMs) return;
      keys.delete(name);
      wipe(key);
    }
  }

  return {
    get(name, make) {
      const nowMs = now();
      const known = keys.get(name);
      if (known && known.untilMs > nowMs) return known.key;
      if (known) {
        keys.delete(name);
        wipe(known.key);
      }
      dropOldest(nowMs);
      const key = make();
      keys.set(name, { key, untilMs: nowMs + maxAgeMs });
      return key;
    },
  };
}

/** Unseals a private key, or derives it from its wallet's seed. The caller wipes it. */
export function unsealKey(keyring: Keyring, facts: Facts, key: KeyHolder): Uint8Array {
  const { organizationId } = facts.document;
  if (key.kind === "private-key") {
    const { privateKeyId, sealedKey } = key.record;
    return unseal(keyring, { organizationId, id: privateKeyId, part: "key" }, sealedKey);
  }
  const { walletId, curve, path } = key.record;
  const { sealedSeed } = facts.records.wallet(walletId);
  const seed = unseal(keyring, { organizationId, id: walletId, part: "seed" }, sealedSeed);
  try {
    return derivePrivateKey({ seed, curve, path });
  } finally {
    wipe(seed);
  }
}
