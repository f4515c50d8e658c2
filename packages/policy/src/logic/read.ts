import { childrenOf, type Expression } from "../ast.ts";
import type { Checked } from "../check.ts";
import { evaluateValue, prepare, type Work } from "../evaluate.ts";
import { bool, dynamic, int, type Type } from "../types.ts";
import { isFailure, noEntries, show, type Value } from "../values.ts";
import { constant, type Formula, not } from "./formula.ts";
import { keyOf } from "./keys.ts";
import {
  type Atom,
  type Leaf,
  type Read,
  rootsOf,
  type Source,
  type Statement,
  type Step,
  type Term,
} from "./terms.ts";
import { type Order, type Reader, translate } from "./translate.ts";
import { isClosed, isFilter, listCounted, type Quantifier } from "./tree.ts";

/** Work that may still be spent; when it is used up nothing more is claimed. */
export type Allowance = { steps: number };

/** All terms and statements that the clauses read so far are about. */
export type Vocabulary = {
  readonly terms: Map<string, Term>;
  readonly atoms: Map<string, Atom>;
  /** Variables below it are not of terms. */
  readonly firstVariable: number;
  /** What reading may cost; once it is used up, lists that are written out are not looked into. */
  readonly budget: Allowance;
  /** Whether the list holds votes that are counted one by one. */
  readonly isOfVotes: (list: Checked) => boolean;
  /** Whether anything can be as the formula says. Yes also where that is not known. */
  readonly canHold: (formula: Statement) => boolean;
};

export function newVocabulary({
  firstVariable = 0,
  isOfVotes = () => false,
  canHold = () => true,
  budget = { steps: Number.POSITIVE_INFINITY },
}: Partial<Omit<Vocabulary, "terms" | "atoms">>): Vocabulary {
  return { terms: new Map(), atoms: new Map(), firstVariable, isOfVotes, canHold, budget };
}

/** What the names that quantifiers bind stand for: an element, or a value that is written out. */
export type Scope = ReadonlyMap<string, Bound>;

export type Bound = {
  readonly key: string;
  /** Its declared type tells how it compares. */
  readonly isTyped: boolean;
  readonly value?: Value;
};

/** A clause, or a part of one, that is being read. */
export type Reading = {
  readonly checked: Checked;
  readonly vocabulary: Vocabulary;
  readonly scope: Scope;
  /** How parts of it are read. */
  readonly readerFor: (reading: Reading) => Reader<Leaf>;
  /** Atoms met so far. */
  readonly size: { atoms: number };
  /** Whether a part that reads nothing has no value. */
  readonly fault: { errs: boolean };
};

export function newReading(checked: Checked, vocabulary: Vocabulary): Reading {
  const [size, fault] = [{ atoms: 0 }, { errs: false }];
  return { checked, vocabulary, scope: new Map(), readerFor, size, fault };
}

/** Beyond so many atoms, lists that are written out are no longer looked into. */
const MAX_ATOMS = 3000;

/** Items of a list that are looked at one by one. */
const MAX_ITEMS = 32;

/** Turns a part of a clause into a formula over atoms, and enters those into the vocabulary. */
export function read(node: Expression, reading: Reading): Statement {
  return translate(node, reading.readerFor(reading));
}

export function readerFor(reading: Reading): Reader<Leaf> {
  const { checked, scope } = reading;
  return {
    isClosed: (node) => isWrittenOut(node, scope),
    isBool: (node) => checked.types.get(node)?.kind === "bool",
    closed(node) {
      const value = writtenValue(node, reading);
      if (typeof value !== "boolean") reading.fault.errs = true;
      return constant(value === true);
    },
    comparison: (node, about, operator, other) => {
      return compare(node, about, operator, writtenValue(other, reading), reading);
    },
    pair: (node, left, operator, right) => readPair(node, left, operator, right, reading),
    element: (node, item, list) => readElement(node, item, list, reading),
    quantifier: (node) => readQuantifier(node, reading),
    truth: (node) => leafOf(node, termOf(node, reading), "==", true, reading),
  };
}

function isWrittenOut(node: Expression, scope: Scope): boolean {
  if (scope.size === 0) return isClosed(node);
  const names = [...scope].flatMap(([name, { value }]) => (value === undefined ? [] : name));
  return isClosed(node, names);
}

