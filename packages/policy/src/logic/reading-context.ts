import { childrenOf, type Expression } from "../ast.ts";
import { missableFields } from "../chains/facts.ts";
import type { Checked } from "../check.ts";
import { evaluateDenial, evaluateValue, prepare, type Work } from "../evaluate.ts";
import { bool, dynamic, type Type } from "../types.ts";
import { isFailure, noEntries, type Value } from "../values.ts";
import { keyOf } from "./keys.ts";
import type { Atom, Leaf, Read, Statement, Step, Term } from "./terms.ts";
import type { Reader } from "./translate.ts";
import { isClosed, isFilter, listCounted, type Quantifier } from "./tree.ts";

// The context in which a part of a clause is read, and what the part means there.

/** The work left. Once it is used up, nothing more is claimed. */
export type Allowance = { steps: number };

/** All terms and statements that the clauses read so far are about. */
export type Vocabulary = {
  readonly terms: Map<string, Term>;
  readonly atoms: Map<string, Atom>;
  /** Variables below it do not belong to terms. */
  readonly firstVariable: number;
  /** The work left for reading. Once it is used up, the items of written-out lists are not read. */
  readonly budget: Allowance;
  /** Short names for lists whose elements are bound, by the long ones. */
  readonly names: Map<string, string>;
  /** Whether the list holds votes that are counted one by one. */
  readonly isOfVotes: (list: Checked) => boolean;
  /** Whether the formula can hold. If that is not known, the answer is yes. */
  readonly isSatisfiable: (formula: Statement) => boolean;
};

export function newVocabulary({
  firstVariable = 0,
  isOfVotes = () => false,
  isSatisfiable = () => true,
  budget = { steps: Number.POSITIVE_INFINITY },
}: Partial<Omit<Vocabulary, "terms" | "atoms" | "names">>): Vocabulary {
  const [terms, atoms, names] = [new Map(), new Map(), new Map()];
  return { terms, atoms, names, firstVariable, isOfVotes, isSatisfiable, budget };
}

/** What a name bound by a quantifier means: an element, or a value that is written out. */
export type Scope = ReadonlyMap<string, Bound>;

export type Bound = {
  readonly key: string;
  /** Its declared type says how it compares. */
  readonly isTyped: boolean;
  readonly value?: Value;
};

/** A clause, or a part of one, that is being read. */
export type Reading = {
  readonly checked: Checked;
  readonly vocabulary: Vocabulary;
  readonly scope: Scope;
  /** In a DENY, an error in a part may not matter. */
  readonly isDenial: boolean;
  /** How parts of it are read. */
  readonly readerFor: (reading: Reading) => Reader<Leaf>;
  /** Atoms met so far. */
  readonly size: { atoms: number };
  /** Whether some part that reads nothing has no value. */
  readonly fault: { errs: boolean };
};

export function isWrittenOut(node: Expression, scope: Scope): boolean {
  if (scope.size === 0) return isClosed(node);
  const names = [...scope].flatMap(([name, { value }]) => (value === undefined ? [] : name));
  return isClosed(node, names);
}

/** The value of a part that is written out; undefined if it errs. */
export function writtenValue(node: Expression, reading: Reading): Value | undefined {
  if (node.kind === "string" || node.kind === "int" || node.kind === "bool") return node.value;
  return evaluated(node, reading, evaluateValue);
}

/** The truth of a part that is written out; undefined if it errs. */
export function writtenTruth(node: Expression, reading: Reading): boolean | undefined {
  const value = evaluated(node, reading, reading.isDenial ? evaluateDenial : evaluateValue);
  return typeof value === "boolean" ? value : undefined;
}

function evaluated(
  node: Expression,
  { checked, scope, vocabulary }: Reading,
  evaluate: typeof evaluateValue,
): Value | undefined {
  const entries = noEntries();
  for (const [name, { value }] of scope) entries[name] = value;
  const compiled = prepare({ ...checked, expression: node });
  const work: Work = { steps: EVALUATION };
  const value = evaluate(compiled, { kind: "struct", entries }, work);
  vocabulary.budget.steps -= work.steps;
  return isFailure(value) ? undefined : value;
}

/** The cost of starting an evaluation. */
const EVALUATION = 10;

/** The reading of a quantifier's predicate. */
export function innerReading(node: Quantifier, reading: Reading): Reading {
  const { scope } = reading;
  const taken = new Set([...scope.values()].map(({ key }) => key));
  // Elements that pass a filter are elements of the unfiltered list.
  const list = shortName(keyIn(unfiltered(node.object), reading), reading.vocabulary);
  let depth = 0;
  while (taken.has(`${list}[$${depth}]`)) depth++;
  const bound = { key: `${list}[$${depth}]`, isTyped: isTyped(node.object, scope) };
  return within(node, bound, reading);
}

/** Longer names of lists are replaced. */
const MAX_NAME = 64;

/**
 * The list's key, or a short name if it is long. An element is named after its list, and a list may
 * repeat an element: without short names, `[x, x]` would double the key at each level of nesting.
 * It still begins with the path, if there is one, since the path says what the elements may lack.
 */
function shortName(key: string, { names }: Vocabulary): string {
  if (key.length <= MAX_NAME) return key;
  // Invariant: no expression has a `#` outside of quotes, and the beginning has no quotes.
  const name = names.get(key) ?? `${PATH.exec(key)?.[0] ?? ""}#${names.size}`;
  names.set(key, name);
  return name;
}

