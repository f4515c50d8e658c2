import { encodeBase58 } from "../encoding/base58.ts";
import { decodeUtf8, encodeHex } from "../encoding/bytes.ts";
import type {
  AnchorDefinition,
  AnchorFields,
  AnchorIdl,
  AnchorInstruction,
  AnchorType,
} from "./anchor-idl.ts";
import { MalformedError } from "./malformed.ts";
import {
  assertEnd,
  bytesLeft,
  type Cursor,
  count,
  takeByte,
  takeBytes,
  takeFlag,
  takeUint,
  takeUint32,
} from "./solana-cursor.ts";

// Instructions of Anchor programs: a discriminator, then the arguments in Borsh, which has exactly
// one encoding for every value (borsh.io).

/** An instruction, decoded by the IDL of its program. */
export type DecodedAnchorInstruction = {
  readonly kind: "decoded";
  readonly instructionName: string;
  /** Lower-case hex. */
  readonly discriminator: string;
  /** The accounts of the instruction that the IDL names. */
  readonly namedAccounts: readonly { readonly name: string; readonly accountKey: string }[];
  readonly arguments: readonly AnchorNamedValue[];
};

/** An instruction of the IDL whose data or accounts do not match it. */
export type UndecodableAnchorInstruction = {
  readonly kind: "undecodable";
  readonly instructionName: string;
  readonly discriminator: string;
  readonly reason: string;
};

/**
 * The value of an argument. Public keys are strings in base58, bytes are strings in lower-case hex,
 * and floating-point numbers are strings in the shortest decimal form. An enum variant without
 * fields is its name; one with fields is a struct with a single member of that name. Fields without
 * names are a list.
 */
export type AnchorValue =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "uint" | "int"; readonly value: bigint }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly AnchorValue[] }
  | { readonly kind: "struct"; readonly fields: readonly AnchorNamedValue[] }
  | { readonly kind: "none" };

export type Count = { values: number };

export type AnchorNamedValue = { readonly name: string; readonly value: AnchorValue };

/**
 * Decodes an instruction by the IDL of its program. Returns null if the IDL has no instruction with
 * this discriminator. `accountKeys` are the keys of the instruction in order. `read` counts the
 * values of several instructions, which may have 10,000 together.
 */
export function decodeAnchorInstruction(
  idl: AnchorIdl,
  data: Uint8Array,
  accountKeys: readonly string[],
  read: Count = { values: 0 },
): DecodedAnchorInstruction | UndecodableAnchorInstruction | null {
  const instruction = idl.instructions.find((each) => beginsWith(data, each.discriminator));
  if (instruction === undefined) return null;
  const found = {
    instructionName: instruction.name,
    discriminator: encodeHex(instruction.discriminator),
  };
  try {
    return {
      kind: "decoded",
      ...found,
      namedAccounts: nameAccounts(instruction, accountKeys),
      arguments: readArguments(idl, instruction, { data, read }),
    };
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return { kind: "undecodable", ...found, reason: error.message };
  }
}

function beginsWith(data: Uint8Array, beginning: Uint8Array): boolean {
  return data.length >= beginning.length && beginning.every((byte, i) => byte === data[i]);
}

/** Optional accounts may be missing at the end, and accounts that the IDL does not name may follow. */
function nameAccounts({ accounts }: AnchorInstruction, accountKeys: readonly string[]) {
  const needed = accounts.findLastIndex(({ isOptional }) => !isOptional) + 1;
  if (accountKeys.length < needed) {
    throw new MalformedError(`it has ${count(accountKeys.length, "account")}, but needs ${needed}`);
  }
  return accounts.slice(0, accountKeys.length).map(({ name }, i) => ({
    name,
    accountKey: accountKeys[i] as string, // as many as names
  }));
}

/** The state of reading the arguments. */
type Reading = {
  readonly cursor: Cursor;
  readonly types: ReadonlyMap<string, AnchorDefinition>;
  readonly read: Count;
};

function readArguments(
  idl: AnchorIdl,
  instruction: AnchorInstruction,
  { data, read }: { data: Uint8Array; read: Count },
) {
  const cursor: Cursor = {
    bytes: data,
    offset: instruction.discriminator.length,
    refuse: (problem) => new MalformedError(problem),
  };
  const reading = { cursor, types: idl.types, read };
  const values = instruction.arguments.map(({ name, type }) => ({
    name,
    value: readValue(reading, type, `argument ${name}`, MAX_DEPTH),
  }));
  assertEnd(cursor, "the arguments");
  return values;
}

