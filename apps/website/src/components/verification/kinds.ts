import type { AnswerKind } from "../../verification/requirement.ts";

/** The kinds of answers, in the order in which readers see them, with their labels. */
export const kinds: readonly { kind: AnswerKind; label: string; means: string }[] = [
  { kind: "tests", label: "Tested", means: "tests show it" },
  { kind: "pages", label: "Documented", means: "it asks for a description, and a page has it" },
  { kind: "operator", label: "Up to you", means: "the operator of the service decides it" },
  { kind: "doesNotApply", label: "Doesn’t apply", means: "there is nothing that it is about" },
  { kind: "missing", label: "Missing", means: "all or a part of it isn’t there" },
];

export function labelOf(wanted: AnswerKind): string {
  return kinds.find(({ kind }) => kind === wanted)?.label ?? wanted;
}
