import { wipe } from "@keyhearth/crypto/encoding/bytes";
import { derivePrivateKey } from "@keyhearth/crypto/keys/derive";
import { importPrivateKey, type PrivateKey } from "@keyhearth/crypto/keys/keys";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Facts } from "../records/facts.ts";
import type { Keyring } from "../vault/keyring.ts";
import { unseal } from "../vault/seal.ts";
import type { UnsealableKey } from "./key-holder.ts";

/**
 * A cache of unsealed private keys, limited in age and, for each organization and in total, in
 * number. Dropped keys are wiped, those that are too old also while no request comes. What OpenSSL made of an Ed25519 key is kept and dropped with it, and
 * overwritten when its memory is freed.
 */
export type UnsealedKeys = {
  get(organizationId: string, name: string, make: () => PrivateKey): PrivateKey;
  /** Drops the keys that are too old, so that none waits in memory for the next one. */
  dropOld(): void;
};

export function createUnsealedKeys({
  max,
  maxPerOrganization,
  maxAgeMs,
  now,
}: {
  max: number;
  maxPerOrganization: number;
  maxAgeMs: number;
  now: () => number;
}): UnsealedKeys {
  /** Until when it is kept, by the time of the core, which may stand still between calls, and by that of the machine. */
  type Kept = { organizationId: string; key: PrivateKey; untilMs: number; untilRunningMs: number };
  // The oldest come first, also in the part of each organization.
  const keys = new Map<string, Kept>();
  const parts = new Map<string, Set<string>>();

  function drop(name: string, { organizationId, key }: Kept) {
    const part = parts.get(organizationId);
    keys.delete(name);
    part?.delete(name);
    if (part?.size === 0) parts.delete(organizationId);
    wipe(key.bytes);
  }

  function dropUntil(most: number) {
    const nowMs = now();
    for (const [name, kept] of keys) {
      if (keys.size <= most && kept.untilMs > nowMs) break;
      drop(name, kept);
    }
  }

  let isWatching = false;

  function watchIn(milliseconds: number) {
    if (!isWatching) setTimeout(watch, milliseconds).unref();
    isWatching = true;
  }

  /** Drops what is too old, also if no further request comes, to this core or to any. */
  function watch() {
    isWatching = false;
    for (const [name, kept] of keys) {
      const leftMs = kept.untilRunningMs - performance.now();
      if (leftMs > 0) return watchIn(leftMs);
      drop(name, kept);
    }
  }

  function makeRoom(organizationId: string) {
    dropUntil(max - 1);
    const part = parts.get(organizationId) ?? new Set();
    for (const name of part) {
      const kept = keys.get(name);
      if (part.size < maxPerOrganization || !kept) break;
      drop(name, kept);
    }
  }

  return {
    get(organizationId, name, make) {
      const nowMs = now();
      const known = keys.get(name);
      if (known && known.untilMs > nowMs) return known.key;
      if (known) drop(name, known);
      makeRoom(organizationId);
      const key = make();
      const untilRunningMs = performance.now() + maxAgeMs;
      keys.set(name, { organizationId, key, untilMs: nowMs + maxAgeMs, untilRunningMs });
      watchIn(maxAgeMs);
      const part = parts.get(organizationId) ?? new Set();
      parts.set(organizationId, part.add(name));
      return key;
    },
    dropOld: () => dropUntil(max),
  };
}

/** Unseals a private key, or derives it from its wallet's seed. The caller wipes its bytes. */
export function unsealKey(keyring: Keyring, facts: Facts, key: UnsealableKey): PrivateKey {
  const bytes = unsealBytes(keyring, facts, key);
  try {
    return importPrivateKey(key.record.curve, bytes);
  } finally {
    wipe(bytes);
  }
}

function unsealBytes(keyring: Keyring, facts: Facts, key: UnsealableKey): SecretBytes {
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
