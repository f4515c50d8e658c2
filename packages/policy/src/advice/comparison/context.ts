import { MAX_INT, MIN_INT } from "../../limits.ts";
import { bit, firstBits, leastOf } from "../../logic/bits.ts";
import type { Domains } from "../../logic/solve.ts";
import type { Step, Term } from "../../logic/terms.ts";
import { string, type Type } from "../../types.ts";
import { lowerCase, type Value } from "../../values.ts";
import { ACTIVITY, type KnownActivity } from "./activities.ts";
import { rootsIn, SITUATION } from "./roots.ts";

// The part of an example that conditions see, made from a solution.

export type Json = Record<string, unknown>;

/** The roots of a request with the values that a solution gives them. */
export function contextOf(
  solution: Domains,
  terms: readonly Term[],
  activities: readonly KnownActivity[] | undefined,
): Json {
  const roots = rootsIn(SITUATION.map((_, i) => leastOf(solution[i] ?? 0n)));
  const context: Json = {};
  for (const root of roots) place(context, root.split("."), root === "wallets" ? [] : {});
  const present = terms.filter((term) => term.roots.every((root) => roots.includes(root)));
  for (const term of present) {
    const { source } = term;
    const value = chosen(term, solution);
    if (source.kind === "path" && value !== undefined) {
      const isText = term.type.kind === "string";
      place(context, source.steps, isText ? textOf(value) : jsonOf(value));
    }
  }
  for (const { source } of present.filter((term) => isUnread(term, solution))) {
    const isOpaque = source.kind === "opaque" || source.kind === "votes";
    if (isOpaque || at(context, source.steps) !== undefined) continue;
    place(context, source.steps, { $unread: "a part that cannot be read" });
  }
  const activity = activities?.[leastOf(solution[ACTIVITY] ?? 0n)];
  for (const [field, text] of Object.entries(activity ?? {})) {
    place(context, ["activity", field], text);
  }
  placeSlices(context, present, solution);
  for (const term of present) {
    const { source } = term;
    const value = chosen(term, solution);
    if (source.kind !== "member" || value === undefined) continue;
    const list = listAt(context, source.steps);
    if (value === true && !list.includes(source.item)) list.push(jsonOf(source.item));
  }
  for (const term of present) {
    const { source } = term;
    const size = chosen(term, solution);
    if (source.kind !== "size" || typeof size !== "bigint" || size > MAX_SIZE) continue;
    const list = listAt(context, source.steps);
    while (list.length < Number(size)) list.push(elementOf(source.element, list.length + 1));
  }
  const reads = present.flatMap(({ source }) => (source.kind === "opaque" ? source.reads() : []));
  const always = ALWAYS.filter(({ root }) => roots.includes(root));
  for (const { steps, type } of [...always, ...reads]) {
    if (at(context, steps) === undefined) place(context, steps, emptyOf(type));
  }
  return context;
}

/** Ids that a reader would miss if no policy named them. */
const ALWAYS = [
  { root: "wallet", steps: ["wallet", "id"], type: string },
  { root: "wallet_account", steps: ["wallet_account", "address"], type: string },
  { root: "private_key", steps: ["private_key", "id"], type: string },
];

/** Longer lists are not written out. */
const MAX_SIZE = 1000n;

function chosen(term: Term, solution: Domains): Value | undefined {
  return term.values[leastOf(solution[term.variable] ?? 0n)];
}

/** Whether it has no value although it is not absent, and not because a list or text is short. */
function isUnread({ values, lacks, source, variable }: Term, solution: Domains): boolean {
  const chosenIndex = leastOf(solution[variable] ?? 0n);
  if (lacks[chosenIndex - values.length + lacks.length] !== "error") return false;
  const isShort = source.kind === "slice" || ("steps" in source && source.steps.some(isPosition));
  return !isShort;
}

function isPosition(step: Step): boolean {
  return typeof step === "number";
}

