import type { Span } from "./ast.ts";

/** What an expression works on. Integers are exact; objects are tagged, never JavaScript's own. */
export type Value = boolean | bigint | string | Folded | Instant | Unusable | List | Fields;

/** Text that compares without regard to the case of A to Z. */
export type Folded = {
  readonly kind: "folded";
  readonly text: string;
  readonly lower: string;
};

export type Instant = { readonly kind: "instant"; readonly nanoseconds: bigint };

/** A value that exists but fits no type of the language; reading it is an error. */
export type Unusable = { readonly kind: "unusable"; readonly reason: string };

export type List = { readonly kind: "list"; readonly items: readonly Value[] };

/** Invariant: `entries` has no prototype, so only names that were put there are found. */
export type Fields = {
  readonly kind: "struct" | "map";
  readonly entries: Readonly<Record<string, Value | undefined>>;
};

/** Why an evaluation has no value, and the part of the expression it happened in. */
export type Failure = Span & {
  readonly kind: "failure";
  readonly reason: string;
  /** What was to be read is not part of this kind of request. */
  readonly absent?: Absence;
};

export type Absence = "root" | "field";

export function isFailure(value: Value | Failure): value is Failure {
  return typeof value === "object" && value.kind === "failure";
}

export function folded(text: string): Folded {
  return { kind: "folded", text, lower: lowerCase(text) };
}

/** Lower case of A to Z only: the same in every engine, and the length never changes. */
export function lowerCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Unit by unit: a call for each run of capitals takes longer.
  let lower = "";
  for (let start = 0; start < text.length; start += CHUNK) {
    const units: number[] = [];
    for (let i = start; i < Math.min(start + CHUNK, text.length); i++) {
      const unit = text.charCodeAt(i);
      units.push(unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit);
    }
    lower += String.fromCharCode(...units);
  }
  return lower;
}

/** A call takes only so many arguments. */
const CHUNK = 4096;

/** Whether the lower case of the text is made at once. */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** The integer that the text writes in decimal digits, in the one way there is. */
export function digitsOf(text: string): bigint | undefined {
  return /^(0|-?[1-9][0-9]{0,77})$/.test(text) ? BigInt(text) : undefined;
}

export type Entries = Record<string, Value | undefined>;

/**
 * An object that inherits nothing. `Object.create(null)` would make one that V8 keeps as a hash table,
 * which takes longer to fill and to read.
 */
export function noEntries(): Entries {
  return new Empty() as Entries;
}

class Empty {}
Object.setPrototypeOf(Empty.prototype, null);
// Otherwise each object would inherit this one name.
Reflect.deleteProperty(Empty.prototype, "constructor");

/** The value as an author would write it, cut to about `limit` characters. */
export function show(value: Value, limit = 120): string {
  const text = write(value, limit);
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

function write(value: Value, limit: number): string {
  if (typeof value === "string") return `'${value.slice(0, limit)}'`;
  if (typeof value !== "object") return String(value);
  switch (value.kind) {
    case "folded":
      return `'${value.text.slice(0, limit)}'`;
    case "instant":
      return writeInstant(value.nanoseconds);
    case "unusable":
      return `(${value.reason})`;
    case "list":
      return `[${writeSome(value.items, limit, (item, rest) => write(item, rest))}]`;
    case "struct":
    case "map": {
      const entries = Object.entries(value.entries);
      return `{ ${writeSome(entries, limit, ([name, entry], rest) => `${name}: ${entry === undefined ? "" : write(entry, rest)}`)} }`;
    }
  }
}

function writeSome<T>(items: readonly T[], limit: number, one: (item: T, rest: number) => string) {
  let text = "";
  for (const item of items) {
    if (text.length > limit) break;
    text += `${text === "" ? "" : ", "}${one(item, limit - text.length)}`;
  }
  return text;
}

function writeInstant(nanoseconds: bigint) {
  const second = 1_000_000_000n;
  const fraction = ((nanoseconds % second) + second) % second;
  const ms = Number((nanoseconds - fraction) / 1_000_000n);
  const digits = fraction.toString().padStart(9, "0").replace(/0+$/, "");
  return new Date(ms).toISOString().replace(/\.000Z$/, digits === "" ? "Z" : `.${digits}Z`);
}
