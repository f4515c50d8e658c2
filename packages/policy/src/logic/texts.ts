import { folded, lowerCase, type Value } from "../values.ts";
import { type Atom, literalsOf, type Step, type Term } from "./terms.ts";

// The texts that the atoms of a term can tell apart.

export function textsOf(term: Term, isFolded: boolean): Value[] {
  const { exact, texts } = textsTold(term);
  const steps = term.source.kind === "path" ? term.source.steps : [];
  texts.add(otherText(steps, [...exact, ...texts]));
  return isFolded ? distinctFolded(texts) : [...texts];
}

/**
 * Texts that the term is compared with. For a comparison in lower case, `texts` has a text in that
 * lower case.
 */
function textsTold({ atoms }: Term) {
  const textsOfAtoms = (some: readonly Atom[]) => textsIn(some.flatMap(literalsOf));
  const exact = new Set(textsOfAtoms(atoms.filter(({ isLowered }) => !isLowered)));
  const lowered = textsOfAtoms(atoms.filter(({ isLowered }) => isLowered));
  const texts = new Set([...exact, ...lowered.map((lower) => otherCase(lower, exact))]);
  return { exact: new Set([...exact, ...lowered]), texts };
}

/** Texts as long as the slice, since it never equals any other. */
export function slicesOf(term: Term, length: number): Value[] {
  const { texts } = textsTold(term);
  const { type } = term;
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

export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function distinctFolded(texts: ReadonlySet<string>): Value[] {
  const byLower = new Map<string, string>();
  for (const text of texts) {
    if (!byLower.has(lowerCase(text))) byLower.set(lowerCase(text), text);
  }
  return [...byLower.values()].map(folded);
}

/** A text with this lower case that is not one of those, or one of them if there is no other. */
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

/**
 * A text that differs from all of these in more than case, and has their form if they share one.
 */
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

export function isText(value: Value) {
  return typeof value === "string";
}

export function textsIn(values: readonly Value[]): string[] {
  return values.filter(isText);
}
