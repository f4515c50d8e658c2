import { keccak256 } from "#primitives";
import { decodeUtf8, encodeHex, encodeUtf8 } from "../encoding.ts";
import {
  type ElementaryType,
  hintForType,
  parseElementaryType,
  splitArrayType,
} from "./abi-types.ts";
import { anyObject, arrayOf, type JsonObject, parseJson, textOf } from "./ethereum-json.ts";
import { MalformedError, quoted } from "./malformed.ts";

// Interfaces of contracts and the calls made through them (Solidity's contract ABI specification).

/** Functions by selector: `0x` and 8 lower-case hex digits. */
export type ContractAbi = { readonly functions: ReadonlyMap<string, AbiFunction> };

/** `signature` is what the selector is the hash of, such as `transfer(address,uint256)`. */
export type AbiFunction = {
  readonly name: string;
  readonly signature: string;
  readonly selector: string;
  readonly inputs: readonly AbiParameter[];
};

export type AbiParameter = { readonly name: string; readonly type: AbiType };

/**
 * `name` is the type in a signature, a tuple written out. `words` of 32 bytes are what a value
 * takes in its place; a dynamic one has only its offset there and follows behind.
 */
export type AbiType = {
  readonly name: string;
  readonly words: number;
  readonly isDynamic: boolean;
} & (
  | { readonly kind: "elementary"; readonly elementary: ElementaryType }
  | { readonly kind: "array"; readonly element: AbiType; readonly length: number | null }
  | { readonly kind: "tuple"; readonly components: readonly AbiParameter[] }
);

/** `type` is the declared type in full; a `function` is the bytes24 that it is encoded as. */
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

/** `suffix` are the bytes behind the arguments. */
export type DecodedCall = {
  readonly kind: "decoded";
  readonly functionName: string;
  readonly selector: string;
  readonly arguments: readonly { readonly name: string; readonly value: AbiValue }[];
  readonly suffix: Uint8Array;
};

/** A call of a known function whose arguments are not encoded as they should be. */
export type UndecodableCall = {
  readonly kind: "undecodable";
  readonly functionName: string;
  readonly selector: string;
  readonly reason: string;
};

export const MAX_ABI_LENGTH = 400_000;

/**
 * The functions of a JSON ABI. Throws `MalformedError` saying where, also when a parameter has no
 * `name` (which may be empty), a type is unknown, or two functions have the same selector. Members
 * without a meaning here, such as `internalType`, are let be.
 */
export function parseContractAbi(json: string): ContractAbi {
  const subject = "provided ABI is invalid: the text";
  const parsed = parseJson(json, { subject, maxLength: MAX_ABI_LENGTH, maxDepth: 64 });
  const functions = new Map<string, AbiFunction>();
  for (const [i, item] of arrayOf(parsed, "provided ABI is invalid").entries()) {
    const place = `provided ABI is invalid: entry ${i}`;
    const parsedFunction = parseEntry(anyObject(item, place), place);
    if (parsedFunction === null) continue;
    const other = functions.get(parsedFunction.selector);
    // Merged interfaces repeat functions. Anything but a repetition would leave open which one
    // names the arguments.
    if (other !== undefined && !isRepetition(other, parsedFunction)) {
      throw refused(
        place,
        `${quoted(parsedFunction.signature)} has the selector ${other.selector} of ${quoted(other.signature)} above it; keep one of them`,
      );
    }
    if (other === undefined) functions.set(parsedFunction.selector, parsedFunction);
  }
  return { functions };
}

/**
 * The call that `data` of a transaction makes, or null when the interface has no function of its
 * selector.
 *
 * Arguments are read in the one encoding that compilers write: padding as specified, and each
 * dynamic value right behind the one before it. Contracts follow offsets wherever they point; an
 * encoding that uses this can hide values from other readers and repeat one a thousandfold, and no
 * common library makes it. Bytes behind the arguments are kept apart: contracts ignore them, and
 * wallets append marks of attribution.
 */
