import { keccak256 } from "#primitives";
import { encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import {
  type ElementaryType,
  hintForType,
  parseElementaryType,
  splitArrayType,
} from "./abi-types.ts";
import { anyObject, arrayOf, type JsonObject, parseJson, textOf } from "./json-members.ts";
import { MalformedError, quoted } from "./malformed.ts";

// Contract interfaces in the JSON that compilers write (Solidity's contract ABI specification).

/** Functions by selector: `0x` and 8 lower-case hex digits. */
export type ContractAbi = { readonly functions: ReadonlyMap<string, AbiFunction> };

/** `signature` is the text that the selector is a hash of, such as `transfer(address,uint256)`. */
export type AbiFunction = {
  readonly name: string;
  readonly signature: string;
  readonly selector: string;
  readonly inputs: readonly AbiParameter[];
};

export type AbiParameter = { readonly name: string; readonly type: AbiType };

/**
 * `name` is the type as it appears in a signature, with tuples written out. `words` is the size of
 * a value's slot in words of 32 bytes. The slot of a dynamic value holds only the offset of the
 * value.
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

export const MAX_ABI_LENGTH = 400_000;
/** Each is hashed for its selector: 13,000 fit into the text and took 210 ms. */
export const MAX_FUNCTIONS = 1000;
/** With components of tuples, each `[]` of a type and those of events: 96,000 fit into the text and took 130 ms. */
export const MAX_PARAMETERS = 5000;

/**
 * Parses the functions of a JSON ABI. Throws a `MalformedError` that names the place, also if an
 * input has no `name` (it may be empty), a type is unknown, or two functions have the same
 * selector. Ignores members that are not needed, such as `internalType`.
 */
export function parseContractAbi(json: string): ContractAbi {
  const subject = "provided ABI is invalid: the text";
  const parsed = parseJson(json, { subject, maxLength: MAX_ABI_LENGTH, maxDepth: 64 });
  const functions = new Map<string, AbiFunction>();
  let [count, parameters] = [0, 0];
  for (const [i, item] of arrayOf(parsed, "provided ABI is invalid").entries()) {
    const place = `provided ABI is invalid: entry ${i}`;
    const entry = anyObject(item, place);
    parameters += countParameters(entry.inputs) + countParameters(entry.outputs);
    if (parameters > MAX_PARAMETERS) {
      const counted = `more than ${MAX_PARAMETERS} inputs, outputs and components, with each \`[]\` counted too`;
      throw refused(
        "provided ABI is invalid",
        `${counted}: leave out functions that no policy reads`,
      );
    }
    const parsedFunction = parseEntry(entry, place);
    if (parsedFunction === null) continue;
    if (++count > MAX_FUNCTIONS) {
      throw refused("provided ABI is invalid", `more than ${MAX_FUNCTIONS} functions`);
    }
    const other = functions.get(parsedFunction.selector);
    // Merged interfaces repeat functions. If two with the same selector differed, it would not be
    // clear which one names the arguments.
    if (other !== undefined && !isRepetition(other, parsedFunction)) {
      throw refused(
        place,
        `${quoted(parsedFunction.signature)} has the same selector ${other.selector} as ${quoted(other.signature)} above it; keep one of them`,
      );
    }
    if (other === undefined) functions.set(parsedFunction.selector, parsedFunction);
  }
  return { functions };
}

function countParameters(given: unknown): number {
  if (!Array.isArray(given)) return 0;
  const levels = (type: unknown) => (typeof type === "string" ? type.split("[").length : 1);
  return given.reduce(
    (sum, each) => sum + levels(each?.type) + countParameters(each?.components),
    0,
  );
}

/** The function of an entry. Null for constructors, events and errors, which are checked too. */
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
  if (entry.outputs !== undefined) checkOutputs(entry.outputs, `${place} (${name}), outputs`);
  assertDistinctNames(inputs, `${place} (${name}), inputs`);
  const signature = `${name}${tupleName(inputs)}`;
  return { name, signature, selector: selectorOf(keccak256(encodeUtf8(signature))), inputs };
}

/** Outputs may have no names: nothing reads them, and some libraries export them like that. */
function checkOutputs(value: unknown, place: string): void {
  for (const [i, item] of arrayOf(value, place).entries()) {
    parseParameter({ name: "", ...anyObject(item, `${place} ${i}`) }, `${place} ${i}`, 0);
  }
}

function parseName(entry: JsonObject, place: string): string {
  const name = textOf(entry.name, `${place}, name`);
  if (!IDENTIFIER.test(name))
    throw refused(`${place}, name`, `${quoted(name)} is not an identifier`);
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
    throw refused(
      `${place}, name`,
      `has ${name.length} characters; at most ${MAX_NAME_LENGTH} are allowed`,
    );
  }
  return { name, type: parseType(parameter, `${place} (${quoted(name)})`, depth) };
}

function parseType(parameter: JsonObject, place: string, depth: number): AbiType {
  const name = textOf(parameter.type, `${place}, type`);
  const split = splitArrayType(name);
  if (split === undefined) throw unknownType(name, place);
  const elementDepth = depth + split.lengths.length;
  if (elementDepth > MAX_TYPE_DEPTH) {
    throw refused(place, `arrays and tuples are nested more than ${MAX_TYPE_DEPTH} levels deep`);
  }
  let type = parseElement(split.element, parameter, place, elementDepth);
  for (const length of split.lengths) type = arrayType(type, length, place);
  return type;
}

function parseElement(name: string, parameter: JsonObject, place: string, depth: number): AbiType {
  if (name === "tuple") {
    const components = parseParameters(parameter.components, `${place}, components`, depth + 1);
    // Solidity has no empty structs, and a list of values without bytes could be endless.
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

/** Policies read arguments by name, so two must not share one. Those without a name cannot be read. */
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

/** The first four bytes, in the form of the keys of `functions`. */
export function selectorOf(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes.subarray(0, 4))}`;
}

function unknownType(name: string, place: string): MalformedError {
  return refused(place, `unknown type ${quoted(name)}${hintForType(name)}`);
}

function refused(place: string, reason: string): MalformedError {
  return new MalformedError(`${place}: ${reason}`);
}

const MAX_TYPE_DEPTH = 16;
const MAX_NAME_LENGTH = 256;
/** 32 MB of data. */
const MAX_STATIC_WORDS = 1_000_000;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,255}$/;
const FUNCTION_REFERENCE: ElementaryType = { kind: "bytes", name: "function", length: 24 };
