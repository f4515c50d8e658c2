import type { RateLimits, Window } from "../config/rate-limits.ts";
import { createRateLimit, type RateLimit } from "../http/rate-limit.ts";

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

export function createLimits(config: RateLimits | null): Limits {
  if (config === null) return NO_LIMITS;
  const { credential, contact, identifier } = config;
  const credentials = credential === null ? null : createRateLimit({ perSecond: credential });
  return { credentials, contact, identifier };
}
