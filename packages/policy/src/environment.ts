import { kindOf } from "./kind-of.ts";
import { MAX_DEPTH, MAX_UINT, MIN_VALUE } from "./limits.ts";
import { ACTIVITY_PARAMS, clauseOf, ROOTS } from "./schema.ts";
import { parseTimestamp } from "./time.ts";
import { nameOf, paramObject, type StructType, type Type } from "./types.ts";
import {
  type Entries,
  type Fields,
  type Folded,
  folded,
  type Instant,
  noEntries,
  type Unusable,
  type Value,
} from "./values.ts";

/**
 * A request as policies see it. Made once and read by every expression, so that a value that one of
 * them found on a path is found at once by the next.
 */
export type Environment = Fields & {
  readonly entries: Entries;
  readonly found?: Map<string, Value>;
  /** The request as the caller gave it. The entries are the roots converted so far. */
  readonly inputs?: Inputs;
};

type Inputs = { readonly [root: string]: Input };

const marked = Symbol("policy input");

type Marked = { readonly [marked]: Folded | Unusable };

/**
 * A value as the caller has it. Undefined and null mean that it is not set. A function is called when
 * an expression reads the value, and perhaps again when another one does.
 */
export type Input =
  | boolean
  | bigint
  | number
  | string
  | null
  | undefined
  | Marked
  | (() => Input)
  | readonly Input[]
  | { readonly [name: string]: Input };

/**
 * Turns the roots of a request into the values that expressions read: gives each value its declared
 * type, marks the texts that compare without regard to case, and fills the structs that have
 * defaults. Throws a TypeError if a value does not have the type of its field, which is a mistake
 * of the caller and never of a user.
 */
export function makeEnvironment(roots: Inputs): Environment {
  const environment = lazyEnvironment(roots);
  for (const name of Object.keys(roots)) {
    if (typeof roots[name] !== "function") rootNamed(environment, name);
  }
  return environment;
}

/**
 * Like `makeEnvironment`, but converts only what an expression reads. The evaluation then throws the
 * TypeError.
 */
export function lazyEnvironment(inputs: Inputs): Environment {
  for (const name of Object.keys(inputs)) {
    if (!rootType(name)) throw new TypeError(`there is no root ${name}`);
  }
  return { kind: "struct", entries: noEntries(), found: new Map(), inputs };
}

/** A root of the request, or undefined if it has none of this name. */
export function rootNamed({ entries, inputs }: Environment, name: string): Value | undefined {
  const known = entries[name];
  if (known !== undefined || !inputs || !Object.hasOwn(inputs, name)) return known;
  const type = rootType(name);
  const value = type && convert(inputs[name], type, name, 0);
  if (value !== undefined) entries[name] = value;
  return value;
}

/** A path such as `eth.tx.to` or `eth.tx.contract_call_args['to']`. */
export type Path = {
  readonly text: string;
  readonly root: string;
  readonly steps: readonly Step[];
};

export type Step = { readonly kind: "struct" | "map"; readonly name: string };

/**
 * The value at the end of a path, converted without what is beside it. Undefined if something on the
 * path is unusual: evaluating the parts of the path one by one then says what.
 */
export function valueAt(environment: Environment, path: Path): Value | undefined {
  const { entries, inputs } = environment;
  const { root, steps } = path;
  const input = inputs && Object.hasOwn(inputs, root) ? inputs[root] : undefined;
  // The parameters of an activity have the types of its kind, and a function is called once.
  if (root !== "activity" && entries[root] === undefined && isObject(input)) {
    return convertAt(path, input);
  }
  let value = rootNamed(environment, root);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step; // within the bounds
    if (typeof value !== "object" || value.kind !== step.kind) return undefined;
    value = value.entries[step.name];
  }
  return value;
}

function convertAt({ text, root, steps }: Path, input: Input): Value | undefined {
  let type = rootType(root);
  let current = input;
  for (let i = 0; i < steps.length; i++) {
    const { kind, name } = steps[i] as Step; // within the bounds
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    type = type && memberType(type, kind, name);
    if (!type || i > MAX_DEPTH) return undefined;
    current = (current as { readonly [name: string]: Input })[name];
  }
  // A list or an object is converted once with its root, not again for each path into it.
  if (isList(current) || isObject(current)) return undefined;
  return type && convert(current, type, text, steps.length);
}

