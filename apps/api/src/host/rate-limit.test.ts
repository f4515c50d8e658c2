import { ApiError } from "@keyhearth/engine/errors";
import { networkOf, regionOf, siteOf } from "@keyhearth/outbound/counted-addresses";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateLimited } from "../errors.ts";
import { createAddressLimit, createClientAddress, createRateLimit } from "./rate-limit.ts";

const start = 1_700_000_000_000;

test("an address may use its allowance for a second at once, and not one request more", () => {
  const limit = createRateLimit({ perSecond: 3 });
  const remaining = [1, 2, 3].map(() => limit.take("192.0.2.1", start));
  expect(remaining).toEqual([
    { "ratelimit-limit": "3", "ratelimit-remaining": "2" },
    { "ratelimit-limit": "3", "ratelimit-remaining": "1" },
    { "ratelimit-limit": "3", "ratelimit-remaining": "0" },
  ]);
  expect(() => limit.take("192.0.2.1", start)).toThrow(
    new RateLimited({ "ratelimit-limit": "3", "ratelimit-remaining": "0" }),
  );
  expect(limit.headers("192.0.2.1", start)).toEqual({
    "ratelimit-limit": "3",
    "ratelimit-remaining": "0",
  });
});

test("the bucket refills evenly, and a refused request costs nothing", () => {
  const limit = createRateLimit({ perSecond: 2 });
  limit.take("192.0.2.1", start);
  limit.take("192.0.2.1", start);
  expect(() => limit.take("192.0.2.1", start + 499)).toThrow(ApiError);
  expect(limit.take("192.0.2.1", start + 500)["ratelimit-remaining"]).toBe("0");
  expect(limit.headers("192.0.2.1", start + 60_000)["ratelimit-remaining"]).toBe("2");
});

test("addresses do not share a bucket, but an IPv6 /64 does", () => {
  const limit = createRateLimit({ perSecond: 1 });
  limit.take("192.0.2.1", start);
  limit.take("192.0.2.2", start);
  limit.take("2001:db8:0:7::1", start);
  expect(() => limit.take("2001:db8::7:ffff:1:2:3", start)).toThrow(ApiError);
  expect(() => limit.take("2001:0db8:0000:0007:a:b:c:d", start)).toThrow(ApiError);
  limit.take("2001:db8:0:8::1", start);
});

test.each([
  ["2001:db8:0:7::1", "2001:DB8::7:0:0:192.0.2.1"],
  ["2001:db8::", "2001:db8:0:0:ffff::1"],
  ["::1", "0:0:0:0::2"],
  ["fe80::1", "fe80:0000:0000:0000:1:2:3:4"],
])("%s and %s share a bucket", (one, other) => {
  const limit = createRateLimit({ perSecond: 1 });
  limit.take(one, start);
  expect(() => limit.take(other, start)).toThrow(ApiError);
});

test("a check refuses as a request would, and takes nothing", () => {
  const limit = createRateLimit({ perSecond: 1 });
  for (let i = 0; i < 5; i++) limit.check("192.0.2.1", start);
  limit.take("192.0.2.1", start);
  expect(limit.hasRoom("192.0.2.1", start)).toBe(false);
  expect(() => limit.check("192.0.2.1", start)).toThrow(
    new RateLimited({ "ratelimit-limit": "1", "ratelimit-remaining": "0" }),
  );
  limit.check("192.0.2.1", start + 1000);
  expect(limit.hasRoom("192.0.2.1", start + 1000)).toBe(true);
});

test("the networks of an IPv6 site share eight times the allowance of one", () => {
  const limit = createAddressLimit({ name: "address", perSecond: 2 });
  const network = (i: number) => `2001:db8:7:${i.toString(16)}::1`;
  for (let i = 0; i < 16; i++) limit.take(network(i), start);
  expect(() => limit.take(network(16), start)).toThrow(RateLimited);
  expect(() => limit.check(network(16), start)).toThrow(RateLimited);
  expect(limit.hasRoom(network(16), start)).toBe(false);
  // The refused request cost its network nothing.
  expect(limit.headers(network(16), start)["ratelimit-remaining"]).toBe("2");
  limit.take("2001:db8:8::1", start);
  for (let i = 0; i < 100; i++) limit.take(`192.0.2.${i}`, start);
});

