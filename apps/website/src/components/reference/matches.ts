import type { Group } from "@site/plugins/api-reference/reference.ts";
import { wordsOf } from "../filter/words.ts";
import { hasMeaning } from "./synonyms.ts";

/** What a reader filters by. Empty is all. */
export type Asked = { words: string; kind: "" | "query" | "submit"; tag: string };

export const everything: Asked = { words: "", kind: "", tag: "" };

/** The operations in which every word occurs, in the name, the summary, the tag or an activity type. */
export function matchOperations(
  groups: readonly Group[],
  { words, kind, tag }: Asked,
): Set<string> {
  const wanted = wordsOf(words);
  const names = groups
    .filter((group) => tag === "" || group.tag === tag)
    .flatMap((group) =>
      group.operations
        .filter((operation) => kind === "" || operation.kind === kind)
        .filter(({ name, summary, versions }) => {
          const types = versions.map(({ type }) => type).join(" ");
          return hasMeaning(`${name} ${summary} ${group.tag} ${types}`, wanted);
        })
        .map(({ name }) => name),
    );
  return new Set(names);
}
