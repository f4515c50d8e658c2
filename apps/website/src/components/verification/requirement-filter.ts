import { createContext } from "react";
import {
  type AnswerKind,
  kindOf,
  pagesOf,
  type Requirement,
  testsOf,
  textOf,
} from "../../verification/requirement.ts";
import { hasWords } from "../filter/words.ts";

/** Which requirements readers want to see. Without words and with null: all. */
export type RequirementFilter = { words: string[]; kind: AnswerKind | null };

export const RequirementFilterContext = createContext<RequirementFilter>({ words: [], kind: null });

export function isFiltered({ words, kind }: RequirementFilter): boolean {
  return words.length > 0 || kind !== null;
}

export function isWanted(requirement: Requirement, { words, kind }: RequirementFilter): boolean {
  const { number, asks, answer } = requirement;
  if (kind !== null && kindOf(answer) !== kind) return false;
  const tests = testsOf(answer).flatMap(({ file, names }) => [file, ...names]);
  const pages = pagesOf(answer).map(({ title }) => title);
  return hasWords([number, asks, textOf(answer), ...pages, ...tests].join(" "), words);
}