export function decodeCall(
  abi: ContractAbi,
  data: Uint8Array,
): DecodedCall | UndecodableCall | null {
  if (data.length < 4) return null;
  const selector = selectorText(data);
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

/** The function an entry describes; null for constructors, events and errors, which are checked too. */
function parseEntry(entry: JsonObject, place: string): AbiFunction | null {
  const { type = "function" } = entry;
  switch (type) {
    case "function":
      return parseFunction(entry, place);
    case "event":
    case "error":
      parseName(entry, place);
      parseParameters(entry.inputs, `${place}, inputs`, 0);
      return null;
    case "constructor":
      parseParameters(entry.inputs, `${place}, inputs`, 0);
      return null;
    case "fallback":
    case "receive":
      return null;
    default:
      throw refused(
        place,
        `type ${typeof type === "string" ? quoted(type) : "of another kind"} is not one of function, constructor, event, error, fallback, receive`,
      );
  }
}

function parseFunction(entry: JsonObject, place: string): AbiFunction {
  const name = parseName(entry, place);
  const inputs = parseParameters(entry.inputs, `${place} (${name}), inputs`, 0);
  if (entry.outputs !== undefined) {
    parseParameters(entry.outputs, `${place} (${name}), outputs`, 0);
  }
  assertDistinctNames(inputs, `${place} (${name}), inputs`);
  const signature = `${name}${tupleName(inputs)}`;
  return { name, signature, selector: selectorText(keccak256(encodeUtf8(signature))), inputs };
}

function parseName(entry: JsonObject, place: string): string {
  const name = textOf(entry.name, `${place}, name`);
  if (!IDENTIFIER.test(name)) throw refused(`${place}, name`, `${quoted(name)} is no identifier`);
  return name;
}

function parseParameters(value: unknown, place: string, depth: number): AbiParameter[] {
  return arrayOf(value, place).map((item, i) => parseParameter(item, `${place} ${i}`, depth));
}

function parseParameter(value: unknown, place: string, depth: number): AbiParameter {
  const parameter = anyObject(value, place);
  if (!Object.hasOwn(parameter, "name")) {
    throw refused(place, "member `name` is missing; it may be the empty string");
  }
  const name = textOf(parameter.name, `${place}, name`);
  if (name.length > MAX_NAME_LENGTH) {
    throw refused(`${place}, name`, `${name.length} characters, of at most ${MAX_NAME_LENGTH}`);
  }
  return { name, type: parseType(parameter, `${place} (${quoted(name)})`, depth) };
}

function parseType(parameter: JsonObject, place: string, depth: number): AbiType {
  const name = textOf(parameter.type, `${place}, type`);
  const split = splitArrayType(name);
  if (split === undefined) throw unknownType(name, place);
  const elementDepth = depth + split.lengths.length;
  if (elementDepth > MAX_TYPE_DEPTH) {
    throw refused(place, `more than ${MAX_TYPE_DEPTH} arrays and tuples within each other`);
  }
  let type = parseElement(split.element, parameter, place, elementDepth);
  for (const length of split.lengths) type = arrayType(type, length, place);
  return type;
}

function parseElement(name: string, parameter: JsonObject, place: string, depth: number): AbiType {
  if (name === "tuple") {
    const components = parseParameters(parameter.components, `${place}, components`, depth + 1);
    // Solidity has no empty struct; a list of values without bytes would have no end.
    if (components.length === 0) throw refused(`${place}, components`, "must not be empty");
    return tupleType(components, place);
  }
  const elementary = name === "function" ? FUNCTION_REFERENCE : parseElementaryType(name);
  if (elementary === undefined) throw unknownType(name, place);
  const isDynamic =
    elementary.kind === "string" || (elementary.kind === "bytes" && elementary.length === null);
  return { kind: "elementary", elementary, name, words: 1, isDynamic };
}

function arrayType(element: AbiType, length: number | null, place: string): AbiType {
  const isDynamic = length === null || element.isDynamic;
  const words = isDynamic ? 1 : (length ?? 0) * element.words;
  const name = `${element.name}[${length ?? ""}]`;
  return { kind: "array", element, length, name, words: bounded(words, place), isDynamic };
}

function tupleType(components: readonly AbiParameter[], place: string): AbiType {
  const isDynamic = components.some(({ type }) => type.isDynamic);
  const words = isDynamic ? 1 : components.reduce((sum, { type }) => sum + type.words, 0);
  return {
    kind: "tuple",
    components,
    name: tupleName(components),
    words: bounded(words, place),
    isDynamic,
  };
}

function tupleName(components: readonly AbiParameter[]): string {
  return `(${components.map(({ type }) => type.name).join(",")})`;
}

function bounded(words: number, place: string): number {
  if (words > MAX_STATIC_WORDS) throw refused(place, "is larger than any call");
  return words;
}

/** A policy reads arguments by name. Those without a name it cannot read. */
function assertDistinctNames(inputs: readonly AbiParameter[], place: string): void {
  const names = new Set<string>();
  for (const { name } of inputs) {
    if (name !== "" && names.has(name)) throw refused(place, `two are named ${quoted(name)}`);
    names.add(name);
  }
}

function isRepetition(a: AbiFunction, b: AbiFunction): boolean {
  return a.signature === b.signature && namesOf(a.inputs) === namesOf(b.inputs);
}

function namesOf(parameters: readonly AbiParameter[]): string {
  return JSON.stringify(parameters.map(({ name }) => name));
}

type Reader = {
  readonly data: Uint8Array;
  readonly view: DataView;
  /** Where the dynamic value or sequence that was read last ends. */
  end: number;
  valuesLeft: number;
};

function readerOf(data: Uint8Array): Reader {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { data, view, end: 0, valuesLeft: MAX_VALUES };
}

/**
 * Reads values whose places follow each other from `start`, offsets counting from there.
 * Invariant: all their places are within the data.
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
    // Leaves before an array of any length is walked through.
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

/** Reads a value: a static one in its place, a dynamic one where its offset points. */
function readValue(reader: Reader, type: AbiType, start: number): AbiValue {
  if (--reader.valuesLeft < 0) throw undecodable(start, `more than ${MAX_VALUES} values`);
  switch (type.kind) {
    case "elementary":
      return readElementary(reader, type.elementary, start);
    case "array": {
      const count = type.length ?? readCount(reader, type.element, start);
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

/** The number of elements of an array, each of which has at least one word behind it. */
function readCount(reader: Reader, element: AbiType, start: number): number {
  const count = readSize(reader, start);
  requireWithin(reader, start + 32, 32 * count * element.words);
  return count;
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

function selectorText(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes.subarray(0, 4))}`;
}

function unknownType(name: string, place: string): MalformedError {
  return refused(place, `unknown type ${quoted(name)}${hintForType(name)}`);
}

function undecodable(position: number, reason: string): MalformedError {
  return new MalformedError(`data, byte ${position}: ${reason}`);
}

function refused(place: string, reason: string): MalformedError {
  return new MalformedError(`${place}: ${reason}`);
}

/** Behind the selector. */
const ARGUMENTS = 4;
const MAX_VALUES = 10_000;
const MAX_TYPE_DEPTH = 16;
const MAX_NAME_LENGTH = 256;
/** 32 MB of data. */
const MAX_STATIC_WORDS = 1_000_000;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,255}$/;
const FUNCTION_REFERENCE: ElementaryType = { kind: "bytes", name: "function", length: 24 };
