import type { Work } from "../../evaluate.ts";
import { MAX_UINT, MIN_INT } from "../../limits.ts";
import { parseTimestamp } from "../../time.ts";
import { folded, type Instant, lowerCase, show, type Value } from "../../values.ts";
import { bit, firstBits } from "./solve.ts";
import { holds, type Step, type Term } from "./terms.ts";

/** Approvals are counted one by one up to here. */
export const MAX_APPROVALS = 100n;

/**
 * Gives a term the values its atoms can tell apart, one of each kind, and the atoms the sets of
 * values they hold for. Exact for comparisons with literals; of an opaque term nothing is left
 * out, as its value can be any. False if it takes more work than there is left.
 */
export function enumerateValues(
  term: Term,
  { voters, isSliced, work }: { voters?: number; isSliced: boolean; work: Work & { most: number } },
): boolean {
  if (isPlainText(term)) return enumerateTexts(term, isSliced, work);
  term.values = [...valuesOf(term, voters), ...(term.mayErr ? [undefined] : [])];
  for (const atom of term.atoms) {
    for (const [i, value] of term.values.entries()) {
      const truth = holds(atom, value, work);
      if (truth !== undefined) atom.definedValues |= bit(i);
      if (truth === true) atom.trueValues |= bit(i);
      if (work.steps > work.most) return false;
    }
  }
  return true;
}

function isPlainText({ type, source, atoms }: Term) {
  return type.kind === "string" && source.kind === "path" && atoms.every(({ plain }) => plain);
}

/**
 * A text that is only looked for in lists, of which some are long: texts that stand in the same
 * ones are one value, unless slices tell them apart.
 */
function enumerateTexts(term: Term, isSliced: boolean, work: Work & { most: number }): boolean {
  const { atoms, source, type, literals } = term;
  const isFolded = type.kind === "string" && type.anyCase === true;
  const listed = new Map<string, { text: string; atoms: Set<number> }>();
  for (const [i, { plain }] of atoms.entries()) {
    for (const text of plain?.texts ?? []) {
      work.steps++;
      const key = isFolded ? lowerCase(text) : text;
      const entry = listed.get(key) ?? { text, atoms: new Set() };
      listed.set(key, entry);
      entry.atoms.add(i);
    }
  }
  const kinds = new Map<string, { text: string; atoms: Set<number> }>();
  for (const [text, entry] of listed) {
    const key = isSliced ? text : [...entry.atoms].join();
    if (!kinds.has(key)) kinds.set(key, entry);
  }
  const steps = source.kind === "path" ? source.steps : [];
  const other = { text: otherText(steps, textsIn(literals)), atoms: new Set<number>() };
  const all = [...kinds.values(), other];
  const texts = all.map(({ text }) => (isFolded ? folded(text) : text));
  term.values = [...texts, ...(term.mayErr ? [undefined] : [])];
  const whole = firstBits(all.length);
  for (const atom of atoms) atom.definedValues = whole;
  for (const [i, entry] of all.entries()) {
    work.steps += entry.atoms.size;
    for (const number of entry.atoms) {
      const atom = atoms[number];
      if (atom) atom.trueValues |= bit(i);
    }
  }
  for (const atom of atoms) if (atom.plain?.isNegated) atom.trueValues ^= whole;
  return work.steps <= work.most;
}

/** Whether the term's values are the numbers from 0 on, with one for all large ones. */
export function isCounted({ source, literals }: Term): boolean {
  return source.kind === "votes" && numbersIn(literals).every((bound) => bound <= MAX_APPROVALS);
}

function valuesOf(term: Term, voters: number | undefined): Value[] {
  const { source, type, literals } = term;
  if (source.kind === "votes" && (voters !== undefined || isCounted(term))) {
    return countsOf(numbersIn(literals), voters);
  }
  if (source.kind === "votes" || source.kind === "size") return numbersOf(literals, 0n);
  if (source.kind === "slice") return slicesOf(term, source.to - source.from);
  switch (type.kind) {
    case "bool":
      return [false, true];
    case "int":
    case "uint":
      return numbersOf(literals, source.kind === "path" ? leastOf(source.steps) : MIN_INT);
    case "string":
      return textsOf(term, type.anyCase === true);
    case "timestamp":
      return instantsOf(literals);
    default:
      return dynamicOf(term);
  }
}

function countsOf(bounds: readonly bigint[], voters: number | undefined): Value[] {
  let most = 0n;
  for (const bound of bounds) if (bound > most) most = bound;
  if (voters !== undefined && most > BigInt(voters)) most = BigInt(voters);
  return Array.from({ length: Number(most) + 2 }, (_, i) => BigInt(i));
}

/** Around each literal: between two of them all numbers are alike. */
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

/** Amounts, counts and ids of chains are never negative; where that is not certain, they can be. */
function leastOf(steps: readonly Step[]): bigint {
  const [root] = steps;
  const isNatural = typeof root === "string" && NATURAL.has(root);
  return isNatural && steps.join(".") !== "bitcoin.tx.fee" ? 0n : MIN_INT;
}

const NATURAL = new Set(["eth", "solana", "tempo", "bitcoin", "wallet_account"]);

