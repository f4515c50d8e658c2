import { BlockList, isIP } from "node:net";
import { ApiError } from "@keyhearth/engine/errors";
import type { AddressRange } from "../config/config.ts";

/** Limits requests by client address. Nothing here reads a clock; callers pass the time. */
export type RateLimit = {
  /** Takes one request out of the address's bucket; throws `ApiError` when it is empty. */
  take(address: string, nowMs: number): RateLimitHeaders;
  /** For answers that do not count as a request, such as the 429 itself. */
  headers(address: string, nowMs: number): RateLimitHeaders;
};

export type RateLimitHeaders = { "ratelimit-limit": string; "ratelimit-remaining": string };

export type ClientAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
) => string;

type Bucket = { tokens: number; atMs: number };

/**
 * A bucket for each client address. It holds `burst`, by default the allowance of one second, and
 * refills evenly. At most `capacity` addresses are kept. The address that was quiet longest is
 * forgotten first, which can only give that address a full bucket again.
 */
export function createRateLimit({
  perSecond,
  burst = perSecond,
  capacity = 50_000,
}: {
  perSecond: number;
  burst?: number;
  capacity?: number;
}): RateLimit {
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
      "ratelimit-remaining": String(Math.floor(tokens)),
    };
  }

  return {
    take(address, nowMs) {
      const key = bucketKey(address);
      const tokens = tokensOf(key, nowMs);
      const isAllowed = tokens >= 1;
      const left = isAllowed ? tokens - 1 : tokens;
      keep(key, left, nowMs);
      if (!isAllowed) {
        throw new ApiError(
          "RESOURCE_EXHAUSTED",
          "RATE_LIMITED",
          "Too many requests. Please wait and try again in a few seconds",
        );
      }
      return headersOf(left);
    },
    headers: (address, nowMs) => headersOf(tokensOf(bucketKey(address), nowMs)),
  };
}

/**
 * The client's address: the socket's, or behind trusted proxies the right-most entry of
 * X-Forwarded-For that is not a trusted proxy. Entries further left are only the client's claim.
 */
export function createClientAddress(trustedProxies: AddressRange[]): ClientAddress {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) {
    trusted.addSubnet(address, prefix, family);
  }
  const isTrusted = (address: string) =>
    trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

  return (socketAddress, forwardedFor) => {
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
  };
}

/** Some proxies add the port, and an IPv4 address may arrive in its IPv6 form. */
function parseAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare =
    /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? undefined : address.toLowerCase();
}

/** A subscriber usually has a whole /64 of IPv6 addresses and could use each of them once. */
function bucketKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const left = head.split(":").filter(Boolean);
  if (tail === undefined) return left.slice(0, 4).map(withoutZeros).join(":");
  const right = tail.split(":").filter(Boolean);
  // A dotted ending stands for two groups.
  const width = right.length + (tail.includes(".") ? 1 : 0);
  const zeros = Array.from({ length: 8 - left.length - width }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).map(withoutZeros).join(":");
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, "");
}
