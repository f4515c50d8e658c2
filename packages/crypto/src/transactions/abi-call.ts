import { decodeUtf8 } from "../encoding/bytes.ts";
import { type AbiParameter, type AbiType, type ContractAbi, selectorOf } from "./abi.ts";
import type { ElementaryType } from "./abi-types.ts";
import { MalformedError } from "./malformed.ts";

// Decodes calls by the interface of a contract (Solidity's contract ABI specification).

/** `type` is the full declared type. A `function` is represented as the bytes24 that encode it. */
export type AbiValue =
  | { readonly kind: "address" | "bytes"; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: "uint" | "int"; readonly type: string; readonly value: bigint }
  | { readonly kind: "bool"; readonly type: string; readonly value: boolean }
  | { readonly kind: "string"; readonly type: string; readonly text: string }
  | {
      readonly kind: "array" | "tuple";
      readonly type: string;
      readonly items: readonly AbiValue[];
    };

/** `suffix` holds the bytes after the arguments. */
export type DecodedCall = {
  readonly kind: "decoded";
  readonly functionName: string;
  readonly selector: string;
  readonly arguments: readonly { readonly name: string; readonly value: AbiValue }[];
  readonly suffix: Uint8Array;
};

/** A call of a known function whose arguments are malformed. */
export type UndecodableCall = {
  readonly kind: "undecodable";
  readonly functionName: string;
  readonly selector: string;
  readonly reason: string;
};

/**
 * Decodes the call in the `data` of a transaction. Returns null if the interface has no function
 * with this selector.
 *
 * Only the encoding that compilers write is accepted: padding as specified, and each dynamic value
 * right after the previous one. Contracts follow offsets wherever they point, so another encoding
 * could hide values from other readers, or repeat one value thousands of times. No common library
 * produces one. Bytes after the arguments are returned separately: contracts ignore them, and
 * wallets append attribution marks.
 */
export function decodeCall(
  abi: ContractAbi,
  data: Uint8Array,
): DecodedCall | UndecodableCall | null {
  if (data.length < 4) return null;
  const selector = selectorOf(data);
  const called = abi.functions.get(selector);
  if (called === undefined) return null;
  const { name: functionName, inputs } = called;
  const reader = readerOf(data);
  try {
    const values = readSequence(reader, ARGUMENTS, inputs.length, (i) => typeAt(inputs, i));
    return {
      kind: "decoded",
      functionName,
      selector,
      arguments: inputs.map(({ name }, i) => ({ name, value: values[i] as AbiValue })), // one each
      suffix: data.subarray(reader.end),
    };
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    return { kind: "undecodable", functionName, selector, reason: error.message };
  }
}

type Reader = {
  readonly data: Uint8Array;
  readonly view: DataView;
  /** The end of the dynamic value or sequence that was read last. */
  end: number;
  valuesLeft: number;
};

function readerOf(data: Uint8Array): Reader {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { data, view, end: 0, valuesLeft: MAX_VALUES };
}

/**
 * Reads values whose slots follow each other from `start`. Offsets count from there.
 * Invariant: all slots are within the data.
 */
function readSequence(
  reader: Reader,
  start: number,
  count: number,
  typeOf: (index: number) => AbiType,
): AbiValue[] {
  let tail = start;
  for (let i = 0; i < count; i++) {
    tail += 32 * typeOf(i).words;
    // Checked here, so that the loop ends early for an array of a huge length.
    if (tail > reader.data.length) throw undecodable(start, "the data ends before its values");
  }
  const values: AbiValue[] = [];
  let head = start;
  for (let i = 0; i < count; i++) {
    const type = typeOf(i);
    if (type.isDynamic) {
      const offset = readSize(reader, head);
      if (offset !== tail - start) {
        throw undecodable(head, `offset is not ${tail - start}, where the value before it ends`);
      }
      values.push(readValue(reader, type, tail));
      tail = reader.end;
    } else {
      values.push(readValue(reader, type, head));
    }
    head += 32 * type.words;
  }
  reader.end = tail;
  return values;
}

