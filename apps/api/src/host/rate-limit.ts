import { BlockList, isIP } from "node:net";
import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import {
  groupsOf,
  mappedIn,
  networkOf,
  networkSiteOf,
} from "@keyhearth/outbound/counted-addresses";
import type { AddressRange } from "../config/config.ts";
import { RateLimited, type RateLimitHeaders, TryLater } from "../errors.ts";

/** Limits requests by client address or by credential. Nothing here reads a clock; callers pass the time. */
export type RateLimit = {
  /** Takes one request, or as many, out of the bucket; throws `RateLimited` if it has less. */
  take(address: string, nowMs: number, count?: number): RateLimitHeaders;
  /** Throws as `take` would, and takes nothing: for what is charged only once it was verified. */
  check(address: string, nowMs: number, count?: number): void;
  /** Whether `check` would not throw. */
  hasRoom(address: string, nowMs: number, count?: number): boolean;
  /** For answers that do not count as a request, such as the 429 itself. */
  headers(address: string, nowMs: number): RateLimitHeaders;
};

/** A limit that counts in the memory of this process, and hears what others counted. */
export type LocalRateLimit = RateLimit & {
  /** Replaces what is left in the bucket of this key. It is negative if too much was taken. */
  setLeft(key: string, tokens: number, nowMs: number): void;
};

/** Requests of one second, and how many may come at once. */
export type Allowance = { perSecond: number; burst?: number };

/** Processes that share a database count together what has the same name. */
export type NamedAllowance = Allowance & { name: string };

export type NewRateLimit = (allowance: NamedAllowance) => RateLimit;

export type ClientAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
) => string;

type Bucket = { tokens: number; atMs: number };

/**
 * A bucket for each client address or credential. It holds `burst`, by default the allowance of one
 * second, and refills evenly. At most `capacity` of them are kept. The one that was quiet longest is
 * forgotten first, which can only give it a full bucket again.
 */
export function createRateLimit({
  perSecond,
  burst = perSecond,
  capacity = 50_000,
}: Allowance & { capacity?: number }): LocalRateLimit {
  const buckets = new Map<string, Bucket>();

  function tokensOf(key: string, nowMs: number): number {
    const bucket = buckets.get(key);
    if (!bucket) return burst;
    // If the clock was set back, the bucket neither refills nor drains.
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    return Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000);
  }

  function keep(key: string, tokens: number, atMs: number) {
    // Deleting the key first moves it to the end, so the first key is the quietest address.
    buckets.delete(key);
    buckets.set(key, { tokens, atMs });
    if (buckets.size <= capacity) return;
    for (const quietest of buckets.keys()) return void buckets.delete(quietest);
  }

  function headersOf(tokens: number): RateLimitHeaders {
    return {
      "ratelimit-limit": String(burst),
      "ratelimit-remaining": String(Math.max(0, Math.floor(tokens))),
    };
  }

  function refusal(left: number, count: number): RateLimited {
    return new RateLimited(headersOf(left), Math.ceil((count - left) / perSecond));
  }

  return {
    take(address, nowMs, count = 1) {
      const key = networkOf(address);
      const tokens = tokensOf(key, nowMs);
      const isAllowed = tokens >= count;
      const left = isAllowed ? tokens - count : tokens;
      keep(key, left, nowMs);
      if (!isAllowed) throw refusal(left, count);
      return headersOf(left);
    },
    check(address, nowMs, count = 1) {
      const left = tokensOf(networkOf(address), nowMs);
      if (left < count) throw refusal(left, count);
    },
    hasRoom: (address, nowMs, count = 1) => tokensOf(networkOf(address), nowMs) >= count,
    headers: (address, nowMs) => headersOf(tokensOf(networkOf(address), nowMs)),
    setLeft: keep,
  };
}

/**
 * The client's address: the socket's, or behind trusted proxies the right-most entry of
 * X-Forwarded-For that is not a trusted proxy. Entries further left are only the client's claim.
 */
