import { concatBytes, decodeUtf8 } from "../encoding/bytes.ts";
import { MalformedError } from "./malformed.ts";
import { bytesLeft, type Cursor, takeByte, takeBytes } from "./solana-cursor.ts";

// Protocol buffers, version 3, in the one encoding that every serializer writes: known fields in
// ascending order, each once unless it is repeated, no default values, varints in as few bytes as
// possible. Nodes serialize a message again before they hash it, so a signature of other bytes would be
// worthless.

/** The fields that a message may have, by number. */
export type MessageShape = { readonly [number: number]: FieldShape };

export type FieldShape = {
  readonly name: string;
  readonly kind: "int32" | "int64" | "bool" | "bytes";
  readonly isRepeated?: boolean;
};

/** The values of a message by number: bytes as views, and integers. */
export type Message = {
  readonly subject: string;
  readonly values: ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;
};

/** Decodes a message. Throws a MalformedError that starts with `subject`. */
export function decodeMessage(bytes: Uint8Array, shape: MessageShape, subject: string): Message {
  const refuse = (problem: string) => new MalformedError(`${subject}: ${problem}`);
  const cursor: Cursor = { bytes, offset: 0, refuse };
  const values = new Map<number, (bigint | Uint8Array)[]>();
  let last = 0;
  while (bytesLeft(cursor) > 0) {
    const tag = takeVarint(cursor, "a field number");
    const number = Number(tag >> 3n);
    const field = Object.hasOwn(shape, number) ? shape[number] : undefined;
    if (!field) throw refuse(`field ${number} is unknown: expected ${namesOf(shape)}`);
    const { name, kind, isRepeated } = field;
    const wireType = kind === "bytes" ? 2n : 0n;
    if ((tag & 7n) !== wireType) {
      throw refuse(`${name} has wire type ${tag & 7n}, expected ${wireType}`);
    }
    if (number < last) throw refuse(`${name} comes after a field with a higher number`);
    if (number === last && !isRepeated) throw refuse(`${name} appears twice`);
    last = number;
    const value = kind === "bytes" ? takeLengthDelimited(cursor, name) : takeInteger(cursor, field);
    const before = values.get(number);
    if (before) before.push(value);
    else values.set(number, [value]);
  }
  return { subject, values };
}

/** An integer that is 0 if it is left out. */
export function integerOf({ values }: Message, number: number): bigint {
  const value = values.get(number)?.[0];
  return typeof value === "bigint" ? value : 0n;
}

/** Bytes that are empty if they are left out. */
export function bytesOf(message: Message, number: number): Uint8Array {
  return listOf(message, number)[0] ?? new Uint8Array(0);
}

/** The values of a repeated field. */
export function listOf({ values }: Message, number: number): readonly Uint8Array[] {
  const list = values.get(number) ?? [];
  return list.filter((value) => typeof value !== "bigint");
}

/** Text that is empty if it is left out. */
export function textOf(message: Message, number: number, name: string): string {
  try {
    return decodeUtf8(bytesOf(message, number));
  } catch {
    throw new MalformedError(`${message.subject}: ${name} is not UTF-8`);
  }
}

/** A field of bytes, with its number and length. */
export function encodeBytesField(number: number, bytes: Uint8Array): Uint8Array {
  const prefix = [(number << 3) | 2];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      prefix.push(rest);
      return concatBytes(Uint8Array.from(prefix), bytes);
    }
    prefix.push((rest & 0x7f) | 0x80);
  }
}

function namesOf(shape: MessageShape): string {
  return Object.values<FieldShape>(shape)
    .map(({ name }) => name)
    .join(", ");
}

function takeInteger(cursor: Cursor, { name, kind }: FieldShape): bigint {
  const value = takeVarint(cursor, name);
  if (value === 0n) throw cursor.refuse(`${name} is 0, which is not written: leave it out`);
  // Negative numbers have the highest bit. No field of a valid transaction is negative.
  const max = kind === "bool" ? 1n : kind === "int32" ? (1n << 31n) - 1n : (1n << 63n) - 1n;
  if (value > max) throw cursor.refuse(`${name} is negative or too large`);
  return value;
}

function takeLengthDelimited(cursor: Cursor, name: string): Uint8Array {
  const length = takeVarint(cursor, `the length of ${name}`);
  if (length === 0n) throw cursor.refuse(`${name} is empty, which is not written: leave it out`);
  if (length > 0x7fffffffn) throw cursor.refuse(`${name} is longer than any input`);
  return takeBytes(cursor, Number(length), name);
}

/** Seven bits in each byte, lowest first, at most 64 in all. */
function takeVarint(cursor: Cursor, what: string): bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = takeByte(cursor, what);
    if (shift === 63n && byte > 1) throw cursor.refuse(`${what} has more than 64 bits`);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (byte === 0 && shift > 0n) throw cursor.refuse(`${what} is written with needless bytes`);
      return value;
    }
  }
}
