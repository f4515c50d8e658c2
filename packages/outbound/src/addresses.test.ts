import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { isLinkLocal, isNobody, isOwn, isPublic, parseAddress } from "./addresses.ts";

test.each([
  ["8.8.8.8", "an address of the internet"],
  ["93.184.216.34", "another one"],
  ["2606:4700:4700::1111", "one of IPv6"],
  ["::ffff:8.8.8.8", "an IPv4 address as IPv6"],
  ["::ffff:808:808", "the same in hexadecimal"],
])("%s is public: %s", (text) => {
  expect(isPublic(read(text))).toBe(true);
});

test.each([
  ["0.0.0.0", "this machine"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.100.100.200", "metadata of a cloud platform"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "metadata of cloud platforms"],
  ["169.254.170.2", "credentials of containers"],
  ["168.63.129.16", "the host of a cloud platform"],
  ["192.0.0.192", "metadata of a cloud platform"],
  ["192.0.2.1", "documentation"],
  ["192.88.99.1", "6to4 relays"],
  ["198.18.0.1", "benchmarks"],
  ["198.51.100.1", "documentation"],
  ["203.0.113.1", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.250", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "this machine"],
  ["::1", "loopback"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::ffff:127.0.0.1", "IPv4-mapped loopback"],
  ["::ffff:7f00:1", "IPv4-mapped loopback in hexadecimal"],
  ["::ffff:169.254.169.254", "IPv4-mapped metadata"],
  ["::ffff:10.0.0.1", "IPv4-mapped private"],
  ["::ffff:0:127.0.0.1", "IPv4-translated"],
  ["64:ff9b::127.0.0.1", "NAT64 of loopback"],
  ["64:ff9b::8.8.8.8", "NAT64 of anything"],
  ["64:ff9b:1::10.0.0.1", "local NAT64"],
  ["2002:7f00:1::", "6to4 of loopback"],
  ["2002:808:808::1", "6to4 of anything"],
  ["2001:0:53aa:64c:0:0:80ff:fffe", "Teredo of loopback"],
  ["2001:db8::1", "documentation"],
  ["3fff::1", "documentation"],
  ["100::1", "discarded"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "metadata of a cloud platform"],
  ["fe80::1", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["5f00::1", "segment routing"],
  ["4000::1", "not assigned to anyone"],
])("%s is not public: %s", (text) => {
  expect(isPublic(read(text))).toBe(false);
});

test.each([
  "0177.0.0.1",
  "0x7f.0.0.1",
  "0x7f000001",
  "2130706433",
  "127.1",
  "127.0.0.1.",
  " 127.0.0.1",
  "fe80::1%eth0",
  "fe80::1%25eth0",
  "[::1]",
  "1.2.3.4.5",
  "localhost",
  "",
])("`%s` is not read as an address", (text) => {
  expect(parseAddress(text)).toBeNull();
});

test.each(["0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:0.0.0.0"])(
  "%s is nobody's",
  (text) => expect(isNobody(read(text))).toBe(true),
);

test.each(["169.254.169.254", "fe80::1", "::ffff:169.254.169.254", "168.63.129.16"])(
  "%s is link-local or as good as that",
  (text) => expect(isLinkLocal(read(text))).toBe(true),
);

test("every address of this machine is its own, and others are not", () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  for (const { address } of own) {
    const parsed = parseAddress(address);
    if (parsed) expect(isOwn(parsed)).toBe(true);
  }
  expect(isOwn(read("8.8.8.8"))).toBe(false);
});

function read(text: string) {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} was not read`);
  return address;
}