export function createClientAddress(trustedProxies: AddressRange[]): ClientAddress {
  const isTrusted = createTrusted(trustedProxies);
  // Each request asks, and looking at an address takes longer than parsing a head.
  const ofSockets = new Map<string, string>();
  return (socketAddress, forwardedFor) => {
    if (socketAddress === undefined || forwardedFor !== undefined) {
      return clientOf(isTrusted, socketAddress, forwardedFor);
    }
    const known = ofSockets.get(socketAddress);
    if (known !== undefined) return known;
    const client = clientOf(isTrusted, socketAddress, undefined);
    keepNewest(ofSockets, MAX_SOCKET_ADDRESSES, socketAddress, client);
    return client;
  };
}

const MAX_SOCKET_ADDRESSES = 1000;

function clientOf(
  isTrusted: (address: string) => boolean,
  ...[socketAddress, forwardedFor]: Parameters<ClientAddress>
): string {
  let client = parseAddress(socketAddress ?? "");
  // A Unix socket has no address, so headers that come over it are not trusted.
  if (client === undefined) return "unknown";
  const hops = forwardedFor?.split(",") ?? [];
  while (isTrusted(client)) {
    // An entry that is not an address ends the chain; the last known proxy counts as the client.
    const hop = parseAddress(hops.pop() ?? "");
    if (hop === undefined) break;
    client = hop;
  }
  return client;
}

/** Whether an address is one of the trusted proxies. */
function createTrusted(trustedProxies: AddressRange[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) {
    trusted.addSubnet(address, prefix, family);
  }
  return (address) => trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/** Where a connection comes from: a client, or a proxy that the operator trusts. */
export type Origin = { address: string; isTrusted: boolean };

/** Who opened a connection, as its socket says. */
export function createOriginOf(
  trustedProxies: AddressRange[],
): (socketAddress: string | undefined) => Origin {
  const isTrusted = createTrusted(trustedProxies);
  return (socketAddress) => {
    const address = parseAddress(socketAddress ?? "");
    if (address === undefined) return { address: "unknown", isTrusted: false };
    return { address, isTrusted: isTrusted(address) };
  };
}

/** Some proxies add the port, and an IPv4 address may arrive in its IPv6 form. */
function parseAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, "");
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  return mappedIn(groupsOf(address)) ?? address.toLowerCase();
}

/** A site has this many times the allowance of one of its networks. */
export const NETWORKS_OF_A_SITE = 8;

/**
 * A limit of client addresses. The networks of an IPv6 site have an allowance together too, because one
 * subscriber may have all of them.
 */
export function createAddressLimit(
  {
    name,
    perSecond,
    burst = perSecond,
    networksOfSite = NETWORKS_OF_A_SITE,
  }: NamedAllowance & { networksOfSite?: number },
  newRateLimit: NewRateLimit = createRateLimit,
): RateLimit {
  const networks = newRateLimit({ name, perSecond, burst });
  const sites = newRateLimit({
    name: `${name}-site`,
    perSecond: perSecond * networksOfSite,
    burst: burst * networksOfSite,
  });
  return {
    headers: networks.headers,
    hasRoom(address, nowMs) {
      const site = networkSiteOf(address);
      const isInSite = site === null || sites.hasRoom(site, nowMs);
      return isInSite && networks.hasRoom(address, nowMs);
    },
    check(address, nowMs) {
      const site = networkSiteOf(address);
      if (site !== null) sites.check(site, nowMs);
      networks.check(address, nowMs);
    },
    take(address, nowMs) {
      const site = networkSiteOf(address);
      // A request that the site's allowance refuses costs its network nothing.
      if (site !== null) sites.check(site, nowMs);
      const headers = networks.take(address, nowMs);
      if (site !== null) sites.take(site, nowMs);
      return headers;
    },
  };
}

/** Takes one out of the bucket, with a refusal that says which limit it was, such as `too many questions: at most 6`. */
export function takeSaying(
  limit: Pick<RateLimit, "take">,
  key: string,
  nowMs: number,
  refusal: string,
): RateLimitHeaders {
  try {
    return limit.take(key, nowMs);
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    const { code, reason, retryAfterSeconds } = error;
    const message = `${refusal}; try again in ${retryAfterSeconds} s`;
    throw new TryLater(code, reason, message, retryAfterSeconds);
  }
}
