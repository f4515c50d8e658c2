import { lowerCase, type Value } from "../values.ts";
import { bit, firstBits } from "./bits.ts";
import { not } from "./formula.ts";
import { type Constraint, implies, within } from "./solve.ts";
import type { Step, Term } from "./terms.ts";

// Relations between the values of terms that hold whatever the clauses say.

/** The variable that stands for a term. */
export type VariableOf = (term: Term) => number;

const ownVariable: VariableOf = ({ variable }) => variable;

/**
 * Relations between slices of one text. A longer slice determines the shorter ones inside it. If
 * the whole text is one that a policy writes out, all its slices are known.
 */
export function slicesAgree(terms: readonly Term[]): Constraint[] {
  const slices = terms.filter(({ source }) => source.kind === "slice");
  const longer = slices.flatMap((slice) => {
    const others = slices.filter((other) => {
      return stepsOf(other) === stepsOf(slice) && other !== slice && endOf(other) >= endOf(slice);
    });
    return others.map((other) => implies(isSet(other, ownVariable), isSet(slice, ownVariable)));
  });
  return [...longer, ...cutsAgree(terms, ownVariable)];
}

/** The slices of a text that a policy writes out. */
export function cutsAgree(terms: readonly Term[], variableOf: VariableOf): Constraint[] {
  return terms.flatMap((slice) => {
    if (slice.source.kind !== "slice") return [];
    const own = stepsOf(slice);
    const whole = terms.find((term) => term.source.kind === "path" && stepsOf(term) === own);
    if (!whole) return [];
    const isThere = implies(isSet(slice, variableOf), isSet(whole, variableOf));
    return [isThere, ...cutsOf(whole, slice, variableOf)];
  });
}

/** With more written-out texts than this, a text is not related to its slices. */
const MAX_TEXTS = 200;

function cutsOf(whole: Term, slice: Term, variableOf: VariableOf): Constraint[] {
  if (slice.source.kind !== "slice" || whole.values.length > MAX_TEXTS) return [];
  const { from, to } = slice.source;
  // The last text represents all texts that no policy writes out.
  const texts = whole.values.filter((value) => value !== undefined).slice(0, -1);
  const filler = slice.values.length - slice.lacks.length - 1;
  return texts.map((text, i) => {
    const letters = [...plain(text)];
    const part = letters.slice(from, to).join("");
    const known = slice.values.findIndex((value) => {
      if (value === undefined) return false;
      return typeof text === "string"
        ? value === part
        : lowerCase(plain(value)) === lowerCase(part);
    });
    // The last lack is the error of a text that is too short.
    const index = to > letters.length ? slice.values.length - 1 : known < 0 ? filler : known;
    return implies(within(variableOf(whole), bit(i)), within(variableOf(slice), bit(index)));
  });
}

/**
 * A count of elements of some sort says that the list is present and has at least that many
 * elements.
 */
export function countsAgree(terms: readonly Term[], variableOf: VariableOf): Constraint[] {
  const counts = terms.filter(({ wholes }) => wholes);
  const byKey = new Map(counts.map((term) => [term.key, term]));
  return counts.flatMap((part) => {
    const wholes = (part.wholes ?? []).flatMap((key) => byKey.get(key) ?? []);
    return wholes.flatMap((whole) => {
      const isThere = implies(isSet(part, variableOf), isSet(whole, variableOf));
      return [isThere, ...limitsOf(part, whole, variableOf)];
    });
  });
}

function limitsOf(part: Term, whole: Term, variableOf: VariableOf): Constraint[] {
  const [parts, wholes] = [numbersOf(part), numbersOf(whole)];
  return parts.slice(1).map((least, i) => {
    const atLeast = firstBits(parts.length) & ~firstBits(i + 1);
    // A number between two of its values counts as the lower one.
    const less = wholes.filter((_, j) => (wholes[j + 1] ?? least + 1n) <= least).length;
    const isLess = within(variableOf(whole), firstBits(less));
    return implies(within(variableOf(part), atLeast), not(isLess));
  });
}

function numbersOf({ values }: Term): bigint[] {
  return values.filter((value) => typeof value === "bigint");
}

function isSet(term: Term, variableOf: VariableOf): Constraint {
  return within(variableOf(term), firstBits(term.values.length - term.lacks.length));
}

function plain(value: Value): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value.kind === "folded" ? value.text : "";
}

/** A key that a text shares with its slices. */
function stepsOf({ source }: Term): string {
  return "steps" in source ? JSON.stringify(source.steps as readonly Step[]) : "";
}

function endOf({ source }: Term): number {
  return source.kind === "slice" ? source.to : 0;
}
