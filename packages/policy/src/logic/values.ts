import { isOfPattern, mapsOfSomeKeys, missableFields } from "../chains/facts.ts";
import { chains } from "../chains/index.ts";
import type { Work } from "../evaluate.ts";
import { MAX_UINT, MIN_VALUE } from "../limits.ts";
import { parseTimestamp } from "../time.ts";
import { type Instant, lowerCase, show, type Value } from "../values.ts";
import { bit, firstBits } from "./bits.ts";
import {
  type Atom,
  digitsIn,
  holds,
  type Lack,
  literalsOf,
  type Step,
  type Term,
} from "./terms.ts";
import { ADDRESS, distinctFolded, isText, slicesOf, textsIn, textsOf } from "./texts.ts";
import { isClosed } from "./tree.ts";

// The values that the atoms of a term can tell apart.

/** Approvals are counted one by one up to this number. */
const MAX_APPROVALS = 100n;

/** What the values of a term depend on besides its atoms. */
export type Domain = {
  /** How many users could vote; absent if that is not known. */
  readonly voters?: number;
  /**
   * Relies only on the types: texts may compare in any way, amounts may be negative, and fields may
   * be absent.
   */
  readonly isAnyForm?: boolean;
  readonly work: Work & { readonly most: number };
};

/**
 * Gives a term one value of each kind that its atoms can tell apart, and each atom the set of
 * values for which it holds. Exact for comparisons with literals. An opaque term gets all values,
 * since it can have any. Returns false if it takes more work than is left.
 */
export function enumerateValues(term: Term, domain: Domain): boolean {
  const { work } = domain;
  if (term.told === term.atoms.length) return true;
  term.lacks = lacksOf(term, domain);
  term.values = [...valuesOf(term, domain), ...term.lacks.map(() => undefined)];
  work.steps += term.values.length;
  const index = indexOf(term.values);
  for (const atom of term.atoms) {
    tell(atom, index, work);
    if (work.steps > work.most) return false;
  }
  term.told = term.atoms.length;
  return true;
}

/** The positions of values, as bit sets. */
type Index = {
  readonly exact: Map<string, bigint>;
  readonly folded: Map<string, bigint>;
  readonly numbers: { readonly from: number; readonly sorted: readonly bigint[] };
  /** The values that can be compared with a text. */
  readonly texts: bigint;
};

function tell(atom: Atom, index: Index, work: Work) {
  const literals = literalsOf(atom);
  work.steps += 1 + literals.length;
  if (literals.length > 0 && literals.every((literal) => typeof literal === "bigint")) {
    tellNumbers(atom, literals, index.numbers);
  } else if (!atom.isLowered && literals.some(isText) && literals.every(isText)) {
    atom.definedValues = 0n;
    atom.trueValues = 0n;
    const numbers = digitsIn(atom);
    if (numbers) tellNumbers(atom, numbers, index.numbers);
    atom.definedValues |= index.texts;
    for (const text of literals) {
      atom.trueValues |= index.exact.get(text) ?? 0n;
      atom.trueValues |= index.folded.get(lowerCase(text)) ?? 0n;
    }
  } else {
    [atom.trueValues, atom.definedValues] = [0n, 0n];
    for (const [i, value] of atom.term.values.entries()) {
      const truth = holds(atom, value, work);
      if (truth !== undefined) atom.definedValues |= bit(i);
      if (truth === true) atom.trueValues |= bit(i);
    }
  }
}

function tellNumbers(atom: Atom, literals: readonly bigint[], { from, sorted }: Index["numbers"]) {
  const all = firstBits(from + sorted.length) & ~firstBits(from);
  atom.definedValues = all;
  atom.trueValues = 0n;
  for (const literal of literals) {
    const at = from + positionOf(literal, sorted);
    const equal = sorted[at - from] === literal ? bit(at) : 0n;
    const below = firstBits(at) & all;
    if (atom.operator === "<") atom.trueValues |= below;
    else atom.trueValues |= atom.operator === ">" ? all & ~below & ~equal : equal;
  }
}

