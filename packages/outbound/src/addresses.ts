import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** An address in its simplest form: an IPv4 address that is written as IPv6 is an IPv4 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses of cloud platforms that answer only machines of that platform, but look public. */
const PLATFORM_ADDRESSES = ["168.63.129.16"];

/** All IPv6 addresses that are assigned to anyone. Whatever is outside is special or not in use. */
const ASSIGNED = ipaddr.IPv6.parseCIDR("2000::/3");

/** Reads the usual forms only: no octal or hexadecimal numbers, no parts left out, no zone. */
export function parseAddress(text: string): Address | null {
  if (text.includes("%")) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(":") || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Whether the address belongs to somebody on the internet. Forms of IPv6 that carry an IPv4 address
 * (NAT64, 6to4, Teredo) do not: they reach wherever that address is.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (PLATFORM_ADDRESSES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(ASSIGNED);
}

/** Whether nothing can allow the address: it does not name one machine. */
export function isNobody(address: Address): boolean {
  return ["unspecified", "multicast", "broadcast"].includes(address.range());
}

/** Where cloud platforms give credentials to anyone who asks. */
export function isLinkLocal(address: Address): boolean {
  return address.range() === "linkLocal" || PLATFORM_ADDRESSES.includes(address.toString());
}

/**
 * Whether the address is one of this machine's own. A service that listens everywhere answers there,
 * and a firewall in front of the machine does not see the request.
 */
export function isOwn(address: Address): boolean {
  const text = address.toString();
  return Object.values(networkInterfaces()).some((entries) =>
    (entries ?? []).some((entry) => parseAddress(entry.address)?.toString() === text),
  );
}
