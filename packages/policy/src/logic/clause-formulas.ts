import type { Expression } from "../ast.ts";
import type { Checked } from "../check.ts";
import { bool, dynamic, int, type Type } from "../types.ts";
import { show, type Value } from "../values.ts";
import { constant, type Formula, not } from "./formula.ts";
import { formulaKey, written } from "./keys.ts";
import {
  type Bound,
  innerReading,
  isWrittenOut,
  keyIn,
  pathOf,
  type Reading,
  readsOf,
  sliceOf,
  typeOf,
  type Vocabulary,
  within,
  writtenTruth,
  writtenValue,
} from "./reading-context.ts";
import { type Atom, type Leaf, rootsOf, type Source, type Statement, type Term } from "./terms.ts";
import { type Order, type Reader, translate } from "./translate.ts";
import { canAbsorb, canErr, isFilter, listCounted, type Quantifier } from "./tree.ts";

// Reads clauses as formulas over atoms: comparisons of one term with a value.

export function newReading(checked: Checked, vocabulary: Vocabulary): Reading {
  const [size, fault] = [{ atoms: 0 }, { errs: false }];
  return { checked, vocabulary, scope: new Map(), isDenial: false, readerFor, size, fault };
}

/** The reading of a clause of a DENY. */
export function newDenialReading(checked: Checked, vocabulary: Vocabulary): Reading {
  return { ...newReading(checked, vocabulary), isDenial: true };
}

/** Beyond this many atoms, the items of written-out lists are no longer read. */
const MAX_ATOMS = 3000;

/** The most items of a list that are read one by one. */
const MAX_ITEMS = 32;

/** Turns a part of a clause into a formula over atoms, and adds the atoms to the vocabulary. */
export function readPart(node: Expression, reading: Reading): Statement {
  return translate(node, reading.readerFor(reading));
}

export function readerFor(reading: Reading): Reader<Leaf> {
  const { checked, scope } = reading;
  return {
    isClosed: (node) => isWrittenOut(node, scope),
    isBool: (node) => checked.types.get(node)?.kind === "bool",
    closed(node) {
      const value = writtenTruth(node, reading);
      if (value !== undefined) return constant(value);
      reading.fault.errs = true;
      if (!reading.isDenial) return constant(false);
      // No value can be compared with what errs, so a DENY that depends on this denies.
      const term = opaqueTerm(node, bool, keyIn(node, reading), reading);
      return leafOf(node, term, "==", undefined, reading);
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

/** A comparison of something with a value, with or without regard to case. */
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

/** If both values are read, only the comparison as a whole is known. */
function readPair(
  node: Expression,
  left: Expression,
  order: Order,
  right: Expression,
  reading: Reading,
): Statement {
  const [k, l] = [keyIn(left, reading), keyIn(right, reading)];
  const isSwapped = order === ">" || (order === "==" && l < k);
  const operator = order === ">" ? "<" : order;
  const key = isSwapped ? `(${l} ${operator} ${k})` : `(${k} ${operator} ${l})`;
  const { start, end } = node;
  const sides = isSwapped ? { left: right, right: left } : { left, right };
  const pair: Expression = { kind: "compare", operator, ...sides, start, end };
  // If a part is compared with itself, it only matters whether it has a value.
  if (k === l) return merelyRead(pair, operator === "==", reading);
  return leafOf(node, opaqueTerm(pair, bool, key, reading), "==", true, reading);
}

/** A part that is true, or false, whenever it has a value. */
function merelyRead(node: Expression, isTrue: boolean, reading: Reading): Statement {
  const term = opaqueTerm(node, bool, keyIn(node, reading), reading);
  const leaf = leafOf(node, term, "==", true, reading);
  const same: Statement = { kind: "same", left: leaf, right: leaf };
  return isTrue ? same : not(same);
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
  const key = `(${keyIn(item, reading)} in ${keyIn(list, reading)})`;
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
      const bound: Bound = { key: nameOf(value), isTyped: false, value };
      return readPart(predicate, within(node, bound, reading));
    });
    return { kind: isAll ? "and" : "or", operands };
  }
  // `any` asks for one element that passes, `all` for none that does not.
  const counted: Quantifier = {
    ...node,
    name: "filter",
    predicate: isAll ? { kind: "not", operand: predicate, start, end } : predicate,
  };
  const term = countTerm(node, counted, reading, true);
  if (term === "none") return merelyRead(node, isAll, reading);
  if (isAll) return leafOf(node, term, "==", 0n, reading);
  return not(leafOf(node, term, "<", 1n, reading));
}

