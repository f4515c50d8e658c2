import type { Concept } from "./concepts.ts";
import { type Stem, wordsIn } from "./words.ts";

/** What of a question a text is about. */
export type Heard = {
  /** What each concept of the question is worth, of 1 in all. */
  weights: readonly number[];
  /** What each word of an index stands for. */
  meanings: ReadonlyMap<string, readonly Meaning[]>;
  stem: Stem;
};

/** Which concept a form of a word stands for, and how well. */
type Meaning = { at: number; worth: number };

/** What another word for it is worth. */
const ALIKE = 0.75;

export function formsOf(word: string, stem: Stem): string[] {
  const its = stem(word);
  return its === word ? [word] : [word, its];
}

/** All forms of the words that stand for something in a question. */
export function meaningsOf(concepts: readonly Concept[], stem: Stem): Map<string, Meaning[]> {
  const meanings = new Map<string, Meaning[]>();
  const add = (word: string, meaning: Meaning) => {
    for (const form of formsOf(word, stem)) {
      const known = meanings.get(form) ?? [];
      if (!known.some(({ at }) => at === meaning.at)) meanings.set(form, [...known, meaning]);
    }
  };
  concepts.forEach(({ word }, at) => {
    add(word, { at, worth: 1 });
  });
  concepts.forEach(({ others }, at) => {
    for (const other of others) add(other, { at, worth: ALIKE });
  });
  return meanings;
}

/** How much of the question is in a text, of 1. */
export function shareOf(text: string, { weights, meanings, stem }: Heard): number {
  const found = weights.map(() => 0);
  for (const word of wordsIn(text)) {
    for (const { at, worth } of meanings.get(word) ?? meanings.get(stem(word)) ?? []) {
      found[at] = Math.max(found[at] ?? 0, worth);
    }
  }
  return found.reduce((sum, each, at) => sum + each * (weights[at] ?? 0), 0);
}