/** The type of what a step leads to, or undefined if it does not lead into a value of this type. */
function memberType(type: Type, kind: Step["kind"], name: string): Type | undefined {
  if (type.kind === "dynamic" && kind === (type.objects === "maps" ? "map" : "struct")) return type;
  if (type.kind === "map" && kind === "map") return type.value;
  if (type.kind !== "struct" || kind !== "struct") return undefined;
  return Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
}

/** Text of a contract type that compares without regard to case: address, bytes or bytesN. */
export function caseInsensitive(text: string): Input {
  return { [marked]: folded(text) };
}

/**
 * A part of a request that has no value for policies, though others may read one. An ALLOW that
 * reads it errs, and a DENY that depends on it denies.
 */
export function unread(reason: string): Input {
  return { [marked]: unusable(reason) };
}

/**
 * Reads an input from JSON, where `{"$int": "1"}` and `{"$uint": "1"}` carry large integers,
 * `{"$ci": "0xAb"}` text that compares without regard to case, and `{"$unread": "why"}` a part that
 * cannot be read. Use it for cases in files, not for requests: the author of the JSON chooses the
 * marks.
 */
export function inputFromJson(json: unknown): Input {
  if (Array.isArray(json)) return json.map(inputFromJson);
  if (typeof json === "object" && json !== null) {
    const [[key, value] = [], ...more] = Object.entries(json);
    if (more.length === 0 && typeof value === "string") {
      if (key === "$int" || key === "$uint") return digits(value);
      if (key === "$ci") return caseInsensitive(value);
      if (key === "$unread") return unread(value);
    }
    const fields: Record<string, Input> = Object.create(null);
    for (const [name, inner] of Object.entries(json)) fields[name] = inputFromJson(inner);
    return fields;
  }
  if (typeof json === "boolean" || typeof json === "number" || typeof json === "string") {
    return json;
  }
  return undefined;
}

function digits(text: string): bigint {
  if (!/^-?[0-9]{1,100}$/.test(text)) throw new TypeError("$int and $uint take decimal digits");
  return BigInt(text);
}

function rootType(name: string): Type | undefined {
  const clause = clauseOf(name);
  return clause && ROOTS[clause][name];
}

/** Undefined means not set. */
function convert(input: Input, type: Type, path: string, depth: number): Value | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === "function") return convert(input(), type, path, depth);
  if (type.kind === "dynamic") return convertDynamic(input, type, depth);
  if (isMarked(input)) {
    const value = input[marked];
    if (value.kind === "unusable" || type.kind === "string") return value;
    throw wrongType(path, type);
  }
  switch (type.kind) {
    case "bool":
      if (typeof input === "boolean") return input;
      break;
    case "int":
    case "uint":
      if (typeof input === "bigint" || Number.isSafeInteger(input)) return integer(input);
      break;
    case "string":
      if (typeof input === "string") return isFolded(input, type) ? folded(input) : input;
      break;
    case "timestamp":
      if (typeof input === "string") return instant(input, path);
      break;
    case "list":
      if (isList(input)) {
        const items = input.map((item, i) => {
          const value = convert(item, type.element, `${path}[${i}]`, depth + 1);
          if (value === undefined) throw wrongType(`${path}[${i}]`, type.element);
          return value;
        });
        return { kind: "list", items };
      }
      break;
    case "map":
      if (isObject(input)) {
        const entries = noEntries();
        for (const key of Object.keys(input)) {
          entries[key] = convert(input[key], type.value, `${path}['${key}']`, depth + 1);
        }
        return { kind: "map", entries };
      }
      break;
    case "struct":
      if (isObject(input)) return convertStruct(input, type, path, depth);
      break;
  }
  throw wrongType(path, type);
}

function convertStruct(
  input: { readonly [name: string]: Input },
  type: StructType,
  path: string,
  depth: number,
): Fields {
  const entries = noEntries();
  for (const name of Object.keys(input)) {
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    if (!field) throw new TypeError(`there is no field ${path}.${name}`);
    if (path === "activity" && name === "params") entries[name] = convertParams(input, depth);
    else entries[name] = convert(input[name], field, `${path}.${name}`, depth + 1);
  }
  if (type.filled) {
    for (const [name, field] of Object.entries(type.fields)) entries[name] ??= emptyValue(field);
  }
  return { kind: "struct", entries };
}

