import { type RateLimits, type Window, windowOfOneSub } from "../config/rate-limits.ts";
import { createRateLimit, type NewRateLimit, type RateLimit } from "../http/rate-limit.ts";
import { createSharedRateLimit, type SharedRateLimit, type Sharing } from "./shared-rate-limit.ts";

/** The limits that need to know who stamped a request, or what it sends. */
export type Limits = {
  /** By the key of the credential. Null if credentials are not limited. */
  credentials: RateLimit | null;
  contact: readonly Window[];
  receiver: readonly Window[];
  identifier: readonly Window[];
  /** Of the users of one sub-organization, of a family's application or of its members, and of all families. */
  messages: Record<"sub" | "family" | "total", Record<"email" | "sms", CountedMessages>>;
};

/** Null if these messages are not limited. */
export type CountedMessages = { limit: RateLimit; window: Window } | null;

const UNLIMITED = { email: null, sms: null };

export const NO_LIMITS: Limits = {
  credentials: null,
  contact: [],
  receiver: [],
  identifier: [],
  messages: { sub: UNLIMITED, family: UNLIMITED, total: UNLIMITED },
};

/** What was sent longer ago counts in no window. */
export function longestWindowMs({ contact, receiver, identifier }: Limits): number {
  const windows = [...contact, ...receiver, ...identifier];
  return Math.max(0, ...windows.map(({ withinMs }) => withinMs));
}

export function createLimits(
  config: RateLimits | null,
  newRateLimit: NewRateLimit = createRateLimit,
): Limits {
  if (config === null) return NO_LIMITS;
  const { credential, contact, receiver, identifier } = config;
  const name = "credential";
  const credentials = credential === null ? null : newRateLimit({ name, perSecond: credential });
  const counted = (name: string, window: Window | null): CountedMessages => {
    if (window === null) return null;
    const perSecond = (window.most * 1000) / window.withinMs;
    return { limit: newRateLimit({ name, perSecond, burst: window.most }), window };
  };
  const countedOfSub = (channel: "email" | "sms", family: Window | null) =>
    counted(`sub-${channel}`, family && windowOfOneSub(family, channel));
  const sub = {
    email: countedOfSub("email", config.familyEmail),
    sms: countedOfSub("sms", config.familySms),
  };
  const family = {
    email: counted("family-email", config.familyEmail),
    sms: counted("family-sms", config.familySms),
  };
  const total = {
    email: counted("total-email", config.totalEmail),
    sms: counted("total-sms", config.totalSms),
  };
  return { credentials, contact, receiver, identifier, messages: { sub, family, total } };
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
