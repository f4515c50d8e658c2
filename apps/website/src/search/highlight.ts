import { nameOf, type Stem, wordsIn } from "@keyhearth/search/words";

/** What is written around a word that was found, in HTML. */
export type Marks = { before: string; after: string };

/** Whether a word is one of those that were found. */
export type Match = (word: string) => boolean;

export function matchOf(terms: ReadonlySet<string>, stem: Stem): Match {
  const known = new Map<string, boolean>();
  return (word) => {
    const isFound =
      known.get(word) ?? wordsIn(word).some((each) => terms.has(each) || terms.has(stem(each)));
    known.set(word, isFound);
    return isFound;
  };
}

/** A text as HTML in which the words that were found are marked. */
export function highlight(text: string, match: Match, marks: Marks): string {
  return piecesOf(text, match)
    .map(({ words, isFound }) =>
      isFound ? `${marks.before}${escapeHtml(words)}${marks.after}` : escapeHtml(words),
    )
    .join("");
}

/** Whether a word of the text was found. */
export function hasMatch(text: string, match: Match): boolean {
  return piecesOf(text, match).some(({ isFound }) => isFound);
}

/** The part of a text where the most of the words that were found are near each other. */
export function snippetOf(text: string, match: Match, length: number): string {
  if (text.length <= length) return text;
  const places: { at: number; name: string }[] = [];
  for (const { words, isFound, at } of piecesOf(text, match)) {
    if (isFound) places.push({ at, name: nameOf(words) });
  }
  const end = (from: number) => from + length * 0.8;
  let best = { at: 0, count: 0 };
  for (const [first, { at }] of places.slice(0, MOST_PLACES).entries()) {
    const near = new Set<string>();
    for (const place of places.slice(first, first + MOST_NEAR)) {
      if (place.at < end(at)) near.add(place.name);
    }
    if (near.size > best.count) best = { at, count: near.size };
  }
  return cut(text, Math.max(0, best.at - length * 0.2), length);
}

/** A long text has a good place near its beginning. */
const MOST_PLACES = 200;

/** So many words are in a snippet. */
const MOST_NEAR = 40;

export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : cut(text, 0, length);
}

function cut(text: string, from: number, length: number): string {
  const start = from <= 0 ? 0 : text.indexOf(" ", from) + 1;
  const space = text.lastIndexOf(" ", start + length);
  const end = start + length >= text.length || space <= start ? start + length : space;
  const before = start > 0 ? "… " : "";
  const after = end < text.length ? " …" : "";
  return `${before}${text.slice(start, end)}${after}`;
}

type Piece = { words: string; isFound: boolean; at: number };

function piecesOf(text: string, match: Match): Piece[] {
  let at = 0;
  return text.split(/([\p{L}\p{N}]+)/u).map((words, position) => {
    const piece = { words, isFound: position % 2 === 1 && match(words), at };
    at += words.length;
    return piece;
  });
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
