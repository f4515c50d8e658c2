import ipaddr from "ipaddr.js";
import { type Address, isLinkLocal, isNobody, parseAddress } from "./addresses.ts";

/** What an operator allows although it is private: a range of addresses, or a host by its name. */
export type PrivateTarget = ({ range: [Address, number] } | { host: string }) & {
  /** Null for any port. */
  port: number | null;
};

/**
 * Reads `10.0.0.0/8`, `127.0.0.1`, `::1`, `receiver.internal`, and with a port `127.0.0.1:8080`,
 * `[::1]:8080`, `receiver.internal:8080`. Null if the text is none of these.
 */
export function parsePrivateTarget(text: string): PrivateTarget | null {
  const whole = readPlace(text);
  if (whole) return { ...whole, port: null };
  const [, place = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  const bare = place.startsWith("[") && place.endsWith("]") ? place.slice(1, -1) : place;
  // `::1:80` would be an address.
  if (bare === place && place.includes(":")) return null;
  const withPort = readPlace(bare);
  const port = Number(digits);
  return withPort && port >= 1 && port <= 65_535 ? { ...withPort, port } : null;
}

function readPlace(text: string): { range: [Address, number] } | { host: string } | null {
  const address = parseAddress(text);
  if (address) return { range: [address, address.kind() === "ipv4" ? 32 : 128] };
  if (text.includes("/")) return readRange(text);
  // A number with dots that is not an address could be one in another notation.
  const isName =
    /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
  const isNumber = /^(0x[0-9a-f]*|\d+)$/i.test(text.split(".").at(-1) ?? "");
  return isName.test(text) && !isNumber ? { host: text.toLowerCase() } : null;
}

function readRange(text: string): { range: [Address, number] } | null {
  const [start = "", bits = "", ...rest] = text.split("/");
  const address = parseAddress(start);
  if (!address || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return null;
  // The bits of an IPv4 address in IPv6 form would be counted differently.
  if (address instanceof ipaddr.IPv4 && start.includes(":")) return null;
  const most = address.kind() === "ipv4" ? 32 : 128;
  return Number(bits) <= most ? { range: [address, Number(bits)] } : null;
}

/** Where a request goes: the URL's host in lower case without a final dot or brackets, and its port. */
export type Place = { host: string; port: number };

export function placeOf(url: URL): Place {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return { host, port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) };
}

/** Whether the operator named this host, or the range that its address is in. */
export function isListed(targets: PrivateTarget[], { host, port }: Place): boolean {
  const address = parseAddress(host);
  return targets.some((target) => {
    if (target.port !== null && target.port !== port) return false;
    return "host" in target ? target.host === host : address !== null && covers(target, address);
  });
}

/**
 * Whether the operator allowed this address. A name allows the private addresses that it has, but not
 * link-local ones: anyone who can change the records of the name could reach the credentials of a
 * cloud platform.
 */
export function isAllowed(
  targets: PrivateTarget[],
  address: Address,
  { host, port }: Place,
): boolean {
  if (isNobody(address)) return false;
  return targets.some((target) => {
    if (target.port !== null && target.port !== port) return false;
    return "host" in target
      ? target.host === host && !isLinkLocal(address)
      : covers(target, address);
  });
}

function covers({ range: [start, bits] }: { range: [Address, number] }, address: Address): boolean {
  return start.kind() === address.kind() && address.match(start, bits);
}