/** Whether the text compares without regard to case. */
function isFolded(text: string, type: { anyCase?: boolean; addresses?: boolean }): boolean {
  return type.anyCase === true || (type.addresses === true && ADDRESS.test(text));
}

/** Parameters of known fields have their types; all others are exposed as they are. */
function convertParams(activity: { readonly [name: string]: Input }, depth: number) {
  const { params, kind, type } = activity;
  if (params === undefined || params === null) return undefined;
  if (!isObject(params)) throw new TypeError("activity.params is not an object");
  const name = typeof kind === "string" ? kind : typeof type === "string" ? kindOf(type) : "";
  const known = Object.hasOwn(ACTIVITY_PARAMS, name) ? ACTIVITY_PARAMS[name] : undefined;
  const entries = noEntries();
  for (const [field, item] of Object.entries(params)) {
    const declared = known && Object.hasOwn(known, field) ? known[field] : undefined;
    const path = `activity.params.${field}`;
    entries[field] = convert(item, declared?.type ?? paramObject, path, depth + 1);
  }
  if (LOGINS.has(name)) entries.session_profile_id ??= "";
  // The client chooses what to leave out, so only other fields are absent.
  for (const field of Object.keys(known ?? {})) {
    entries[field] ??= unusable(LEFT_OUT);
  }
  return { kind: "struct", entries } satisfies Value;
}

export const LEFT_OUT = "a parameter that the request leaves out";

/** Activities whose session profile reads as '' when there is none. */
const LOGINS = new Set(["OTP_LOGIN", "STAMP_LOGIN", "OAUTH_LOGIN"]);

function convertDynamic(
  input: Input,
  type: Type & { kind: "dynamic" },
  depth: number,
): Value | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === "function") return convertDynamic(input(), type, depth);
  if (isMarked(input)) return input[marked];
  if (depth > MAX_DEPTH) return unusable(`a value nested deeper than ${MAX_DEPTH} levels`);
  if (typeof input === "boolean") return input;
  if (typeof input === "bigint" || typeof input === "number") return integer(input);
  if (typeof input === "string") {
    return isFolded(input, type) ? folded(input) : input;
  }
  if (isList(input)) {
    const items = input.map(
      (item) => convertDynamic(item, type, depth + 1) ?? unusable("a value that is not set"),
    );
    return { kind: "list", items };
  }
  const entries = noEntries();
  for (const [name, item] of Object.entries(input)) {
    entries[name] = convertDynamic(item, type, depth + 1);
  }
  return { kind: type.objects === "maps" ? "map" : "struct", entries };
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function integer(input: unknown): bigint | Unusable {
  const isExact = typeof input === "bigint" || Number.isSafeInteger(input);
  // Both kinds that pass are exact, so the conversion is exact too.
  const value = isExact ? BigInt(input as bigint | number) : undefined;
  if (value === undefined) return unusable("a number that is not an exact integer");
  if (value < MIN_VALUE || value > MAX_UINT) return unusable("an integer that is too large");
  return value;
}

function instant(text: string, path: string): Instant {
  const nanoseconds = parseTimestamp(text);
  if (typeof nanoseconds !== "bigint") throw new TypeError(`${path} is not a date and time in UTC`);
  return { kind: "instant", nanoseconds };
}

function emptyValue(type: Type): Value | undefined {
  switch (type.kind) {
    case "bool":
      return false;
    case "int":
    case "uint":
      return 0n;
    case "string":
      return "";
    case "list":
      return { kind: "list", items: [] };
    case "struct":
      return convertStruct({}, type, type.name, 0);
    default:
      return undefined;
  }
}

function unusable(reason: string) {
  return { kind: "unusable", reason } satisfies Unusable;
}

function isMarked(input: Input): input is Marked {
  return typeof input === "object" && input !== null && marked in input;
}

function isList(input: Input): input is readonly Input[] {
  return Array.isArray(input);
}

function isObject(input: Input): input is { readonly [name: string]: Input } {
  return typeof input === "object" && input !== null && !isList(input) && !isMarked(input);
}

function wrongType(path: string, type: Type) {
  return new TypeError(`${path} is not ${nameOf(type)}`);
}
