/** A row of the page about verification: a requirement of a standard, and what answers it. */
export type Requirement = {
  /** As the standard numbers it, such as `6.2.1` or `API1`. */
  number: string;
  /** The list of risks for APIs has none. */
  level?: 1 | 2;
  /** What it asks for, in our words. */
  asks: string;
  answer: Answer;
};

export type Answer =
  /** These tests show it. */
  | { tests: readonly ShownBy[]; note?: string }
  /** It asks for a description, and these pages have it. Some of it may be held to the code by tests. */
  | { pages: readonly Page[]; note: string; tests?: readonly ShownBy[] }
  /** It is about what surrounds the program, which the operator chooses. */
  | { operator: string; pages?: readonly Page[] }
  | { doesNotApply: string }
  /** All or a part of it is missing. Tests show the part that is there. */
  | { missing: string; tests?: readonly ShownBy[] };

export type AnswerKind = "tests" | "pages" | "operator" | "doesNotApply" | "missing";

/** Tests of one file, by the titles of their groups and their own, as `vitest -t` takes them. */
export type ShownBy = { file: string; names: readonly string[] };

export type Page = { title: string; to: string };

export type Chapter = {
  /** The anchor of its heading. */
  id: string;
  title: string;
  requirements: readonly Requirement[];
};

export function kindOf(answer: Answer): AnswerKind {
  if ("missing" in answer) return "missing";
  if ("doesNotApply" in answer) return "doesNotApply";
  if ("operator" in answer) return "operator";
  return "pages" in answer ? "pages" : "tests";
}

export function textOf(answer: Answer): string | undefined {
  if ("missing" in answer) return answer.missing;
  if ("doesNotApply" in answer) return answer.doesNotApply;
  return "operator" in answer ? answer.operator : answer.note;
}

export function testsOf(answer: Answer): readonly ShownBy[] {
  return ("tests" in answer && answer.tests) || [];
}

export function pagesOf(answer: Answer): readonly Page[] {
  return ("pages" in answer && answer.pages) || [];
}

export function anchorOf({ number }: Requirement): string {
  const id = number.toLowerCase().replaceAll(".", "-");
  return /^\d/.test(id) ? `v${id}` : id;
}
