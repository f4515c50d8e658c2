import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { Store } from "../store/connect.ts";
import { findStoredBytes, listUnsealedBytes } from "../store/family-storage.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";

/** How much organizations store, and how much families may. */
export type FamilyStorage = {
  /** In bytes. Null if families may store any amount. */
  limit: number | null;
  /** What an organization stores, with its sub-organizations, or stored when it could not reach this limit since. */
  bytesOf(organizationId: string, limit: number): Promise<number>;
  /** How often a user, and a family, may do beyond the limit what must go on. */
  beyond: { user: RateLimit; family: RateLimit };
  /** Lines in the log. */
  warnings: RateLimit;
};

/** What a sub-organization may store, of its family's limit: the key of one end user does not stop the others. */
export const SUB_ORGANIZATION_SHARE = 1 / 10;

const FRESH_MS = 1000;
const MAX_FRESH_MS = 60_000;
/** Nothing is stored faster than this. */
const MAX_BYTES_PER_MS = 64 * 1024;
const MAX_REMEMBERED = 20_000;

/** How long what is not sealed yet is remembered. One statement reads it for all, so it costs the same however many ask. */
const UNSEALED_MS = 2000;
/** The longer it takes, the rarer it is, so that it keeps the database from little of its other work. */
const RESTS_PER_READING = 20;
/** What is less than this share of what a sub-organization may store counts once it is sealed. */
const LEAST_UNSEALED = 1 / 100;

/** As many as a user may change own credentials within an hour. */
const OF_A_USER = { burst: 20, perSecond: 20 / 3600 };
const OF_A_FAMILY = { burst: 600, perSecond: 5 };
const ONCE_AN_HOUR = { burst: 1, perSecond: 1 / 3600 };

export function createFamilyStorage(
  store: Pick<Store, "db" | "run">,
  limit: number | null,
  now = () => performance.now(),
): FamilyStorage {
  const unsealedOf = limit === null ? async () => 0 : createUnsealed(store, limit, now);
  const remembered = new Map<string, { untilMs: number; bytes: Promise<number> }>();

  return {
    limit,
    bytesOf(organizationId, most) {
      const known = remembered.get(organizationId);
      if (known && now() < known.untilMs) return known.bytes;
      const readAtMs = now();
      const reading = [findStoredBytes(store.db, organizationId), unsealedOf(organizationId)];
      const bytes = Promise.all(reading).then(([sealed = 0, unsealed = 0]) => sealed + unsealed);
      // One request reads it, and those that come meanwhile wait for the same answer.
      const entry = { untilMs: readAtMs + FRESH_MS, bytes };
      bytes.then(
        (read) => {
          const leftMs = (most - read) / MAX_BYTES_PER_MS;
          entry.untilMs = readAtMs + Math.min(MAX_FRESH_MS, Math.max(FRESH_MS, leftMs));
        },
        () => remembered.delete(organizationId),
      );
      keepNewest(remembered, MAX_REMEMBERED, organizationId, entry);
      return bytes;
    },
    beyond: { user: createRateLimit(OF_A_USER), family: createRateLimit(OF_A_FAMILY) },
    warnings: createRateLimit(ONCE_AN_HOUR),
  };
}

/**
 * What an organization has stored that is not sealed yet. Sealing may be late by any time: the signer is busy, or refuses a
 * segment. What is sealed between two readings counts twice until the next one.
 */
function createUnsealed(
  store: Pick<Store, "run">,
  limit: number,
  now: () => number,
): (organizationId: string) => Promise<number> {
  let known: { untilMs: number; bytes: Promise<Map<string, number>> } | null = null;
  return async (organizationId) => {
    if (known === null || now() >= known.untilMs) {
      const readAtMs = now();
      const least = limit * SUB_ORGANIZATION_SHARE * LEAST_UNSEALED;
      const entry = { untilMs: readAtMs + UNSEALED_MS, bytes: listUnsealedBytes(store, least) };
      known = entry;
      entry.bytes.then(
        () => {
          const tookMs = now() - readAtMs;
          entry.untilMs = readAtMs + Math.max(UNSEALED_MS, RESTS_PER_READING * tookMs);
        },
        () => {
          if (known === entry) known = null;
        },
      );
    }
    return (await known.bytes).get(organizationId) ?? 0;
  };
}
