import { alike, phrases, silent } from "./everyday-words.ts";
import { nameOf, namesIn, stemmerOf, wordsIn } from "./words.ts";

/** What one word of a question is about: the word itself, and others that say the same in this documentation. */
export type Concept = { word: string; others: readonly string[] };

/** What a question asks about, without the words that say nothing about it. */
export function conceptsOf(question: string, language: string): Concept[] {
  const stem = stemmerOf(language);
  const concepts = new Map<string, Concept>();
  for (const parts of namesIn(withKnownNames(question, language))) {
    const word = parts.join("");
    if (isSilent(word, language)) continue;
    const its = stem(word);
    if (concepts.has(its)) continue;
    concepts.set(its, { word, others: alikeOf(language).get(its) ?? [] });
  }
  return [...concepts.values()];
}

/** Whether a word says nothing about what is asked. */
export function isSilent(word: string, language: string): boolean {
  return silent[language]?.has(word) ?? false;
}

/** Some things have a name of several words: “seed phrase”. */
function withKnownNames(question: string, language: string): string {
  // A name such as `STAMP_INVALID` stays one word, and `createWallet` keeps its capital.
  const names = question.split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);
  const text = ` ${names.map((name) => (isName(name) ? name : nameOf(name))).join(" ")} `;
  return (phrases[language] ?? []).reduce(
    (all, [phrase, word]) => all.replaceAll(` ${phrase} `, ` ${word} `),
    text,
  );
}

function isName(word: string): boolean {
  return /[_-]|\p{Ll}\p{Lu}/u.test(word);
}

const known = new Map<string, ReadonlyMap<string, string[]>>();

/** For the stem of a word, the other words that mean the same. */
function alikeOf(language: string): ReadonlyMap<string, string[]> {
  const its = known.get(language) ?? readAlike(language);
  known.set(language, its);
  return its;
}

function readAlike(language: string): Map<string, string[]> {
  const stem = stemmerOf(language);
  const found = new Map<string, string[]>();
  for (const words of (alike[language] ?? []).map(wordsIn)) {
    for (const word of words) {
      const its = stem(word);
      const others = words.filter((other) => stem(other) !== its);
      found.set(its, [...new Set([...(found.get(its) ?? []), ...others])]);
    }
  }
  return found;
}
