import { lowerCase, type Value } from "../../values.ts";
import { bit, type Constraint, firstBits } from "./solve.ts";
import type { Step, Term } from "./terms.ts";

/**
 * What holds between slices of one text: whoever has the longer text has the shorter slice, and
 * where the whole text is one that a policy writes out, its slices are known.
 */
export function slicesAgree(terms: readonly Term[]): Constraint[] {
  const slices = terms.filter(({ source }) => source.kind === "slice");
  return slices.flatMap((slice) => {
    const own = stepsOf(slice);
    const longer = slices.filter((other) => {
      return stepsOf(other) === own && other !== slice && endOf(other) >= endOf(slice);
    });
    const whole = terms.find((term) => term.source.kind === "path" && stepsOf(term) === own);
    return [
      ...longer.map((other) => implies(isSet(other), isSet(slice))),
      ...(whole ? cutsOf(whole, slice) : []),
    ];
  });
}

/** Texts of which more are written out than this are not related to their slices. */
const MAX_TEXTS = 200;

function cutsOf(whole: Term, slice: Term): Constraint[] {
  if (slice.source.kind !== "slice" || whole.values.length > MAX_TEXTS) return [];
  const { from, to } = slice.source;
  // The last text stands for all that no policy writes out.
  const texts = whole.values.filter((value) => value !== undefined).slice(0, -1);
  const filler = slice.values.length - 2;
  return texts.map((text, i) => {
    const letters = [...plain(text)];
    const part = letters.slice(from, to).join("");
    const known = slice.values.findIndex((value) => {
      if (value === undefined) return false;
      return typeof text === "string"
        ? value === part
        : lowerCase(plain(value)) === lowerCase(part);
    });
    const index = to > letters.length ? slice.values.length - 1 : known < 0 ? filler : known;
    return implies(within(whole, bit(i)), within(slice, bit(index)));
  });
}

function isSet(term: Term): Constraint {
  return within(term, firstBits(term.values.length - 1));
}

function within({ variable }: Term, values: bigint): Constraint {
  return { kind: "within", variable, values };
}

function implies(premise: Constraint, conclusion: Constraint): Constraint {
  return { kind: "or", operands: [{ kind: "not", operand: premise }, conclusion] };
}

function plain(value: Value): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value.kind === "folded" ? value.text : "";
}

/** The same for a text and its slices. */
export function stepsOf({ source }: Term): string {
  return "steps" in source ? JSON.stringify(source.steps as readonly Step[]) : "";
}

function endOf({ source }: Term): number {
  return source.kind === "slice" ? source.to : 0;
}