/** Writes the texts whose slices are compared, with the values that the slices must have. */
function placeSlices(context: Json, present: readonly Term[], solution: Domains) {
  const asked = present.filter((term) => {
    const isOpen = solution[term.variable] === firstBits(term.values.length);
    return term.source.kind === "slice" && !isOpen;
  });
  for (const { source } of asked) {
    if (source.kind !== "slice") continue;
    const written = writtenTexts(source.steps, present, solution);
    if (!written) continue;
    const letters: (string | undefined)[] = [];
    const isHex = source.steps.at(-1) === "data" || source.steps.at(-1) === "input";
    for (const term of asked) {
      const text = textOf(chosen(term, solution));
      const { source: other } = term;
      const isOther = other.kind !== "slice" || !isSame(other.steps, source.steps);
      if (isOther || text === undefined) continue;
      for (const [i, letter] of [...text].entries()) letters[other.from + i] = letter;
      letters.length = Math.max(letters.length, other.to);
    }
    const filled = Array.from(letters, (letter, i) => letter ?? (isHex && i === 1 ? "x" : "0"));
    // Data is hexadecimal, of whole bytes.
    const padding = isHex ? ["0", "0"] : ["0"];
    if (isHex && filled.length % 2 === 1) filled.push("0");
    while (written.has(lowerCase(filled.join("")))) filled.push(...padding);
    place(context, source.steps, filled.join(""));
  }
}

/** Texts that policies compare with the whole text; undefined if it has to be one of them. */
function writtenTexts(steps: readonly Step[], present: readonly Term[], solution: Domains) {
  const whole = present.find(({ source }) => {
    return source.kind === "path" && isSame(source.steps, steps);
  });
  if (!whole) return new Set<string>();
  const texts = whole.values.map(textOf).filter((text) => text !== undefined);
  // The last one represents all texts that are not written out.
  const other = texts.length - 1;
  if (((solution[whole.variable] ?? 0n) & bit(other)) === 0n) return undefined;
  return new Set(texts.slice(0, other).map(lowerCase));
}

function isSame(a: readonly Step[], b: readonly Step[]) {
  return a.length === b.length && a.every((step, i) => step === b[i]);
}

function jsonOf(value: Value): unknown {
  if (typeof value === "bigint") {
    if (Number.isSafeInteger(Number(value))) return Number(value);
    const isInt = value >= MIN_INT && value <= MAX_INT;
    return isInt ? { $int: String(value) } : { $uint: String(value) };
  }
  if (typeof value !== "object") return value;
  return value.kind === "folded" ? { $ci: value.text } : undefined;
}

function textOf(value: Value | undefined): string | undefined {
  if (typeof value === "object" && value.kind === "folded") return value.text;
  return typeof value === "string" ? value : undefined;
}

function emptyOf(type: Type): unknown {
  switch (type.kind) {
    case "bool":
      return false;
    case "int":
    case "uint":
      return 0;
    case "string":
      return "other";
    case "list":
      return [];
    case "struct": {
      const fields = Object.entries(type.fields).filter(([, field]) => {
        return field.kind !== "struct" && field.kind !== "map" && field.kind !== "dynamic";
      });
      return Object.fromEntries(fields.map(([name, field]) => [name, emptyOf(field)]));
    }
    default:
      return undefined;
  }
}

/** Elements that only fill a list differ from each other. */
function elementOf(type: Type, number: number): unknown {
  if (type.kind === "dynamic" || type.kind === "string") return `other${number}`;
  return emptyOf(type);
}

function listAt(context: Json, steps: readonly Step[]): unknown[] {
  const known = at(context, steps);
  if (Array.isArray(known)) return known;
  const list: unknown[] = [];
  place(context, steps, list);
  return list;
}

function at(context: Json, steps: readonly Step[]): unknown {
  let inner: unknown = context;
  for (const step of steps) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, step)) {
      return undefined;
    }
    // An own property, so no prototype is read.
    inner = (inner as Json)[step];
  }
  return inner;
}

/** Sets a value, with the objects and lists on the way to it. */
function place(context: Json, steps: readonly Step[], value: unknown) {
  let around: Json | unknown[] = context;
  for (const [i, step] of steps.entries()) {
    const next = steps[i + 1];
    const known = at(around as Json, [step]);
    const isContainer = typeof known === "object" && known !== null;
    if (next !== undefined && isContainer) {
      around = known as Json | unknown[];
      continue;
    }
    const inner = next === undefined ? value : typeof next === "number" ? [] : {};
    if (Array.isArray(around)) {
      while (around.length < Number(step)) around.push(fillerLike(inner));
    }
    // Policies choose the keys of maps, so `__proto__` must become a key like any other.
    const property = { value: inner, enumerable: true, writable: true, configurable: true };
    Object.defineProperty(around, step, property);
    around = inner as Json | unknown[];
  }
}

function fillerLike(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === "string") return "other";
  if (typeof value === "number") return 0;
  return typeof value === "boolean" ? false : {};
}
