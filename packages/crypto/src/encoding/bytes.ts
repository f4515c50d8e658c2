import type { PlainBytes } from "../secret-bytes.ts";

// Conversions between bytes and text. A decoder accepts exactly one text for each value, except
// that hex may be in either case.

const HEX = "0123456789abcdef";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Made when first used, so that a runtime without one can still import this file.
let utf8Encoder: TextEncoder | undefined;
let utf8Decoder: TextDecoder | undefined;
/** The value of each digit of base64url, by its code. */
let digits: Int8Array | undefined;

/** Lower-case hex. */
export function encodeHex(bytes: PlainBytes): string {
  let text = "";
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number; // within length
    text += HEX.charAt(byte >> 4) + HEX.charAt(byte & 15);
  }
  return text;
}

/** Decodes hex in either case, without a prefix. */
export function decodeHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new Error("malformed hex");
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i));
    const low = hexDigit(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) throw new Error("malformed hex");
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}

/** Base64url without padding (RFC 4648, section 5). */
export function encodeBase64Url(bytes: PlainBytes): string {
  let text = "";
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const group = (at(bytes, i) << 16) | (at(bytes, i + 1) << 8) | at(bytes, i + 2);
    text +=
      BASE64URL.charAt(group >> 18) +
      BASE64URL.charAt((group >> 12) & 63) +
      BASE64URL.charAt((group >> 6) & 63) +
      BASE64URL.charAt(group & 63);
  }
  if (bytes.length - i === 1) {
    const group = at(bytes, i);
    text += BASE64URL.charAt(group >> 2) + BASE64URL.charAt((group & 3) << 4);
  } else if (bytes.length - i === 2) {
    const group = (at(bytes, i) << 8) | at(bytes, i + 1);
    text +=
      BASE64URL.charAt(group >> 10) +
      BASE64URL.charAt((group >> 4) & 63) +
      BASE64URL.charAt((group & 15) << 2);
  }
  return text;
}

/** Decodes base64url without padding or white space. Unused bits must be zero. */
export function decodeBase64Url(text: string): Uint8Array {
  const rest = text.length % 4;
  if (rest === 1) throw new Error("malformed base64url");
  const bytes = new Uint8Array((text.length >> 2) * 3 + (rest === 0 ? 0 : rest - 1));
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  digits ??= Int8Array.from({ length: 128 }, (_, code) =>
    BASE64URL.indexOf(String.fromCharCode(code)),
  );
  for (let i = 0; i < text.length; i++) {
    const digit = digits[text.charCodeAt(i)] ?? -1;
    if (digit < 0) throw new Error("malformed base64url");
    bits = (bits << 6) | digit;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[written++] = bits >> bitCount;
      bits &= (1 << bitCount) - 1;
    }
  }
  if (bits !== 0) throw new Error("malformed base64url");
  return bytes;
}

/** Encodes text as UTF-8. Refuses a lone surrogate, which has no encoding. */
export function encodeUtf8(text: string): Uint8Array {
  if (!isWellFormed(text)) throw new Error("malformed text");
  utf8Encoder ??= new TextEncoder();
  return utf8Encoder.encode(text);
}

/** Whether the text has no lone surrogate. React Native before 0.83 lacks the method of strings. */
export function isWellFormed(text: string): boolean {
  // With the flag, a pair is one character, so only lone surrogates match.
  return text.isWellFormed?.() ?? !/[\ud800-\udfff]/u.test(text);
}

/** Decodes UTF-8. Refuses anything else. */
export function decodeUtf8(bytes: PlainBytes): string {
  try {
    // React Native has no TextDecoder. This refuses the same bytes (ECMA-262, 19.2.6.5), but is slower.
    if (typeof TextDecoder === "undefined") {
      return decodeURIComponent(encodeHex(bytes).replace(/../g, "%$&"));
    }
    // `ignoreBOM` keeps a leading U+FEFF. Without it, two byte strings would have the same text.
    utf8Decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return utf8Decoder.decode(bytes);
  } catch {
    throw new Error("malformed utf-8");
  }
}

/** A new array that holds the given ones in order. */
export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Compares in time that depends only on the lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= at(a, i) ^ at(b, i);
  return difference === 0;
}

/** Overwrites secret bytes that are no longer needed. */
export function wipe(bytes: Uint8Array): void {
  bytes.fill(0);
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number; // callers stay within the length
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  if (code >= 65 && code <= 70) return code - 55;
  return -1;
}
