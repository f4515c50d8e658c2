import { equalBytes } from "../encoding/bytes.ts";

// As much of a certificate (RFC 5280) as says what it costs to verify with its key.

export type RsaSize = { modulusBytes: number; exponentBytes: number };

/** The size of a certificate's key. Null if it is a key on a curve. Throws if the certificate is not in DER. */
export function rsaSizeOf(certificate: Uint8Array): RsaSize | null {
  const outer = readItem(certificate, 0, SEQUENCE);
  if (outer.end !== certificate.length) throw malformed();
  let next = readItem(certificate, outer.start, SEQUENCE).start;
  if (certificate[next] === VERSION) next = readItem(certificate, next, VERSION).end;
  next = readItem(certificate, next, INTEGER).end;
  // The algorithm of the signature, the issuer, the validity and the subject.
  for (let i = 0; i < 4; i++) next = readItem(certificate, next, SEQUENCE).end;
  const algorithm = readItem(certificate, readItem(certificate, next, SEQUENCE).start, SEQUENCE);
  const name = readItem(certificate, algorithm.start, OBJECT_IDENTIFIER);
  if (isOnCurve(certificate.subarray(name.start, name.end))) return null;
  // RSA has several names.
  const bits = readItem(certificate, algorithm.end, BIT_STRING);
  const key = readItem(certificate, bits.start + 1, SEQUENCE);
  const modulus = readItem(certificate, key.start, INTEGER);
  const exponent = readItem(certificate, modulus.end, INTEGER);
  return {
    modulusBytes: magnitudeOf(certificate, modulus),
    exponentBytes: magnitudeOf(certificate, exponent),
  };
}

function isOnCurve(name: Uint8Array): boolean {
  return equalBytes(name, EC_PUBLIC_KEY) || equalBytes(name.subarray(0, -1), EDWARDS);
}

type Item = { start: number; end: number };

/** Where the content of an item begins and ends. */
function readItem(bytes: Uint8Array, at: number, tag: number): Item {
  const first = bytes[at + 1];
  if (bytes[at] !== tag || first === undefined) throw malformed();
  const more = first < 128 ? 0 : first - 128;
  if (more > 2 || (first >= 128 && more === 0)) throw malformed();
  let length = more === 0 ? first : 0;
  for (let i = 0; i < more; i++) length = length * 256 + (bytes[at + 2 + i] ?? Number.NaN);
  const start = at + 2 + more;
  if (!(start + length <= bytes.length)) throw malformed();
  return { start, end: start + length };
}

function magnitudeOf(bytes: Uint8Array, { start, end }: Item): number {
  return bytes[start] === 0 ? end - start - 1 : end - start;
}

function malformed(): Error {
  return new Error("malformed certificate");
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
/** An explicit tag. */
const VERSION = 0xa0;
/** 1.2.840.10045.2.1 */
const EC_PUBLIC_KEY = Uint8Array.of(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01);
/** 1.3.101, before the number of the curve. */
const EDWARDS = Uint8Array.of(0x2b, 0x65);
