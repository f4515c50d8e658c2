import { expect, test } from "vitest";
import { networkOf, networkSiteOf, regionOf, siteOf } from "./counted-addresses.ts";

// By prefixes of 96, 48, 56, 64 and 96 bits (RFC 6052, 2.2), and as a socket of IPv6 shows an IPv4 address.
test.each([
  "203.0.113.9",
  "::ffff:203.0.113.9",
  "::FFFF:cb00:7109",
  "64:ff9b::203.0.113.9",
  "64:FF9B::cb00:7109%eth0",
  "64:ff9b:1:cb00:71:900::",
  "64:ff9b:1:7cb:0:7109::",
  "64:ff9b:1:7:cb:71:900:0",
  "64:ff9b:1:abcd::203.0.113.9",
])("%s counts as the IPv4 client that it is", (address) => {
  const counted = [networkOf(address), siteOf(address), networkSiteOf(address), regionOf(address)];
  expect(counted).toEqual(["203.0.113.9", "203.0.113.9", null, "203.0/16"]);
});

test.each([
  ["2001:0DB8:0:2:ffff::192.0.2.7", "2001:db8:0:2", "2001:db8:0/48", "2001:db8/32"],
  ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0/48", "fe80:0/32"],
  // Neither prefix of NAT64.
  ["64:ff9b:2::192.0.2.1", "64:ff9b:2:0", "64:ff9b:2/48", "64:ff9b/32"],
  ["64:ff9b:0:1::192.0.2.1", "64:ff9b:0:1", "64:ff9b:0/48", "64:ff9b/32"],
])("%s counts by its network, site and provider", (address, network, site, region) => {
  expect([networkOf(address), siteOf(address), networkSiteOf(address), regionOf(address)]).toEqual([
    ...[network, site, site],
    region,
  ]);
});

test.each(["unknown", "a%1@example.com", "1.2.3", "64:ff9b::x"])("%s stands for itself", (text) => {
  expect([networkOf(text), siteOf(text), networkSiteOf(text), regionOf(text)]).toEqual([
    ...[text, text],
    ...[null, text],
  ]);
});
