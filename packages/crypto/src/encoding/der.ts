import { concatBytes } from "./bytes.ts";

// ECDSA signatures are ASN.1 DER on the wire (RFC 3279, 2.2.3), and r || s of 64 bytes here.

/**
 * Decodes a DER signature to r || s. Wallet stampers do not strip leading zero bytes of r and s, so
 * this accepts up to 33 bytes where DER has fewer. It checks signs, lengths and the end.
 */
export function decodeDerSignature(der: Uint8Array): Uint8Array {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2 || der.length > MAX_DER_LENGTH) {
    throw malformed();
  }
  const signature = new Uint8Array(64);
  const end = readInteger(der, 2, signature.subarray(0, 32));
  if (readInteger(der, end, signature.subarray(32)) !== der.length) throw malformed();
  return signature;
}

/** Encodes r || s as minimal DER. */
export function encodeDerSignature(signature: Uint8Array): Uint8Array {
  if (signature.length !== 64) throw malformed();
  const r = integer(signature.subarray(0, 32));
  const s = integer(signature.subarray(32));
  return concatBytes(Uint8Array.of(SEQUENCE, r.length + s.length), r, s);
}

export const MAX_DER_LENGTH = 72;

function readInteger(der: Uint8Array, start: number, target: Uint8Array): number {
  const length = der[start + 1];
  if (der[start] !== INTEGER || length === undefined || length < 1 || length > 33) {
    throw malformed();
  }
  const end = start + 2 + length;
  if (end > der.length) throw malformed();
  const first = der[start + 2] as number; // length is at least 1
  if (first > 127 || (length === 33 && first !== 0)) throw malformed();
  const magnitude = der.subarray(length === 33 ? start + 3 : start + 2, end);
  target.set(magnitude, 32 - magnitude.length);
  return end;
}

function integer(value: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 31 && value[start] === 0) start++;
  const magnitude = value.subarray(start);
  const sign = (magnitude[0] as number) > 127 ? Uint8Array.of(0) : new Uint8Array(0); // 1 to 32 bytes
  return concatBytes(Uint8Array.of(INTEGER, sign.length + magnitude.length), sign, magnitude);
}

function malformed(): Error {
  return new Error("malformed signature");
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