const PATH = /^[A-Za-z0-9_.]{0,64}/;

/**
 * `keyOf` with what the bound names mean here. It is charged before the text is made, and once the
 * work is used up, each part is only like itself.
 */
export function keyIn(node: Expression, { scope, vocabulary: { budget, names } }: Reading): string {
  budget.steps -= (node.end - node.start) >> 5;
  if (budget.steps > 0) return keyOf(node, scope);
  const unread = `#${names.size}`;
  names.set(unread, unread);
  return unread;
}

function unfiltered(list: Expression): Expression {
  return isFilter(list) ? unfiltered(list.object) : list;
}

export function within({ variable }: Quantifier, bound: Bound, reading: Reading): Reading {
  return { ...reading, scope: new Map(reading.scope).set(variable, bound) };
}

/** A slice of a text, if its bounds are written out. */
export function sliceOf(node: Expression, reading: Reading) {
  if (
    (node.kind !== "slice" && node.kind !== "index") ||
    typeOf(node.object, reading).kind !== "string"
  ) {
    return undefined;
  }
  const path = pathOf(node.object, reading);
  const bounds = node.kind === "slice" ? [node.from, node.to] : [node.index];
  if (!path || !bounds.every((bound) => isWrittenOut(bound, reading.scope))) return undefined;
  const [from, to = typeof from === "bigint" ? from + 1n : from] = bounds.map((bound) => {
    return writtenValue(bound, reading);
  });
  if (typeof from !== "bigint" || typeof to !== "bigint") return undefined;
  if (from < 0n || from > to || to > MAX_SLICE) return undefined;
  return { key: path.key, steps: path.steps, from: Number(from), to: Number(to) };
}

/** The key separates fields from keys of maps, since no value has both. */
type Path = {
  readonly key: string;
  readonly steps: readonly Step[];
  readonly isAlwaysSet: boolean;
};

/** The path to a value through fields, keys and positions that are written out. */
export function pathOf(node: Expression, reading: Reading): Path | undefined {
  if (node.kind === "name") return pathOfName(node.name, reading.scope);
  if (node.kind !== "field" && node.kind !== "index") return undefined;
  const path = pathOf(node.object, reading);
  const object = declaredType(node.object, reading);
  if (!path || listCounted(node, reading.checked.types)) return undefined;
  if (node.kind === "field") {
    const steps = [...path.steps, node.name];
    const isSet = object.kind === "struct" && !OPTIONAL.has(steps.join("."));
    const key = `${path.key}.${node.name}`;
    return { key, steps, isAlwaysSet: path.isAlwaysSet && isSet };
  }
  if (object.kind === "string" || !isWrittenOut(node.index, reading.scope)) return undefined;
  const step = writtenValue(node.index, reading);
  if (typeof step === "string") {
    return { key: `${path.key}['${step}']`, steps: [...path.steps, step], isAlwaysSet: false };
  }
  if (typeof step !== "bigint" || step < 0n || step > MAX_POSITION) return undefined;
  return { key: `${path.key}[${step}]`, steps: [...path.steps, Number(step)], isAlwaysSet: false };
}

function pathOfName(name: string, scope: Scope): Path | undefined {
  const bound = scope.get(name);
  const isPath = bound ? bound.value === undefined : name !== "approvers" && name !== "credentials";
  if (!isPath) return undefined;
  const key = bound?.key ?? name;
  return { key, steps: [key], isAlwaysSet: true };
}

/** The longest paths inside an expression whose values are always set. */
export function readsOf(node: Expression, reading: Reading): Read[] {
  const path = pathOf(node, reading);
  const type =
    path && !reading.scope.has(rootNameOf(node)) ? declaredType(node, reading) : undefined;
  if (path?.isAlwaysSet && type && type.kind !== "struct") return [{ steps: path.steps, type }];
  const isBinding = node.kind === "quantifier";
  const inner = isBinding ? within(node, { key: "?", isTyped: true }, reading) : reading;
  return childrenOf(node).flatMap((child) => readsOf(child, inner));
}

/** The name that a path begins with. */
function rootNameOf(node: Expression): string {
  if (node.kind === "field" || node.kind === "index") return rootNameOf(node.object);
  return node.kind === "name" ? node.name : "";
}

/**
 * The type that says how the value compares: `dynamic` for a text that the clause puts together.
 */
export function typeOf(node: Expression, reading: Reading): Type {
  const type = declaredType(node, reading);
  return type.kind === "string" && !isTyped(node, reading.scope) ? dynamic : type;
}

function isTyped(node: Expression, scope: Scope): boolean {
  switch (node.kind) {
    case "name":
      return scope.get(node.name)?.isTyped ?? true;
    case "field":
    case "index":
    case "slice":
      return isTyped(node.object, scope);
    case "quantifier":
      return node.name === "filter" && isTyped(node.object, scope);
    default:
      return false;
  }
}

function declaredType(node: Expression, { checked: { types } }: Reading): Type {
  // Every part of a checked expression has a type. The type of a part made here does not matter.
  return types.get(node) ?? bool;
}

/** Fields that a request may leave out although it has the struct they belong to. */
const OPTIONAL: ReadonlySet<string> = new Set([
  ...["activity.params", "wallet_account.path_indexes", "wallet_account.path_hardened"],
  ...missableFields("absent", "unset", "unread"),
]);

/** Limits on the lists and texts in examples. */
const MAX_POSITION = 100n;
const MAX_SLICE = 20_000n;