/** What no other value has, and a text or a number has where it is written in a policy. */
function nameOf(value: Value): string {
  return typeof value === "object" ? written(value) : show(value, Number.POSITIVE_INFINITY);
}

function isExpanded({ length }: readonly Value[], { size, vocabulary: { budget } }: Reading) {
  return length <= MAX_ITEMS && size.atoms <= MAX_ATOMS && budget.steps > 0;
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

function termOf(node: Expression, reading: Reading): Term | "none" {
  const { checked } = reading;
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
  return opaqueTerm(node, type, keyIn(node, reading), reading);
}

/**
 * How many elements a list has; "none" if its filter is never true. If it is only tested for one
 * element, a DENY finds that one beside elements for which the test errs.
 */
function countTerm(
  node: Expression,
  list: Expression,
  reading: Reading,
  isTest = false,
): Term | "none" {
  const named = nameOfList(list, reading);
  if (!named) return "none";
  const [name, ...wholes] = named;
  const { checked, vocabulary } = reading;
  const path = isFilter(list) ? undefined : pathOf(list, reading);
  const common = { key: `${name}.count()`, wholes: wholes.map((whole) => `${whole}.count()`) };
  const part = { ...checked, expression: list };
  const isTolerant = isTest && reading.isDenial && canErr(list, checked.types);
  if (isTolerant) common.key += " in a test";
  const isCertain = !isTolerant || (isFilter(list) && !canErr(list.object, checked.types));
  if (vocabulary.isOfVotes(part) && isCertain) {
    const inDenial = isTolerant ? "test" : "count";
    const source: Source = { kind: "votes", list: part, ...(reading.isDenial && { inDenial }) };
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

/**
 * The names of a list and of the lists it was filtered from; undefined if no element can be in it.
 */
function nameOfList(list: Expression, reading: Reading): readonly string[] | undefined {
  if (!isFilter(list)) return [keyIn(list, reading)];
  const around = nameOfList(list.object, reading);
  if (!around) return undefined;
  const { vocabulary } = reading;
  // The elements are not a part of the request, so the vocabulary has no terms for them.
  const apart = { ...vocabulary, terms: new Map(), atoms: new Map() };
  const fault = { errs: false };
  const inner = innerReading(list, { ...reading, vocabulary: apart, fault });
  const formula = readPart(list.predicate, inner);
  if (!vocabulary.isSatisfiable(formula)) return undefined;
  if (formula.kind === "constant" && formula.value) return around;
  // A filter that errs for each element differs from one that is false for each.
  const name = fault.errs ? keyIn(list.predicate, inner) : formulaKey(formula, true);
  return [`${around[0]}{${name}}`, ...around];
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
  { scope, isDenial, checked, vocabulary: { terms, firstVariable } }: Reading,
): Term {
  // The same part can have a value in a DENY where it errs in an ALLOW.
  const key = isDenial && canAbsorb(reads, checked.types) ? `${term.key} in a DENY` : term.key;
  const known = terms.get(key);
  if (known) return known;
  const variable = firstVariable + terms.size;
  const roots = rootsOf(reads).filter((root) => !scope.has(root.replace(/\..*/, "")));
  const entered = { ...term, key, roots, variable, atoms: [], values: [], lacks: [], told: -1 };
  terms.set(key, entered);
  return entered;
}
