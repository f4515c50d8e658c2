import { checksumAddress } from "../addresses/ethereum.ts";
import { decodeHex } from "../encoding/bytes.ts";
import { kindOf, refused, textOf } from "./json-members.ts";
import { quoted } from "./malformed.ts";

// Parses values of Ethereum in JSON. viem and ethers write everything that is accepted here in the
// same way. `place` starts the message of every error.

/** Parses `0x` and 40 hex digits to 20 bytes. Mixed case must be the checksum of EIP-55. */
export function addressOf(value: unknown, place: string): Uint8Array {
  const text = textOf(value, place);
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw refused(place, `${quoted(text)} is not an address: expected 0x and 40 hex digits`);
  }
  const hex = text.slice(2);
  const lower = hex.toLowerCase();
  if (hex !== lower && hex !== hex.toUpperCase() && text !== checksumAddress(lower)) {
    throw refused(place, `the checksum of ${text} (EIP-55) is wrong: is it mistyped?`);
  }
  return decodeHex(hex);
}

/** Parses `0x` and an even number of hex digits. */
export function bytesOf(value: unknown, place: string): Uint8Array {
  const text = textOf(value, place);
  if (!text.startsWith("0x")) throw refused(place, "expected hex digits after 0x");
  try {
    return decodeHex(text.slice(2));
  } catch (cause) {
    throw refused(place, "expected an even number of hex digits after 0x", { cause });
  }
}

/**
 * Parses an integer: a JSON number that every parser reads exactly, decimal text without leading
 * zeros, or `0x` and at most 64 hex digits.
 */
export function integerOf(
  value: unknown,
  { bits, isSigned }: { bits: number; isSigned: boolean },
  place: string,
): bigint {
  const integer = anyInteger(value, place);
  const type = `${isSigned ? "int" : "uint"}${bits}`;
  const isInRange = isSigned
    ? BigInt.asIntN(bits, integer) === integer
    : BigInt.asUintN(bits, integer) === integer;
  if (!isInRange) throw refused(place, `${quoted(String(value))} is out of range for ${type}`);
  return integer;
}

function anyInteger(value: unknown, place: string): bigint {
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return BigInt(value);
    throw refused(place, "a number beyond 2^53 or with a fraction: write an integer as a string");
  }
  if (typeof value !== "string") throw refused(place, `expected an integer, got ${kindOf(value)}`);
  if (/^(?:0|-?[1-9][0-9]*|0x[0-9a-fA-F]{1,64})$/.test(value)) {
    return BigInt(value);
  }
  throw refused(
    place,
    `${quoted(value)} is not an integer: expected decimal digits, or hex after 0x`,
  );
}
