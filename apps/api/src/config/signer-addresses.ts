import { isIP, isIPv6 } from "node:net";
import { isAbsolute } from "node:path";
import { type Pin, readLine } from "@keyhearth/outbound/door-key";

/** Where a signer is. `text` is how the operator knows it. */
export type SignerAddress = { text: string } & (
  | { kind: "unix"; path: string }
  | { kind: "tls"; host: string; port: number }
);

/** More are a mistake: one works, and the others wait. */
const MAX_ADDRESSES = 8;
const MAX_PINS = 16;

/** Kernels reserve 104 (BSD, macOS) or 108 (Linux) bytes for the path and its final zero. */
const MAX_PATH_BYTES = 103;

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Reads addresses that commas separate. A sentence says what is wrong with them; null, that they are none. */
export function parseSignerAddresses(value: string): SignerAddress[] | { problem: string } | null {
  const texts = value.split(",").map((text) => text.trim());
  const addresses: SignerAddress[] = [];
  for (const text of texts) {
    const address = parseAddress(text);
    if (!address) {
      if (texts.length === 1) return null;
      return { problem: `has \`${shortened(text)}\`, which is none of these addresses` };
    }
    if (addresses.some((each) => each.text === address.text)) {
      return { problem: `has ${address.text} twice; name each signer once` };
    }
    addresses.push(address);
  }
  if (addresses.length > MAX_ADDRESSES) {
    return { problem: `has ${addresses.length} addresses; at most ${MAX_ADDRESSES} are accepted` };
  }
  return addresses;
}

function parseAddress(text: string): SignerAddress | null {
  if (text.startsWith("unix:")) {
    const path = text.slice("unix:".length);
    if (!isAbsolute(path) || Buffer.byteLength(path) > MAX_PATH_BYTES) return null;
    return { kind: "unix", path, text: `unix:${path}` };
  }
  const [, bracketed, plain, digits = ""] =
    /^tls:\/\/(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase();
  const port = Number(digits);
  const isHost = bracketed === undefined ? isHostName(host) : isIPv6(host);
  if (!isHost || port < 1 || port > 65_535) return null;
  const shown = bracketed === undefined ? host : `[${host}]`;
  return { kind: "tls", host, port, text: `tls://${shown}:${port}` };
}

/** A dotted number that is not an address would be looked up at a name server. */
function isHostName(host: string): boolean {
  return isIP(host) === 4 || (NAME.test(host) && !/^[\d.]+$/.test(host));
}

/** Reads the lines that `pair` prints at signers. Null if one of them is none. */
export function parsePins(value: string): Pin[] | null {
  const pins = value.split(",").map((text) => readLine("signer", text.trim()));
  if (pins.length > MAX_PINS || pins.includes(null)) return null;
  return pins.filter((pin) => pin !== null);
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