function readValue(reading: Reading, type: AnchorType, what: string, depth: number): AnchorValue {
  const { cursor, read } = reading;
  // Types without content take no bytes, so the length of the data does not bound the work.
  if (++read.values > MAX_VALUES) throw cursor.refuse(`${what}: more than ${MAX_VALUES} values`);
  if (depth === 0) throw cursor.refuse(`${what}: more than ${MAX_DEPTH} levels`);
  switch (type.kind) {
    case "bool":
      return { kind: "bool", value: takeFlag(cursor, what) };
    case "uint":
      return { kind: "uint", value: takeUint(cursor, type.width, what) };
    case "int":
      return {
        kind: "int",
        value: BigInt.asIntN(8 * type.width, takeUint(cursor, type.width, what)),
      };
    case "float":
      return { kind: "string", text: readFloat(cursor, type.width, what) };
    case "publicKey":
      return { kind: "string", text: encodeBase58(takeBytes(cursor, 32, what)) };
    case "bytes":
      return { kind: "string", text: encodeHex(readBytes(cursor, what)) };
    case "string":
      return { kind: "string", text: readText(cursor, what) };
    case "vec":
      return readList(reading, type.element, readLength(cursor, what), what, depth);
    case "array":
      return readList(reading, type.element, type.length, what, depth);
    case "option":
      if (!takeFlag(cursor, `the option ${what}`)) return { kind: "none" };
      return readValue(reading, type.element, what, depth - 1);
    case "coption":
      return readCOption(reading, type.element, what, depth);
    case "defined":
      return readDefined(reading, type.name, what, depth);
  }
}

function readFloat(cursor: Cursor, width: number, what: string): string {
  const bytes = takeBytes(cursor, width, what);
  const view = new DataView(bytes.buffer, bytes.byteOffset, width);
  const value = width === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  // Borsh does not allow NaN, because it has many encodings.
  if (Number.isNaN(value)) throw cursor.refuse(`${what} is not a number`);
  return Object.is(value, -0) ? "-0" : String(value);
}

/** The length of a list whose elements take at least one byte each. */
function readLength(cursor: Cursor, what: string): number {
  const length = takeUint32(cursor, `the length of ${what}`);
  const left = bytesLeft(cursor);
  if (length > left) {
    throw cursor.refuse(
      `${what} has length ${length}, but the data has only ${count(left, "byte")} more`,
    );
  }
  return length;
}

function readBytes(cursor: Cursor, what: string): Uint8Array {
  return takeBytes(cursor, readLength(cursor, what), what);
}

function readText(cursor: Cursor, what: string): string {
  const bytes = readBytes(cursor, what);
  try {
    return decodeUtf8(bytes);
  } catch {
    throw cursor.refuse(`${what} is not UTF-8`);
  }
}

function readList(
  reading: Reading,
  element: AnchorType,
  length: number,
  what: string,
  depth: number,
): AnchorValue {
  const items: AnchorValue[] = [];
  for (let i = 0; i < length; i++) {
    items.push(readValue(reading, element, `${what}[${i}]`, depth - 1));
  }
  return { kind: "list", items };
}

/** Four bytes that say whether there is a value, then the value, or zeros in its place. */
function readCOption(
  reading: Reading,
  element: AnchorType,
  what: string,
  depth: number,
): AnchorValue {
  const { cursor } = reading;
  const tag = takeUint32(cursor, `the option ${what}`);
  if (tag > 1) throw cursor.refuse(`the option ${what} is ${tag}: expected 0 or 1`);
  const start = cursor.offset;
  const value = readValue(reading, element, what, depth - 1);
  if (tag === 1) return value;
  if (cursor.bytes.subarray(start, cursor.offset).some((byte) => byte !== 0)) {
    throw cursor.refuse(`${what} is absent, but its place does not hold zeros`);
  }
  return { kind: "none" };
}

function readDefined(reading: Reading, name: string, what: string, depth: number): AnchorValue {
  const definition = reading.types.get(name) as AnchorDefinition; // parsed, since something refers to it
  switch (definition.kind) {
    case "alias":
      return readValue(reading, definition.type, what, depth - 1);
    case "struct":
      return readFields(reading, definition.fields, what, depth);
    case "enum": {
      const index = takeByte(reading.cursor, `the variant of ${what}`);
      const variant = definition.variants[index];
      if (variant === undefined)
        throw reading.cursor.refuse(`${what}: ${name} has no variant ${index}`);
      if (variant.fields.kind === "unit") return { kind: "string", text: variant.name };
      const value = readFields(reading, variant.fields, `${what}.${variant.name}`, depth);
      return { kind: "struct", fields: [{ name: variant.name, value }] };
    }
  }
}

function readFields(
  reading: Reading,
  fields: AnchorFields,
  what: string,
  depth: number,
): AnchorValue {
  switch (fields.kind) {
    case "unit":
      return { kind: "struct", fields: [] };
    case "named":
      return {
        kind: "struct",
        fields: fields.fields.map(({ name, type }) => ({
          name,
          value: readValue(reading, type, `${what}.${name}`, depth - 1),
        })),
      };
    case "tuple":
      return {
        kind: "list",
        items: fields.types.map((type, i) => readValue(reading, type, `${what}.${i}`, depth - 1)),
      };
  }
}

/** Enough for an instruction of at most 1232 bytes: values have a few bytes and little nesting. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 32;
