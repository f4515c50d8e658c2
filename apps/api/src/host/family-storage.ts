import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { Db } from "../store/connect.ts";
import { findStoredBytes } from "../store/family-storage.ts";
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

/** As many as a user may change own credentials within an hour. */
const OF_A_USER = { burst: 20, perSecond: 20 / 3600 };
const OF_A_FAMILY = { burst: 600, perSecond: 5 };
const ONCE_AN_HOUR = { burst: 1, perSecond: 1 / 3600 };

export function createFamilyStorage(
  db: Db,
  limit: number | null,
  now = () => performance.now(),
): FamilyStorage {
  const remembered = new Map<string, { untilMs: number; bytes: Promise<number> }>();

  return {
    limit,
    bytesOf(organizationId, most) {
      const known = remembered.get(organizationId);
      if (known && now() < known.untilMs) return known.bytes;
      const readAtMs = now();
      const bytes = findStoredBytes(db, organizationId);
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