/** How many of the numbers are less. */
function positionOf(number: bigint, sorted: readonly bigint[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0n) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function indexOf(values: readonly (Value | undefined)[]): Index {
  const exact = new Map<string, bigint>();
  const lower = new Map<string, bigint>();
  let texts = 0n;
  for (const [i, value] of values.entries()) {
    const isFolded = typeof value === "object" && value.kind === "folded";
    if (typeof value === "string") exact.set(value, bit(i));
    else if (isFolded) lower.set(value.lower, bit(i));
    if (typeof value === "string" || isFolded) texts |= bit(i);
  }
  const sorted = values.filter((value) => typeof value === "bigint");
  const from = values.findIndex((value) => typeof value === "bigint");
  return { exact, folded: lower, numbers: { from: Math.max(0, from), sorted }, texts };
}

/** Why the term may have no value. */
function lacksOf({ key, mayErr, source }: Term, { isAnyForm }: Domain): Lack[] {
  if (isAnyForm ? ALWAYS.has(key) : !mayErr) return [];
  if (source.kind === "votes") return ["error"];
  if (source.kind === "opaque") {
    const { clause, expression } = source.part;
    const isOfRequest = clause === "condition" && !isClosed(expression);
    return isOfRequest ? ["root", "field", "error"] : ["error"];
  }
  const lacks: Lack[] = isAnyForm ? ["root"] : [];
  const path = source.steps.join(".");
  if (ABSENT.some((beginning) => path.startsWith(beginning))) lacks.push("field");
  if (isAnyForm || !NEVER_ERRS.has(path) || source.kind === "slice") lacks.push("error");
  return lacks;
}

/** Beginnings of paths to what some requests do not have. */
const ABSENT: readonly string[] = [
  ...["activity.params.", "wallet_account.path_"],
  ...missableFields("absent", "unset"),
  ...mapsOfSomeKeys.map((map) => `${map}.`),
];

/** Paths whose values are absent or there, but never unreadable. */
const NEVER_ERRS: ReadonlySet<string> = new Set([
  ...["wallet_account.path_indexes", "wallet_account.path_hardened"],
  ...missableFields("absent"),
]);

/** What every request has if policies are asked about it. */
const ALWAYS = new Set([
  "activity.type",
  "activity.kind",
  "activity.resource",
  "activity.action",
  "approvers.count()",
  "credentials.count()",
]);

/** Whether the term's values are the numbers from 0 on, with one for all large ones. */
export function isCounted(term: Term): boolean {
  const bounds = numbersIn(toldOf(term));
  return term.source.kind === "votes" && bounds.every((bound) => bound <= MAX_APPROVALS);
}

/** What a term is compared with; for lists, their items. */
function toldOf({ atoms }: Term): readonly Value[] {
  return atoms.flatMap(literalsOf);
}

function valuesOf(term: Term, { voters, isAnyForm }: Domain): Value[] {
  const { source, type } = term;
  const literals = toldOf(term);
  if (source.kind === "votes" && (voters !== undefined || isCounted(term))) {
    return countsOf(numbersIn(literals), voters);
  }
  // The submitter's vote is always there.
  if (term.wholes) return numbersOf(literals, term.key === "approvers.count()" ? 1n : 0n);
  if (source.kind === "slice") return slicesOf(term, source.to - source.from);
  switch (type.kind) {
    case "bool":
      return [false, true];
    case "int":
    case "uint":
      return numbersOf(
        literals,
        source.kind === "path" && !isAnyForm ? leastOf(source.steps) : MIN_VALUE,
      );
    case "string":
      return textsOf(term, type.anyCase === true);
    case "timestamp":
      return instantsOf(literals);
    default:
      return dynamicOf(term, isAnyForm === true);
  }
}

function countsOf(bounds: readonly bigint[], voters: number | undefined): Value[] {
  let most = 0n;
  for (const bound of bounds) if (bound > most) most = bound;
  if (voters !== undefined && most > BigInt(voters)) most = BigInt(voters);
  return Array.from({ length: Number(most) + 2 }, (_, i) => BigInt(i));
}

/** The numbers around each literal, since all numbers between two literals are alike. */
function numbersOf(literals: readonly Value[], least: bigint): Value[] {
  const numbers = new Set<bigint>();
  for (const bound of numbersIn(literals)) {
    for (const near of [bound - 1n, bound, bound + 1n]) {
      if (near >= least && near <= MAX_UINT) numbers.add(near);
    }
  }
  if (numbers.size === 0) numbers.add(0n);
  return [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The least value of a number. Amounts, counts and ids of chains are never negative. */
function leastOf(steps: readonly Step[]): bigint {
  const [root] = steps;
  const isNatural = typeof root === "string" && NATURAL.has(root);
  return isNatural && !isOfPattern("mayBeNegative", steps.join(".")) ? 0n : MIN_VALUE;
}

const NATURAL: ReadonlySet<string> = new Set([...chains.map(({ name }) => name), "wallet_account"]);

const EPOCH: Instant = { kind: "instant", nanoseconds: 0n };

function instantsOf(literals: readonly Value[]): Value[] {
  const instants = new Map<bigint, Instant>();
  for (const literal of literals.length > 0 ? literals : [EPOCH]) {
    if (typeof literal !== "object" || literal.kind !== "instant") continue;
    for (const nanoseconds of [-1n, 0n, 1n].map((step) => literal.nanoseconds + step)) {
      const instant: Instant = { kind: "instant", nanoseconds };
      // No time before the first year or after the last can be written.
      if (parseTimestamp(show(instant)) === nanoseconds) instants.set(nanoseconds, instant);
    }
  }
  return [...instants.values()].sort((a, b) => (a.nanoseconds < b.nanoseconds ? -1 : 1));
}

/** Values of every type that the term is compared with. */
function dynamicOf(term: Term, isAnyForm: boolean): Value[] {
  const { source } = term;
  const literals = toldOf(term);
  const values: Value[] = [];
  const steps = source.kind === "path" ? source.steps : [];
  if (textsIn(literals).length > 0) {
    const texts = textsOf(term, false) as string[]; // not folded
    const isMessage = steps[1] === "eip_712";
    const isArguments = steps[2] === "contract_call_args";
    // Among contract arguments, addresses always compare without regard to case, and so do bytes.
    if (!isArguments || isAnyForm) values.push(...texts);
    else values.push(...texts.filter((text) => !ADDRESS.test(text)));
    if (isMessage || isArguments || isAnyForm || source.kind !== "path") {
      values.push(...distinctFolded(new Set(texts)));
    }
  }
  const numbers = [...numbersIn(literals), ...term.atoms.flatMap((atom) => digitsIn(atom) ?? [])];
  if (numbers.length > 0) values.push(...numbersOf(numbers, MIN_VALUE));
  if (literals.some((literal) => typeof literal === "boolean")) values.push(false, true);
  // A value that is only looked for in an empty list has some form too.
  return values.length > 0 ? values : textsOf(term, false);
}

function numbersIn(values: readonly Value[]): bigint[] {
  return values.filter((value) => typeof value === "bigint");
}