function instantsOf(literals: readonly Value[]): Value[] {
  const instants = new Map<bigint, Instant>();
  for (const literal of literals) {
    if (typeof literal !== "object" || literal.kind !== "instant") continue;
    for (const nanoseconds of [-1n, 0n, 1n].map((step) => literal.nanoseconds + step)) {
      const instant: Instant = { kind: "instant", nanoseconds };
      // Beyond the first and last year there is no time that can be written.
      if (parseTimestamp(show(instant)) === nanoseconds) instants.set(nanoseconds, instant);
    }
  }
  return [...instants.values()].sort((a, b) => (a.nanoseconds < b.nanoseconds ? -1 : 1));
}

function textsOf({ literals, lowered, source }: Term, isFolded: boolean): Value[] {
  const exact = new Set(textsIn(literals));
  const texts = new Set(exact);
  for (const lower of lowered) texts.add(otherCase(lower, exact));
  const steps = source.kind === "path" ? source.steps : [];
  texts.add(otherText(steps, [...texts, ...lowered]));
  return isFolded ? distinctFolded(texts) : [...texts];
}

/** Texts of a length, which is that of the slice; others it is never equal to. */
function slicesOf({ literals, lowered, type }: Term, length: number): Value[] {
  const exact = new Set(textsIn(literals));
  const texts = new Set(exact);
  for (const lower of lowered) texts.add(otherCase(lower, exact));
  const fitting = new Set([...texts].filter((text) => [...text].length === length));
  const taken = new Set([...texts].map(lowerCase));
  for (let i = 0; length > 0; i++) {
    const other = (FILLINGS[i] ?? String.fromCodePoint(0x100 + i)).repeat(length);
    if (taken.has(lowerCase(other))) continue;
    fitting.add(other);
    break;
  }
  if (length === 0) fitting.add("");
  return type.kind === "string" && type.anyCase ? distinctFolded(fitting) : [...fitting];
}

const FILLINGS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"];

/** A value of any type there is a comparison with. */
function dynamicOf(term: Term): Value[] {
  const { literals, source } = term;
  const values: Value[] = [];
  const isOpaque = source.kind !== "path";
  const steps = source.kind === "path" ? source.steps : [];
  if (textsIn(literals).length > 0 || term.lowered.length > 0) {
    const texts = textsOf(term, false) as string[];
    const isMessage = steps[1] === "eip_712";
    const isArguments = steps[2] === "contract_call_args";
    // Addresses among contract arguments always compare without regard to case.
    if (!isArguments) values.push(...texts);
    else values.push(...texts.filter((text) => !ADDRESS.test(text)));
    if (isMessage || isOpaque) values.push(...distinctFolded(new Set(texts)));
    if (isArguments) {
      values.push(...distinctFolded(new Set(texts.filter((text) => ADDRESS.test(text)))));
    }
  }
  if (numbersIn(literals).length > 0) values.push(...numbersOf(literals, MIN_INT));
  if (literals.some((literal) => typeof literal === "boolean")) values.push(false, true);
  return values;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function distinctFolded(texts: ReadonlySet<string>): Value[] {
  const byLower = new Map<string, string>();
  for (const text of texts) {
    if (!byLower.has(lowerCase(text))) byLower.set(lowerCase(text), text);
  }
  return [...byLower.values()].map(folded);
}

/** A text with this lower case that is none of those; one of them if they are all there is. */
function otherCase(lower: string, taken: ReadonlySet<string>): string {
  if (!taken.has(lower)) return lower;
  const letters = [...lower].map((letter) => (letter >= "a" && letter <= "z" ? 1 : 0));
  const count = Math.min(letters.filter(Boolean).length, 20);
  for (let bits = 1; bits < 2 ** count; bits++) {
    let seen = 0;
    const text = [...lower]
      .map((letter, i) => (letters[i] && bits & (1 << seen++) ? letter.toUpperCase() : letter))
      .join("");
    if (!taken.has(text)) return text;
  }
  return lower;
}

/** A text that differs from all of these in more than case, of the same look if they have one. */
function otherText(steps: readonly Step[], texts: readonly string[]): string {
  const taken = new Set(texts.map(lowerCase));
  const known = OTHERS[steps.join(".")]?.find((text) => !taken.has(lowerCase(text)));
  if (known) return known;
  for (let i = 1; ; i++) {
    const text = texts.some((one) => ADDRESS.test(one))
      ? `0x${i.toString(16).padStart(40, "0")}`
      : texts.some((one) => UUID.test(one))
        ? `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`
        : `other${i === 1 ? "" : i}`;
    if (!taken.has(text)) return text;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const OTHERS: Record<string, readonly string[] | undefined> = {
  "activity.type": ["ACTIVITY_TYPE_CREATE_WALLET", "ACTIVITY_TYPE_CREATE_USER_TAG"],
  "activity.kind": ["CREATE_WALLET", "CREATE_USER_TAG"],
  "activity.resource": ["WALLET", "USER"],
  "activity.action": ["CREATE", "UPDATE"],
};

function textsIn(literals: readonly Value[]): string[] {
  return literals.filter((literal) => typeof literal === "string");
}

function numbersIn(literals: readonly Value[]): bigint[] {
  return literals.filter((literal) => typeof literal === "bigint");
}
