import type { PlainBytes } from "../secret-bytes.ts";
import { concatBytes, decodeHex } from "./bytes.ts";

// Apart from the other encodings, so that a page without addresses does not load it.

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE58_DIVISOR = 656_356_768; // 58 ** 5

/** Base58 in Bitcoin's alphabet. Takes time quadratic in the length. */
export function encodeBase58(bytes: PlainBytes): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  // The number in digits of 16 bits. Each division yields five digits of base 58.
  const odd = (bytes.length - zeros) % 2;
  const digits: number[] = [];
  for (let i = zeros - odd; i < bytes.length; i += 2) {
    digits.push(((i < zeros ? 0 : at(bytes, i)) << 8) | at(bytes, i + 1));
  }
  let text = "";
  for (let start = 0; start < digits.length; ) {
    let rest = 0;
    for (let i = start; i < digits.length; i++) {
      const dividend = rest * 0x10000 + (digits[i] as number); // below 2^46
      const quotient = Math.floor(dividend / BASE58_DIVISOR);
      digits[i] = quotient;
      rest = dividend - quotient * BASE58_DIVISOR;
    }
    while (digits[start] === 0) start++;
    for (let i = 0; i < 5 && (start < digits.length || rest > 0); i++) {
      text = BASE58.charAt(rest % 58) + text;
      rest = Math.floor(rest / 58);
    }
  }
  return "1".repeat(zeros) + text;
}

/** Decodes base58. Takes time quadratic in the length, so callers bound the length first. */
export function decodeBase58(text: string): Uint8Array {
  let zeros = 0;
  while (text[zeros] === "1") zeros++;
  let number = 0n;
  for (const character of text) {
    const digit = BASE58.indexOf(character);
    if (digit < 0) throw new Error("malformed base58");
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? "" : number.toString(16);
  const digits = decodeHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  return concatBytes(new Uint8Array(zeros), digits);
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number; // callers stay within the length
}