/** The value of a part that is written out; undefined if it errs. */
export function writtenValue(
  node: Expression,
  { checked, scope, vocabulary }: Reading,
): Value | undefined {
  if (node.kind === "string" || node.kind === "int" || node.kind === "bool") return node.value;
  const entries = noEntries();
  for (const [name, { value }] of scope) entries[name] = value;
  const compiled = prepare({ ...checked, expression: node });
  const work: Work = { steps: EVALUATION };
  const value = evaluateValue(compiled, { kind: "struct", entries }, work);
  vocabulary.budget.steps -= work.steps;
  return isFailure(value) ? undefined : value;
}

/** What it costs to begin an evaluation. */
const EVALUATION = 10;

/** That something compares with a value, with regard to the case of letters or without. */
function compare(
  node: Expression,
  about: Expression,
  operator: Atom["operator"],
  literal: Value | undefined,
  reading: Reading,
): Statement {
  const isCall = about.kind === "call" && about.name === "CaseInsensitiveString";
  const [text] = isCall ? about.arguments : [];
  const term = termOf(text ?? about, reading);
  // A list that was filtered down to nothing has no elements.
  if (term === "none") return merelyRead(node, isCountOf(0n, operator, literal), reading);
  return leafOf(node, term, operator, literal, reading, text !== undefined);
}

export function isCountOf(n: bigint, operator: Atom["operator"], literal: Value | undefined) {
  if (typeof literal === "object" && literal.kind === "list") return literal.items.includes(n);
  if (typeof literal !== "bigint") return false;
  return operator === "<" ? n < literal : operator === ">" ? n > literal : n === literal;
}

/** Of two values that are both read, only the comparison as a whole is known. */
function readPair(
  node: Expression,
  left: Expression,
  order: Order,
  right: Expression,
  reading: Reading,
): Statement {
  const [k, l] = [keyOf(left, reading.scope), keyOf(right, reading.scope)];
  const isSwapped = order === ">" || (order === "==" && l < k);
  const operator = order === ">" ? "<" : order;
  const key = isSwapped ? `(${l} ${operator} ${k})` : `(${k} ${operator} ${l})`;
  const { start, end } = node;
  const sides = isSwapped ? { left: right, right: left } : { left, right };
  const pair: Expression = { kind: "compare", operator, ...sides, start, end };
  // Of what compares with itself it only matters that it has a value.
  if (k === l) return merelyRead(pair, operator === "==", reading);
  return leafOf(node, opaqueTerm(pair, bool, key, reading), "==", true, reading);
}

/** What is true, or false, wherever it has a value. */
function merelyRead(node: Expression, isTrue: boolean, reading: Reading): Statement {
  const term = opaqueTerm(node, bool, keyOf(node, reading.scope), reading);
  const leaf = leafOf(node, term, "==", true, reading);
  return { kind: isTrue ? "or" : "and", operands: [leaf, not(leaf)] };
}

function readElement(
  node: Expression,
  item: Expression,
  list: Expression,
  reading: Reading,
): Statement {
  if (isWrittenOut(list, reading.scope)) {
    return compare(node, item, "in", writtenValue(list, reading), reading);
  }
  if (list.kind === "list") {
    const reader = reading.readerFor(reading);
    const operands = list.items.map((other) => {
      if (isWrittenOut(other, reading.scope)) return reader.comparison(node, item, "==", other);
      if (isWrittenOut(item, reading.scope)) return reader.comparison(node, other, "==", item);
      return reader.pair(node, item, "==", other);
    });
    return { kind: "or", operands };
  }
  const path = pathOf(list, reading);
  const value = isWrittenOut(item, reading.scope) ? writtenValue(item, reading) : undefined;
  const key = `(${keyOf(item, reading.scope)} in ${keyOf(list, reading.scope)})`;
  if (!path || value === undefined || typeof value === "object") {
    return leafOf(node, opaqueTerm(node, bool, key, reading), "==", true, reading);
  }
  const source: Source = { kind: "member", steps: path.steps, item: value };
  const mayErr = !path.isAlwaysSet;
  const term = enter({ key, source, type: bool, mayErr }, list, reading);
  return leafOf(node, term, "==", true, reading);
}

