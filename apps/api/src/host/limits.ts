import {
  type RateLimits,
  type Window,
  windowOfNetwork,
  windowOfOneSub,
  windowOfSignups,
  windowOfSite,
} from "../config/rate-limits.ts";
import { createRateLimit, type NewRateLimit, type RateLimit } from "./rate-limit.ts";
import { createSharedRateLimit, type SharedRateLimit, type Sharing } from "./shared-rate-limit.ts";

/** The limits that need to know who stamped a request, or what it sends. */
export type Limits = {
  /** By the key of the credential. Null if credentials are not limited. */
  credentials: RateLimit | null;
  contact: readonly Window[];
  receiver: readonly Window[];
  identifier: readonly Window[];
  messages: Record<MessageSenders, Record<"email" | "sms", CountedMessages>>;
};

/**
 * The users of one sub-organization, a family's application or its members, all families, and of those that signed
 * up the ones from one network, from one IPv6 site, and all.
 */
type MessageSenders = "sub" | "family" | "network" | "site" | "signups" | "total";

/** Null if these messages are not limited. */
export type CountedMessages = { limit: RateLimit; window: Window } | null;

const UNLIMITED = { email: null, sms: null };

export const NO_LIMITS: Limits = {
  credentials: null,
  contact: [],
  receiver: [],
  identifier: [],
  messages: {
    sub: UNLIMITED,
    family: UNLIMITED,
    network: UNLIMITED,
    site: UNLIMITED,
    signups: UNLIMITED,
    total: UNLIMITED,
  },
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
  const { familyEmail, familySms, totalEmail, totalSms } = config;
  const ofBoth = (name: string, windowOf: (channel: "email" | "sms") => Window | null) => ({
    email: counted(`${name}-email`, windowOf("email")),
    sms: counted(`${name}-sms`, windowOf("sms")),
  });
  const family = { email: familyEmail, sms: familySms };
  const total = { email: totalEmail, sms: totalSms };
  const ofTotal = (name: string, partOf: (total: Window, channel: "email" | "sms") => Window) =>
    ofBoth(name, (channel) => total[channel] && partOf(total[channel], channel));
  const messages = {
    sub: ofBoth("sub", (channel) => family[channel] && windowOfOneSub(family[channel], channel)),
    family: ofBoth("family", (channel) => family[channel]),
    network: ofTotal("signup-network", windowOfNetwork),
    site: ofTotal("signup-site", windowOfSite),
    signups: ofTotal("signups", windowOfSignups),
    total: ofBoth("total", (channel) => total[channel]),
  };
  return { credentials, contact, receiver, identifier, messages };
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