/** Reads a static value from its slot, or a dynamic one from where its offset points. */
function readValue(reader: Reader, type: AbiType, start: number): AbiValue {
  if (--reader.valuesLeft < 0) throw undecodable(start, `more than ${MAX_VALUES} values`);
  switch (type.kind) {
    case "elementary":
      return readElementary(reader, type.elementary, start);
    case "array": {
      const count = type.length ?? readSize(reader, start);
      const from = type.length === null ? start + 32 : start;
      const items = readSequence(reader, from, count, () => type.element);
      return { kind: "array", type: type.name, items };
    }
    case "tuple": {
      const { components } = type;
      const items = readSequence(reader, start, components.length, (i) => typeAt(components, i));
      return { kind: "tuple", type: type.name, items };
    }
  }
}

function readElementary(reader: Reader, elementary: ElementaryType, start: number): AbiValue {
  const { kind, name: type } = elementary;
  switch (kind) {
    case "uint":
      return { kind, type, value: readUnsigned(reader, start, elementary.bits) };
    case "int":
      return { kind, type, value: readSigned(reader, start, elementary.bits) };
    case "address":
      requireZeros(reader, start, start + 12);
      return { kind, type, bytes: reader.data.subarray(start + 12, start + 32) };
    case "bool":
      return { kind, type, value: readUnsigned(reader, start, 1) === 1n };
    case "bytes":
      if (elementary.length === null) return { kind, type, bytes: readBytes(reader, start) };
      requireZeros(reader, start + elementary.length, start + 32);
      return { kind, type, bytes: reader.data.subarray(start, start + elementary.length) };
    case "string":
      return { kind, type, text: readText(reader, start) };
  }
}

function readUnsigned(reader: Reader, start: number, bits: number): bigint {
  const value = readWord(reader, start);
  if (value >> BigInt(bits) !== 0n) throw undecodable(start, `more than ${bits} bits`);
  return value;
}

function readSigned(reader: Reader, start: number, bits: number): bigint {
  const value = BigInt.asIntN(256, readWord(reader, start));
  if (BigInt.asIntN(bits, value) !== value) throw undecodable(start, `more than ${bits} bits`);
  return value;
}

function readBytes(reader: Reader, start: number): Uint8Array {
  const length = readSize(reader, start);
  const from = start + 32;
  const end = from + length;
  const paddedEnd = from + 32 * Math.ceil(length / 32);
  requireWithin(reader, from, paddedEnd - from);
  requireZeros(reader, end, paddedEnd);
  reader.end = paddedEnd;
  return reader.data.subarray(from, end);
}

function readText(reader: Reader, start: number): string {
  const bytes = readBytes(reader, start);
  try {
    return decodeUtf8(bytes);
  } catch {
    throw undecodable(start, "a string that is not UTF-8");
  }
}

/** A length or an offset. */
function readSize(reader: Reader, start: number): number {
  requireWithin(reader, start, 32);
  requireZeros(reader, start, start + 28);
  return reader.view.getUint32(start + 28);
}

function readWord({ view }: Reader, start: number): bigint {
  const low = view.getBigUint64(start + 24);
  const a = view.getBigUint64(start);
  const b = view.getBigUint64(start + 8);
  const c = view.getBigUint64(start + 16);
  if (a === 0n && b === 0n && c === 0n) return low;
  return (a << 192n) | (b << 128n) | (c << 64n) | low;
}

function requireWithin({ data }: Reader, start: number, length: number): void {
  if (start + length > data.length) throw undecodable(start, "the data ends before its values");
}

function requireZeros({ data }: Reader, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    if (data[i] !== 0) throw undecodable(i, "expected a zero of padding");
  }
}

function typeAt(parameters: readonly AbiParameter[], index: number): AbiType {
  return (parameters[index] as AbiParameter).type; // callers stay within the length
}

function undecodable(position: number, reason: string): MalformedError {
  return new MalformedError(`data, byte ${position}: ${reason}`);
}

/** The arguments start after the selector. */
const ARGUMENTS = 4;
const MAX_VALUES = 10_000;
