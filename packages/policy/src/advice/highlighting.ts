// The colours of a clause for those who show it, also while it is being written and cannot be parsed yet.

export type Highlight = {
  readonly start: number;
  readonly end: number;
  readonly kind: "string" | "number" | "function" | "keyword" | "name" | "punctuation";
};

/** The parts of a clause that have a colour, in their order. */
export function highlight(source: string): Highlight[] {
  return [...source.matchAll(PARTS)].map((match) => {
    const [whole, string, number, called, word, name] = match;
    const place = { start: match.index, end: match.index + whole.length };
    if (string !== undefined) return { ...place, kind: "string" };
    if (number !== undefined) return { ...place, kind: "number" };
    if (called !== undefined) return { ...place, kind: "function" };
    if (word !== undefined) return { ...place, kind: "keyword" };
    return { ...place, kind: name === undefined ? "punctuation" : "name" };
  });
}

/** Text, a number, a function, a word of the language, a name, an operator. */
const PARTS = /('[^']*'?)|(\b\d+\b)|(\w+)(?=\()|\b(true|false|in)\b|([A-Za-z_]\w*)|([&|!=<>]+)/g;
