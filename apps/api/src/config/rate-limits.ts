/** How many requests, and how many codes, `KEYHEARTH_RATE_LIMIT` allows. */
export type RateLimits = {
  /** Requests per second of one client address. Null if they are not limited. */
  address: number | null;
  /** Requests per second of one credential. Null if they are not limited. */
  credential: number | null;
  /**
   * Messages that one contact gets from one family: a top-level organization with its sub-organizations. Those
   * that the sub-organizations' own users have sent count by themselves. Empty if they are not limited.
   */
  contact: Window[];
  /** Messages that one contact gets from all of the operator's families. Those that signed up have a part apart. */
  receiver: Window[];
  /** The same for one `userIdentifier`. */
  identifier: Window[];
  /**
   * Messages that the application of one family sends, and as many again that the users of all its
   * sub-organizations send. Null if they are not limited.
   */
  familyEmail: Window | null;
  familySms: Window | null;
  /** Messages of all families. Those that signed up get a part of it. */
  totalEmail: Window | null;
  totalSms: Window | null;
};

/**
 * What the users of one sub-organization may send of what those of all may. One end user takes no more than this from the
 * others, and a small allowance still leaves room for a few logins.
 */
export function windowOfOneSub(family: Window, channel: "email" | "sms"): Window {
  return partOf(family, 1 / 10, Math.min(family.most, LEAST_OF_ONE[channel]));
}

const LEAST_OF_ONE = { email: 10, sms: 5 };

/** What strangers may send by a family's login proxy, so that they cannot use up the rest. */
export function windowOfProxy(family: Window): Window {
  return partOf(family, 1 / 2);
}

/** What strangers of one address or IPv6 site may send of that. */
export function windowOfProxySite(family: Window): Window {
  const proxy = windowOfProxy(family);
  return partOf(proxy, 1 / 10, Math.min(proxy.most, LEAST_OF_PROXY_SITE));
}

const LEAST_OF_PROXY_SITE = 3;

/** What strangers of one address or IPv6 site may have a login proxy send to one contact, so that others can ask for it too. */
export function windowOfVisitor({ most, withinMs }: Window): Window {
  return { most: Math.ceil(most / 2), withinMs };
}

/** All families that signed up, together. The other half is for the operator's own families, whoever else joins. */
export function windowOfSignups(all: Window): Window {
  return partOf(all, 1 / 2);
}

/** Those that signed up from one network: the application's messages, and as many again of its members. */
export function windowOfNetwork(all: Window, channel: "email" | "sms"): Window {
  return partOf(all, 1 / 10, Math.min(windowOfSignups(all).most, LEAST_OF_ONE[channel]));
}

/** Those that signed up from one IPv6 site, which may be many households or one attacker. */
export function windowOfSite(all: Window, channel: "email" | "sms"): Window {
  return partOf(all, 1 / 4, windowOfNetwork(all, channel).most);
}

/** What one contact gets from those that signed up from one address or IPv6 site. */
export function windowOfPlace(receiver: Window): Window {
  return partOf(receiver, 1 / 4);
}

function partOf({ most, withinMs }: Window, part: number, least = 1): Window {
  return { most: Math.max(least, Math.floor(most * part)), withinMs };
}

/** At most so many within any time of this length. */
export type Window = { most: number; withinMs: number };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const DEFAULT_RATE_LIMITS: RateLimits = {
  address: 60,
  credential: 60,
  contact: [
    { most: 3, withinMs: 10 * MINUTE_MS },
    { most: 10, withinMs: DAY_MS },
  ],
  receiver: [
    { most: 30, withinMs: 10 * MINUTE_MS },
    { most: 100, withinMs: DAY_MS },
  ],
  identifier: [{ most: 3, withinMs: 3 * MINUTE_MS }],
  familyEmail: { most: 500, withinMs: 10 * MINUTE_MS },
  familySms: { most: 100, withinMs: 10 * MINUTE_MS },
  totalEmail: { most: 5000, withinMs: 10 * MINUTE_MS },
  totalSms: { most: 500, withinMs: 10 * MINUTE_MS },
};

/**
 * A page of the site has dozens of files, so an address may read this many times what it may post. Preflights
 * and requests that no path takes count there too.
 */
export const OTHER_REQUESTS = 5;

/**
 * Reads `60`, which limits addresses and credentials, or parts such as `address=60,contact=3/10m+10/1d`.
 * What is left out keeps its default. Undefined if the text is neither.
 */
