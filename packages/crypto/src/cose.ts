import type { RsaPublicKey } from "#primitives";
import { concatBytes } from "./encoding.ts";

/** The public key of a passkey. An ES256 point is uncompressed and may be off the curve. */
export type CoseKey =
  | { algorithm: "ES256"; publicKey: Uint8Array }
  | { algorithm: "RS256"; publicKey: RsaPublicKey };

/**
 * Decodes the COSE_Key of an authenticator (RFC 9052, section 7, and RFC 9053). It must have
 * exactly the members that WebAuthn L2, 6.5.1.1, requires, in any order.
 */
export function decodeCoseKey(bytes: Uint8Array): CoseKey {
  const members = readMap(bytes);
  const number = (label: number) => {
    const value = members.get(label);
    if (typeof value !== "number") throw malformed();
    return value;
  };
  const byteString = (label: number) => {
    const value = members.get(label);
    if (value === undefined || typeof value === "number") throw malformed();
    return value;
  };
  if (number(ALG) === ES256 && number(KTY) === EC2 && members.size === 5) {
    const x = byteString(EC2_X);
    const y = byteString(EC2_Y);
    if (number(EC2_CRV) !== P256 || x.length !== 32 || y.length !== 32) throw malformed();
    return { algorithm: "ES256", publicKey: concatBytes(Uint8Array.of(4), x, y) };
  }
  if (number(ALG) === RS256 && number(KTY) === RSA && members.size === 4) {
    return { algorithm: "RS256", publicKey: rsaKey(byteString(RSA_N), byteString(RSA_E)) };
  }
  throw malformed();
}

function rsaKey(modulus: Uint8Array, exponent: Uint8Array): RsaPublicKey {
  // 2048 to 4096 bits and an odd exponent above 1, both without leading zeros (RFC 8230, 4).
  if (modulus.length < 256 || modulus.length > 512 || exponent.length > 4) throw malformed();
  const isOdd = ((exponent.at(-1) ?? 0) & 1) === 1;
  const isOne = exponent.length === 1 && exponent[0] === 1;
  if (!modulus[0] || !exponent[0] || !isOdd || isOne) throw malformed();
  return { modulus, exponent };
}

/** A CBOR map (RFC 8949) from small integers to integers and byte strings, shortest heads only. */
function readMap(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const map = readHead(bytes, 0);
  if (map.major !== MAP) throw malformed();
  const members = new Map<number, number | Uint8Array>();
  let offset = map.end;
  for (let i = 0; i < map.argument; i++) {
    const label = readValue(bytes, offset);
    if (typeof label.value !== "number" || members.has(label.value)) throw malformed();
    const member = readValue(bytes, label.end);
    members.set(label.value, member.value);
    offset = member.end;
  }
  if (offset !== bytes.length) throw malformed();
  return members;
}

function readValue(bytes: Uint8Array, start: number): { value: number | Uint8Array; end: number } {
  const { major, argument, end } = readHead(bytes, start);
  switch (major) {
    case UNSIGNED:
      return { value: argument, end };
    case NEGATIVE:
      return { value: -1 - argument, end };
    case BYTE_STRING:
      if (end + argument > bytes.length) throw malformed();
      return { value: new Uint8Array(bytes.subarray(end, end + argument)), end: end + argument };
    default:
      throw malformed();
  }
}

/** The first byte of an item and the argument of up to two bytes that follows it. */
function readHead(
  bytes: Uint8Array,
  start: number,
): { major: number; argument: number; end: number } {
  const first = byteAt(bytes, start);
  const major = first >> 5;
  const short = first & 31;
  if (short < 24) return { major, argument: short, end: start + 1 };
  if (short === 24) {
    const argument = byteAt(bytes, start + 1);
    if (argument < 24) throw malformed();
    return { major, argument, end: start + 2 };
  }
  if (short === 25) {
    const argument = (byteAt(bytes, start + 1) << 8) | byteAt(bytes, start + 2);
    if (argument < 256) throw malformed();
    return { major, argument, end: start + 3 };
  }
  throw malformed();
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw malformed();
  return byte;
}

function malformed(): Error {
  return new Error("malformed public key");
}

// RFC 8949, section 3.1.
const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTE_STRING = 2;
const MAP = 5;

// RFC 9053, section 7, and RFC 8230, section 4: labels and values of COSE keys.
const KTY = 1;
const ALG = 3;
const EC2 = 2;
const EC2_CRV = -1;
const EC2_X = -2;
const EC2_Y = -3;
const P256 = 1;
const RSA = 3;
const RSA_N = -1;
const RSA_E = -2;
const ES256 = -7;
const RS256 = -257;
