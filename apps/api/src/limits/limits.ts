import type { RateLimits, Window } from "../config/rate-limits.ts";
import { createRateLimit, type NewRateLimit, type RateLimit } from "../http/rate-limit.ts";
import { createSharedRateLimit, type SharedRateLimit, type Sharing } from "./shared-rate-limit.ts";

/** The limits that need to know who stamped a request, or what it sends. */
export type Limits = {
  /** By the key of the credential. Null if credentials are not limited. */
  credentials: RateLimit | null;
  contact: readonly Window[];
  identifier: readonly Window[];
};

export const NO_LIMITS: Limits = { credentials: null, contact: [], identifier: [] };

/** Codes that were sent longer ago count in no window. */
export function longestWindowMs({ contact, identifier }: Limits): number {
  return Math.max(0, ...[...contact, ...identifier].map(({ withinMs }) => withinMs));
}

export function createLimits(
  config: RateLimits | null,
  newRateLimit: NewRateLimit = createRateLimit,
): Limits {
  if (config === null) return NO_LIMITS;
  const { credential, contact, identifier } = config;
  const name = "credential";
  const credentials = credential === null ? null : newRateLimit({ name, perSecond: credential });
  return { credentials, contact, identifier };
}

/** Limits that count in this process alone, or with the processes that share its database. */
export function openRateLimits(sharing: Sharing | null): {
  newRateLimit: NewRateLimit;
  stop(): Promise<void>;
} {
  const shared: SharedRateLimit[] = [];
  return {
    newRateLimit(allowance) {
      if (sharing === null) return createRateLimit(allowance);
      const limit = createSharedRateLimit(allowance, sharing);
      shared.push(limit);
      return limit;
    },
    async stop() {
      await Promise.all(shared.map((limit) => limit.stop()));
    },
  };
}
