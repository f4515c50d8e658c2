import type { Props } from "@theme/CodeBlock/Line";

type Token = Props["line"][number];

/** Joins neighbours of the same colour. White space has no colour, so it joins whatever is before or after it. */
export function mergeTokens(
  line: readonly Token[],
  colorOf: (token: Token) => string | undefined,
): Token[] {
  const merged: Token[] = [];
  for (const token of line) {
    const last = merged.at(-1);
    if (last && (isBlank(token) || isBlank(last) || colorOf(token) === colorOf(last))) {
      const { types } = isBlank(last) ? token : last;
      merged[merged.length - 1] = { types, content: last.content + token.content };
    } else {
      merged.push(token);
    }
  }
  return merged;
}

function isBlank({ content }: Token): boolean {
  return content.trim() === "";
}