test("an IPv4 client behind NAT64 counts as that client, and not as one of the operator's own", () => {
  // By prefixes of 96, 48, 56, 64 and 96 bits (RFC 6052, 2.2).
  const forms = (a: number, b: number, c: number, d: number) => {
    const hex = (...bytes: number[]) => Buffer.from(bytes).toString("hex");
    return [
      `64:ff9b::${a}.${b}.${c}.${d}`,
      `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`,
      `64:ff9b:1:${hex(7, a)}:${hex(0, b)}:${hex(c, d)}::`,
      `64:ff9b:1:7:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`,
      `64:ff9b:1:abcd::${a}.${b}.${c}.${d}`,
    ];
  };
  for (const form of forms(203, 0, 113, 9)) {
    expect([form, networkOf(form), siteOf(form)]).toEqual([form, "203.0.113.9", "203.0.113.9"]);
    expect(regionOf(form)).toBe("203.0/16");
  }
  const limit = createAddressLimit({ name: "address", perSecond: 1 });
  for (const form of forms(198, 51, 100, 7)) expect(limit.hasRoom(form, start)).toBe(true);
  limit.take("198.51.100.7", start);
  for (const form of forms(198, 51, 100, 7)) expect(limit.hasRoom(form, start)).toBe(false);
  // A site of IPv6 would have room for eight.
  for (let i = 1; i < 100; i++) limit.take(`64:ff9b::192.0.2.${i}`, start);
  // Other networks of IPv6 stay whole.
  for (const address of ["64:ff9b:2::192.0.2.1", "64:ff9b:0:1::192.0.2.1", "64:ff9a::192.0.2.1"]) {
    expect(siteOf(address)).toMatch(/\/48$/);
  }
  const client = createClientAddress([{ address: "10.0.0.0", prefix: 8, family: "ipv4" }]);
  expect(client("64:ff9b::10.0.0.1", "203.0.113.9")).toBe("64:ff9b::10.0.0.1");
});

test("a clock that was set back does not refill", () => {
  const limit = createRateLimit({ perSecond: 1 });
  limit.take("192.0.2.1", start);
  expect(() => limit.take("192.0.2.1", start - 60_000)).toThrow(ApiError);
});

test("the map is bounded and forgets the quietest address first", () => {
  const limit = createRateLimit({ perSecond: 1, capacity: 2 });
  limit.take("192.0.2.1", start);
  limit.take("192.0.2.2", start);
  expect(() => limit.take("192.0.2.1", start)).toThrow(ApiError);
  limit.take("192.0.2.3", start);
  expect(() => limit.take("192.0.2.1", start)).toThrow(ApiError);
  limit.take("192.0.2.2", start);
});

test("no schedule of requests gets more than a full bucket and the refill", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }),
      (perSecond, gapsMs) => {
        const limit = createRateLimit({ perSecond });
        let nowMs = start;
        let allowed = 0;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          try {
            limit.take("192.0.2.1", nowMs);
            allowed += 1;
          } catch {}
        }
        expect(allowed).toBeLessThanOrEqual(perSecond + ((nowMs - start) * perSecond) / 1000);
      },
    ),
    { numRuns: 50 },
  );
});

describe("the client's address", () => {
  const direct = createClientAddress([]);
  const proxied = createClientAddress([
    { address: "10.0.0.0", prefix: 8, family: "ipv4" },
    { address: "2001:db8::", prefix: 32, family: "ipv6" },
  ]);

  test("is the socket's when no proxy is trusted, whatever the header says", () => {
    expect(direct("192.0.2.1", "203.0.113.9")).toBe("192.0.2.1");
    expect(direct("::ffff:192.0.2.1", undefined)).toBe("192.0.2.1");
    expect(direct(undefined, "203.0.113.9")).toBe("unknown");
  });

  test("does not come from a neighbour of a trusted range", () => {
    expect(proxied("11.0.0.1", "203.0.113.9")).toBe("11.0.0.1");
    expect(proxied("2001:db9::1", "203.0.113.9")).toBe("2001:db9::1");
    expect(proxied("::ffff:11.0.0.1", "10.1.1.1")).toBe("11.0.0.1");
  });

  test("is the socket's when the peer is not a trusted proxy", () => {
    expect(proxied("192.0.2.1", "203.0.113.9")).toBe("192.0.2.1");
  });

  test.each([
    ["the last entry", "203.0.113.9", "203.0.113.9"],
    ["not what the client claimed itself", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["the entry before other proxies", "203.0.113.9, 10.2.2.2,2001:db8::5", "203.0.113.9"],
    ["without its port", "203.0.113.9:4711", "203.0.113.9"],
    ["without brackets", "[2001:DB9::9]:4711", "2001:db9::9"],
    ["in its IPv4 form", "::ffff:203.0.113.9", "203.0.113.9"],
    ["in its IPv4 form, however it is written", "[0:0:0:0:0:FFFF:cb00:7109]:1", "203.0.113.9"],
    ["an IPv6 address that only resembles one", "::fffe:cb00:7109", "::fffe:cb00:7109"],
    ["behind proxies in any form", "203.0.113.9, ::ffff:0a02:0202", "203.0.113.9"],
    ["without its zone", "fe80::9%eth0", "fe80::9"],
    ["the proxy when the last entry is empty", "203.0.113.9,", "10.1.1.1"],
    ["the proxy when the entry is a name", "203.0.113.9, localhost", "10.1.1.1"],
    ["the proxy when the entry is a number", "203.0.113.9, 3405803785", "10.1.1.1"],
    ["the first proxy when all are trusted", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["the proxy when the entry is not an address", "203.0.113.9, unknown", "10.1.1.1"],
    ["the proxy when there is no header", undefined, "10.1.1.1"],
  ])("behind a trusted proxy is %s", (_, forwardedFor, expected) => {
    expect(proxied("::ffff:10.1.1.1", forwardedFor)).toBe(expected);
  });
});
