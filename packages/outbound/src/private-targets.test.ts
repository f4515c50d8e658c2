import { expect, test } from "vitest";
import { parseAddress } from "./addresses.ts";
import { isAllowed, isListed, type Place, parsePrivateTarget, placeOf } from "./private-targets.ts";

test.each([
  ["10.0.0.0/8", "10.1.2.3", 8080],
  ["127.0.0.1", "127.0.0.1", 1],
  ["127.0.0.1:9000", "127.0.0.1", 9000],
  ["::1", "::1", 80],
  ["[::1]:9000", "::1", 9000],
  ["fd00::/8", "fd12::1", 443],
  ["169.254.0.0/16", "169.254.1.1", 80],
  ["::ffff:10.0.0.1", "10.0.0.1", 80],
])("%s allows %s at port %i", (text, address, port) => {
  expect(allows(text, { host: "receiver.internal", port }, address)).toBe(true);
  expect(isListed([read(text)], { host: address, port })).toBe(true);
});

test.each([
  ["10.0.0.0/8", "11.0.0.1", 80],
  ["127.0.0.1", "127.0.0.2", 80],
  ["127.0.0.1:9000", "127.0.0.1", 9001],
  ["127.0.0.1", "::1", 80],
  ["0.0.0.0/0", "0.0.0.0", 80],
  ["0.0.0.0/0", "224.0.0.1", 80],
  ["::/0", "::", 80],
  ["::/0", "10.0.0.1", 80],
])("%s does not allow %s at port %i", (text, address, port) => {
  expect(allows(text, { host: "receiver.internal", port }, address)).toBe(false);
});

test("a name allows its private addresses, but not those of a cloud platform's credentials", () => {
  const place = { host: "receiver.internal", port: 80 };
  expect(allows("Receiver.internal", place, "10.0.0.1")).toBe(true);
  expect(allows("receiver.internal", place, "127.0.0.1")).toBe(true);
  expect(allows("receiver.internal", place, "169.254.169.254")).toBe(false);
  expect(allows("receiver.internal", place, "168.63.129.16")).toBe(false);
  expect(allows("receiver.internal", place, "0.0.0.0")).toBe(false);
  expect(allows("receiver.internal:81", place, "10.0.0.1")).toBe(false);
  expect(allows("internal", place, "10.0.0.1")).toBe(false);
});

test.each([
  "",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "::ffff:10.0.0.0/104",
  "0x7f.1",
  "127.1",
  "2130706433",
  "127.0.0.1:0",
  "127.0.0.1:65536",
  "fe80::1%eth0",
  "http://localhost",
  "local host",
  "*.internal",
  "receiver.internal/8",
  "::1:99999",
])("`%s` is neither a range nor a host", (text) => {
  expect(parsePrivateTarget(text)).toBeNull();
});

test("the place of a URL is its host without dot or brackets, and its port", () => {
  expect(placeOf(new URL("https://Example.com./x"))).toEqual({ host: "example.com", port: 443 });
  expect(placeOf(new URL("http://[::1]"))).toEqual({ host: "::1", port: 80 });
  expect(placeOf(new URL("http://0x7f.1:81"))).toEqual({ host: "127.0.0.1", port: 81 });
});

function read(text: string) {
  const target = parsePrivateTarget(text);
  if (!target) throw new Error(`${text} was not read`);
  return target;
}

function allows(text: string, place: Place, address: string) {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`${address} was not read`);
  return isAllowed([read(text)], parsed, place);
}