function readQuantifier(node: Quantifier, reading: Reading): Statement {
  const { name, object, predicate, start, end } = node;
  const isAll = name === "all";
  const items = isWrittenOut(object, reading.scope) ? writtenValue(object, reading) : undefined;
  if (typeof items === "object" && items.kind === "list" && isExpanded(items.items, reading)) {
    const operands = items.items.map((value) => {
      const bound: Bound = { key: show(value), isTyped: false, value };
      return read(predicate, within(node, bound, reading));
    });
    return { kind: isAll ? "and" : "or", operands };
  }
  // `any` asks for one of those that pass, `all` for none of those that do not.
  const counted: Quantifier = {
    ...node,
    name: "filter",
    predicate: isAll ? { kind: "not", operand: predicate, start, end } : predicate,
  };
  const term = countTerm(node, counted, reading);
  if (term === "none") return merelyRead(node, isAll, reading);
  if (isAll) return leafOf(node, term, "==", 0n, reading);
  return not(leafOf(node, term, "<", 1n, reading));
}

function isExpanded({ length }: readonly Value[], { size, vocabulary: { budget } }: Reading) {
  return length <= MAX_ITEMS && size.atoms <= MAX_ATOMS && budget.steps > 0;
}

/** The reading of a quantifier's predicate. */
export function innerReading(node: Quantifier, reading: Reading): Reading {
  const { scope } = reading;
  const taken = new Set([...scope.values()].map(({ key }) => key));
  // Elements that pass a filter are elements of the list that is filtered.
  const list = keyOf(unfiltered(node.object), scope);
  let depth = 0;
  while (taken.has(`${list}[$${depth}]`)) depth++;
  const bound = { key: `${list}[$${depth}]`, isTyped: isTyped(node.object, scope) };
  return within(node, bound, reading);
}

function unfiltered(list: Expression): Expression {
  return isFilter(list) ? unfiltered(list.object) : list;
}

export function within({ variable }: Quantifier, bound: Bound, reading: Reading): Reading {
  return { ...reading, scope: new Map(reading.scope).set(variable, bound) };
}

function leafOf(
  node: Expression,
  term: Term | "none",
  operator: Atom["operator"],
  literal: Value | undefined,
  { vocabulary, size }: Reading,
  isLowered = false,
): Formula<Leaf> {
  if (term === "none") return constant(false);
  size.atoms++;
  const key = `${term.key} ${isLowered ? "lowered " : ""}${operator} ${written(literal)}`;
  vocabulary.budget.steps -= 1 + (key.length >> 5);
  let atom = vocabulary.atoms.get(key);
  if (!atom) {
    atom = { term, operator, literal, isLowered, trueValues: 0n, definedValues: 0n };
    vocabulary.atoms.set(key, atom);
    term.atoms.push(atom);
  }
  return { kind: "leaf", atom, node };
}

/** The value as text that no other value has. */
function written(value: Value | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return String(value);
  if (value.kind === "list") return `[${value.items.map(written).join()}]`;
  return `${value.kind} ${show(value, Number.POSITIVE_INFINITY)}`;
}

function termOf(node: Expression, reading: Reading): Term | "none" {
  const { checked, scope } = reading;
  const list = listCounted(node, checked.types);
  if (list) return countTerm(node, list, reading);
  const type = typeOf(node, reading);
  const path = pathOf(node, reading);
  if (path) {
    const { key, steps, isAlwaysSet } = path;
    return enter(
      { key, source: { kind: "path", steps }, type, mayErr: !isAlwaysSet },
      node,
      reading,
    );
  }
  const slice = sliceOf(node, reading);
  if (slice) {
    const key = `${slice.key}[${slice.from}..${slice.to}]`;
    return enter({ key, source: { kind: "slice", ...slice }, type, mayErr: true }, node, reading);
  }
  return opaqueTerm(node, type, keyOf(node, scope), reading);
}

