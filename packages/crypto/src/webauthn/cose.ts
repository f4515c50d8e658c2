import type { RsaPublicKey } from "#primitives";
import { concatBytes } from "../encoding/bytes.ts";
import { BYTE_STRING, MAP, NEGATIVE, readHead, readString, UNSIGNED } from "../encoding/cbor.ts";

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
  const head = readHead(bytes, start);
  switch (head.major) {
    case UNSIGNED:
      return { value: head.argument, end: head.end };
    case NEGATIVE:
      return { value: -1 - head.argument, end: head.end };
    case BYTE_STRING:
      return readString(bytes, head);
    default:
      throw malformed();
  }
}

function malformed(): Error {
  return new Error("malformed public key");
}

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
