// By what addresses are counted, wherever somebody may do something so many times: a subscriber, a site, a provider. The SDK's
// entry for servers has it too, on runtimes without the modules of Node.js.

function isIpv6(text: string): boolean {
  return /^[\da-f.:]*:[\da-f.:]*$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isIpv4(text: string): boolean {
  const numbers = text.split(".");
  return (
    numbers.length === 4 && numbers.every((each) => /^(0|[1-9]\d{0,2})$/.test(each) && +each < 256)
  );
}

/** The eight groups of an IPv6 address, in the shortest form of each. */
export function groupsOf(address: string): string[] {
  const [head = "", tail] = address.replace(/[\d.]+$/, fromDotted).split("::");
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}

/** A dotted ending stands for two groups. */
function fromDotted(ending: string): string {
  if (!ending.includes(".")) return ending;
  const [a = 0, b = 0, c = 0, d = 0] = ending.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function toDotted(groups: string[]): string {
  const numbers = groups.map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join(".");
}

/**
 * By what an address is counted: the groups of an IPv6 address, or a text that stands for itself. An IPv4 client behind NAT64
 * counts as that client. Whom the operator trusts is another question: anybody could embed an address of the operator's own.
 */
function countedAs(address: string): string | string[] {
  // The zone says by which of its interfaces this machine reaches the other one.
  const whole = address.replace(/%.*$/, "");
  // Texts other than addresses are counted too.
  if (!isIpv6(whole)) return address;
  const groups = groupsOf(whole);
  return mappedIn(groups) ?? behindNat64(groups) ?? groups;
}

/** The IPv4 address that a socket of IPv6 shows as one of IPv6 (RFC 4291, 2.5.5.2). */
export function mappedIn(groups: readonly string[]): string | null {
  return groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff" ? toDotted(groups.slice(6)) : null;
}

/**
 * The IPv4 address in one that NAT64 made: all of IPv4 has one network, or one site, in the prefixes that everybody uses
 * (RFC 6052, 2.1) and that operators choose (RFC 8215). An operator's may have 48, 56, 64 or 96 bits. What follows the IPv4
 * address is zero (RFC 6052, 2.2), and the ninth byte always is, so an address is read with the shortest prefix that fits.
 */
function behindNat64(groups: string[]): string | null {
  if (groups[0] !== "64" || groups[1] !== "ff9b") return null;
  const bytes = groups.flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
  const at = (...places: number[]) => places.map((place) => bytes[place] ?? 0).join(".");
  if (groups.slice(2, 6).every((group) => group === "0")) return at(12, 13, 14, 15);
  if (groups[2] !== "1" || bytes[8] !== 0) return null;
  const isZeroFrom = (place: number) => bytes.slice(place).every((byte) => byte === 0);
  if (isZeroFrom(11)) return at(6, 7, 9, 10);
  if (isZeroFrom(12)) return at(7, 9, 10, 11);
  return isZeroFrom(13) ? at(9, 10, 11, 12) : at(12, 13, 14, 15);
}

/** A subscriber usually has a whole /64 of IPv6 addresses and could use each of them once. */
export function networkOf(address: string): string {
  const counted = countedAs(address);
  return typeof counted === "string" ? counted : counted.slice(0, 4).join(":");
}

/**
 * The /48 of an IPv6 address, which a site usually has, with its 65,536 networks of /64. Any other address
 * stands for itself.
 */
export function siteOf(address: string): string {
  const counted = countedAs(address);
  return typeof counted === "string" ? counted : `${counted.slice(0, 3).join(":")}/48`;
}

/** The site of an address of IPv6, which counts beside its network. Null for any other address. */
export function networkSiteOf(address: string): string | null {
  return typeof countedAs(address) === "string" ? null : siteOf(address);
}

/** What one provider usually has of addresses: a /16 of IPv4, or a /32 of IPv6. */
export function regionOf(address: string): string {
  const counted = countedAs(address);
  if (typeof counted !== "string") return `${counted.slice(0, 2).join(":")}/32`;
  return isIpv4(counted) ? `${counted.split(".").slice(0, 2).join(".")}/16` : counted;
}