/** A part of a text, if it is written out where it begins and ends. */
function sliceOf(node: Expression, reading: Reading) {
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

/** How many elements a list has; "none" if it is filtered by what is never true. */
function countTerm(node: Expression, list: Expression, reading: Reading): Term | "none" {
  const named = nameOfList(list, reading);
  if (!named) return "none";
  const [name, ...wholes] = named;
  const { checked, vocabulary } = reading;
  const path = isFilter(list) ? undefined : pathOf(list, reading);
  const common = { key: `${name}.count()`, wholes: wholes.map((whole) => `${whole}.count()`) };
  const part = { ...checked, expression: list };
  if (vocabulary.isOfVotes(part)) {
    const source: Source = { kind: "votes", list: part };
    return enter({ ...common, source, type: int, mayErr: true }, list, reading);
  }
  if (!path) {
    const source = opaque(node, reading);
    return enter({ ...common, source, type: int, mayErr: true }, list, reading);
  }
  const object = typeOf(list, reading);
  const element = object.kind === "list" ? object.element : dynamic;
  const source: Source = { kind: "size", steps: path.steps, element };
  return enter({ ...common, source, type: int, mayErr: !path.isAlwaysSet }, list, reading);
}

/** The name of a list and of those it is a part of; nothing if no element can be in it. */
function nameOfList(list: Expression, reading: Reading): readonly string[] | undefined {
  if (!isFilter(list)) return [keyOf(list, reading.scope)];
  const around = nameOfList(list.object, reading);
  if (!around) return undefined;
  const { vocabulary } = reading;
  // The elements are no part of the request that a term of the vocabulary could stand for.
  const apart = { ...vocabulary, terms: new Map(), atoms: new Map() };
  const fault = { errs: false };
  const inner = innerReading(list, { ...reading, vocabulary: apart, fault });
  const formula = read(list.predicate, inner);
  if (!vocabulary.canHold(formula)) return undefined;
  if (formula.kind === "constant" && formula.value) return around;
  // What errs for each element differs from what is false for each.
  const name = fault.errs ? keyOf(list.predicate, inner.scope) : formulaKey(formula, true);
  return [`${around[0]}{${name}}`, ...around];
}

/** The same for formulas that say the same, and are so in the same way. */
function formulaKey(formula: Statement, isTrue: boolean): string {
  const sign = isTrue ? "" : "!";
  switch (formula.kind) {
    case "constant":
      return String(formula.value === isTrue);
    case "not":
      return formulaKey(formula.operand, !isTrue);
    case "and":
    case "or": {
      const keys = formula.operands.map((operand) => formulaKey(operand, isTrue));
      return `(${keys.sort().join((formula.kind === "and") === isTrue ? " && " : " || ")})`;
    }
    case "same":
      return `${sign}(${formulaKey(formula.left, true)} == ${formulaKey(formula.right, true)})`;
    case "leaf": {
      const { term, operator, literal, isLowered } = formula.atom;
      return `${sign}${term.key} ${isLowered ? "lowered " : ""}${operator} ${written(literal)}`;
    }
  }
}

function opaqueTerm(node: Expression, type: Type, key: string, reading: Reading): Term {
  return enter({ key, source: opaque(node, reading), type, mayErr: true }, node, reading);
}

function opaque(node: Expression, reading: Reading): Source {
  const part = { ...reading.checked, expression: node };
  return { kind: "opaque", part, reads: () => readsOf(node, reading) };
}

function enter(
  term: Pick<Term, "key" | "source" | "type" | "mayErr" | "wholes">,
  reads: Expression,
  { scope, vocabulary: { terms, firstVariable } }: Reading,
): Term {
  const known = terms.get(term.key);
  if (known) return known;
  const variable = firstVariable + terms.size;
  const roots = rootsOf(reads).filter((root) => !scope.has(root.replace(/\..*/, "")));
  const entered = { ...term, roots, variable, atoms: [], values: [], told: -1 };
  terms.set(term.key, entered);
  return entered;
}

/** The key tells fields from keys of maps: what has one of them has no value under the other. */
type Path = {
  readonly key: string;
  readonly steps: readonly Step[];
  readonly isAlwaysSet: boolean;
};

/** The way to a value through fields, keys and positions that are written out. */
function pathOf(node: Expression, reading: Reading): Path | undefined {
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

/** The longest paths inside an expression to what is always set. */
function readsOf(node: Expression, reading: Reading): Read[] {
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

/** The type that tells how the value compares: that of what was put together does not. */
function typeOf(node: Expression, reading: Reading): Type {
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
  // Every part of a checked expression has a type; of what is put together here it does not matter.
  return types.get(node) ?? bool;
}

/** Fields that a request can lack although the struct they belong to is there. */
const OPTIONAL = new Set([
  "activity.params",
  "wallet_account.path_indexes",
  "wallet_account.path_hardened",
  "eth.tx.contract_call_args",
  "eth.eip_712.domain.name",
  "eth.eip_712.domain.chain_id",
  "eth.eip_712.domain.verifying_contract",
  "bitcoin.tx.fee",
]);

/** Examples hold no longer lists and texts than these allow. */
const MAX_POSITION = 100n;
const MAX_SLICE = 20_000n;