export function parseRateLimits(text: string): RateLimits | undefined {
  const both = parsePerSecond(text);
  if (both !== undefined) return { ...DEFAULT_RATE_LIMITS, address: both, credential: both };
  const limits = { ...DEFAULT_RATE_LIMITS };
  const seen = new Set<string>();
  for (const part of text.split(",")) {
    const [name = "", value = "", ...rest] = part.trim().split("=");
    if (rest.length > 0 || seen.has(name) || !setPart(limits, name, value)) return undefined;
    seen.add(name);
  }
  return limits;
}

function setPart(limits: RateLimits, name: string, value: string): boolean {
  if (name === "address" || name === "credential") {
    const perSecond = value === "off" ? null : parsePerSecond(value);
    if (perSecond === undefined) return false;
    limits[name] = perSecond;
    return true;
  }
  if (name === "contact" || name === "receiver" || name === "identifier") {
    const windows = value === "off" ? [] : parseWindows(value, MAX_IN_A_ROW);
    if (windows === undefined) return false;
    limits[name] = windows;
    return true;
  }
  const counted = COUNTED.get(name);
  if (counted === undefined) return false;
  const [window, ...others] = value === "off" ? [null] : (parseWindows(value, 1_000_000) ?? []);
  if (window === undefined || others.length > 0) return false;
  limits[counted] = window;
  return true;
}

/** Limits of messages that are counted like requests, by their names in the setting. */
const COUNTED = new Map<string, "familyEmail" | "familySms" | "totalEmail" | "totalSms">([
  ["family-email", "familyEmail"],
  ["family-sms", "familySms"],
  ["total-email", "totalEmail"],
  ["total-sms", "totalSms"],
]);

function parsePerSecond(text: string): number | undefined {
  return parseWithin(text, 1_000_000);
}

const UNITS_MS = new Map([
  ["s", 1000],
  ["m", MINUTE_MS],
  ["h", 60 * MINUTE_MS],
  ["d", DAY_MS],
]);

/** Each row in the database keeps as many times as the largest number of its limit. */
const MAX_IN_A_ROW = 100;

/** Reads `3/10m+10/1d`. */
function parseWindows(text: string, largest: number): Window[] | undefined {
  const windows: Window[] = [];
  for (const part of text.split("+")) {
    const [, count = "", length = "", unit = ""] = /^(\d+)\/(\d+)([smhd])$/.exec(part) ?? [];
    const most = parseWithin(count, largest);
    const units = parseWithin(length, 1000);
    const withinMs = (units ?? 0) * (UNITS_MS.get(unit) ?? 0);
    if (most === undefined || withinMs === 0 || withinMs > LONGEST_MS) return undefined;
    windows.push({ most, withinMs });
  }
  return windows;
}

const LONGEST_MS = 30 * DAY_MS;

function parseWithin(text: string, most: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : undefined;
}

/** The form that `parseRateLimits` reads. */
export function formatRateLimits(limits: RateLimits): string {
  const { address, credential, contact, receiver, identifier } = limits;
  const counted = [...COUNTED].map(([name, key]) => {
    const window = limits[key];
    return [name, formatWindows(window === null ? [] : [window])];
  });
  const parts = {
    address: address ?? "off",
    credential: credential ?? "off",
    contact: formatWindows(contact),
    receiver: formatWindows(receiver),
    identifier: formatWindows(identifier),
    ...Object.fromEntries(counted),
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

function formatWindows(windows: Window[]): string {
  return windows.map((window) => `${window.most}/${formatLength(window)}`).join("+") || "off";
}

function formatLength({ withinMs }: Window): string {
  const [unit, unitMs] = [...UNITS_MS].findLast(([, each]) => withinMs % each === 0) ?? ["s", 1000];
  return `${withinMs / unitMs}${unit}`;
}

const NOUNS = new Map([
  ["s", "second"],
  ["m", "minute"],
  ["h", "hour"],
  ["d", "day"],
]);

/** `3 in 10 minutes and 10 in 1 day`. */
export function describeWindows(windows: readonly Window[]): string {
  const parts = windows.map((window) => {
    const [, length = "", unit = ""] = /^(\d+)(.)$/.exec(formatLength(window)) ?? [];
    return `${window.most} in ${length} ${NOUNS.get(unit)}${length === "1" ? "" : "s"}`;
  });
  return parts.join(" and ");
}
