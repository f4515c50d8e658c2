import MiniSearch, { type Query, type SearchResult } from "minisearch";
import type { Concept } from "./concepts.ts";
import { formsOf, meaningsOf } from "./heard.ts";
import type { Page, Records } from "./records.ts";
import { nameOf, namesIn, type Stem, stemmerOf, wordsIn } from "./words.ts";

/** A section of a page that can be found. */
export type Entry = {
  address: string;
  anchor: string;
  tag: string;
  level: number;
  /** The category, the page, and the headings down to the section itself. */
  titles: string[];
  content: string;
};

export type Found = { entry: Entry; score: number; terms: ReadonlySet<string>; stem: Stem };

export type SearchIndex = {
  language: string;
  untranslated: ReadonlySet<string>;
  /** What has all words of the text, the best first. */
  find(text: string): Found[];
  /** What has something of a question. */
  ask(concepts: readonly Concept[]): Told[];
  /** How many sections there are. */
  size: number;
  stem: Stem;
};

/** A section with what it has of a question. */
export type Told = {
  entry: Entry;
  /** Of how many words, and how often it has them. */
  score: number;
  /** For each concept, how prominent it is: 0 if the section has nothing of it, and 1 if it is the title. */
  prominence: number[];
};

/** What a match is worth in each field. A name that is typed whole is what the reader wants. */
const weights = { name: 40, title: 8, page: 3, category: 1, content: 1, words: 2 };

type Document = Record<keyof typeof weights, string> & { id: number };

const inText: (keyof typeof weights)[] = ["title", "page", "category", "content", "words"];

/** How prominent a word is in each field. */
const prominences: Record<keyof typeof weights, number> = {
  name: 1,
  title: 1,
  words: 0.8,
  page: 0.8,
  category: 0.4,
  content: 0.6,
};

/** The page that has a section for each call and each type. */
const REFERENCE = "/api";

/** A word of this length begins too many others, so they are only looked for in titles. */
const SHORT = 2;

/** Of the words of a long text, such as the message of an error with an id in it, this part has to be there. */
const ENOUGH = { words: 4, part: 0.6 };

export function createIndex({ language, pages, untranslated }: Records): SearchIndex {
  const stem = stemmerOf(language);
  const entries: Entry[] = [];
  const index = new MiniSearch<Document>({
    fields: Object.keys(weights),
    tokenize: (text, field) => (field === "name" ? text.split(" ") : wordsIn(text)),
    processTerm: (word, field) => (field === "name" ? word : formsOf(word, stem)),
  });
  for (const page of pages) {
    for (const { entry, words } of entriesOf(page)) {
      index.add(documentOf(entry, words, entries.length));
      entries.push(entry);
    }
  }

  function search(query: Query): SearchResult[] {
    return index.search(query, {
      // The query has each form of its words already.
      tokenize: (text) => [text],
      processTerm: (word) => word,
      boost: weights,
      boostDocument: (id) => importanceOf(entries[id]),
      bm25: { k: 1.2, b: 0.5, d: 0.3 },
    });
  }

  return {
    language,
    untranslated: new Set(untranslated),
    find(text) {
      const names = namesIn(text);
      if (names.length === 0) return [];
      const isLong = names.flat().length > MOST_SIMILAR;
      const found = firstOf([
        () => search(allOf(text, names, stem, EXACT)),
        () => (isLong ? [] : search(allOf(text, names, stem, SIMILAR))),
        () => enough(search(anyOf(names, stem)), names.length),
      ]);
      return found.map(({ id, score, terms }) => {
        const entry = entries[id];
        if (!entry) throw new Error("the index has an entry that does not exist");
        return { entry, score, terms: new Set(terms), stem };
      });
    },
    ask(concepts) {
      const meanings = meaningsOf(concepts, stem);
      if (meanings.size === 0) return [];
      const found = search({ combineWith: "OR", queries: [...meanings.keys()], fields: inText });
      return found.map(({ id, score, match }) => {
        const entry = entries[id];
        if (!entry) throw new Error("the index has an entry that does not exist");
        const prominence = concepts.map(() => 0);
        for (const [term, fields] of Object.entries(match)) {
          // The index has no other fields.
          const each = fields.map((field) => prominences[field as keyof typeof weights]);
          const most = Math.max(...each);
          for (const { at, worth } of meanings.get(term) ?? []) {
            prominence[at] = Math.max(prominence[at] ?? 0, worth * most);
          }
        }
        return { entry, score, prominence };
      });
    },
    size: entries.length,
    stem,
  };
}

function firstOf(searches: (() => SearchResult[])[]): SearchResult[] {
  for (const search of searches) {
    const found = search();
    if (found.length > 0) return found;
  }
  return [];
}

function enough(found: SearchResult[], words: number): SearchResult[] {
  if (words < ENOUGH.words) return [];
  return found.filter(({ queryTerms }) => new Set(queryTerms).size >= words * ENOUGH.part);
}

/** How much of a word may differ. */
type Likeness = { fuzzy: number };
const EXACT: Likeness = { fuzzy: 0 };
const SIMILAR: Likeness = { fuzzy: 0.25 };

/** To look for words that are like one takes milliseconds, and nobody types so many of them that all are on one page. */
const MOST_SIMILAR = 10;

/** Shorter words are too like others. */
const FUZZY_FROM = 4;

/** All names of the text, the last of which may go on, or the one name that they make up. */
function allOf(text: string, names: string[][], stem: Stem, like: Likeness): Query {
  const name = nameOf(text);
  const whole: Query = {
    queries: [name],
    fields: ["name"],
    fuzzy: fuzzyOf(name, like),
    maxFuzzy: 2,
  };
  const all: Query = {
    combineWith: "AND",
    queries: names.map((parts, at) => queryOfName(parts, at === names.length - 1, stem, like)),
  };
  return { combineWith: "OR", queries: [whole, all] };
}

/** A name that is written together, or the words that it is made of. */
function queryOfName(parts: string[], goesOn: boolean, stem: Stem, like: Likeness): Query {
  const words = parts.map((word, at) =>
    queryOfWord(word, goesOn && at === parts.length - 1, stem, like),
  );
  const together: Query = { combineWith: "AND", queries: words };
  if (parts.length === 1) return together;
  const name = queryOfWord(parts.join(""), goesOn, stem, like);
  return { combineWith: "OR", queries: [name, together] };
}

function queryOfWord(word: string, goesOn: boolean, stem: Stem, like: Likeness): Query {
  return {
    combineWith: "OR",
    queries: formsOf(word, stem),
    prefix: (term) => goesOn && term === word,
    fuzzy: (term) => term === word && fuzzyOf(word, like),
    maxFuzzy: 2,
    fields: goesOn && word.length <= SHORT ? ["title", "page"] : inText,
  };
}

function fuzzyOf(word: string, { fuzzy }: Likeness): number | false {
  return fuzzy > 0 && word.length >= FUZZY_FROM && fuzzy;
}

function anyOf(names: string[][], stem: Stem): Query {
  const words = names.map((parts) => stem(parts.join("")));
  return { combineWith: "OR", queries: words, fields: inText };
}

function documentOf({ titles, anchor, content }: Entry, words: string, id: number): Document {
  const [category = "", page = "", ...headings] = titles;
  const title = headings.at(-1) ?? page;
  const names = new Set([nameOf(title), nameOf(anchor)]);
  const above = headings.length > 0 ? [page, ...headings.slice(0, -1)].join(" ") : "";
  return { id, name: [...names].join(" "), title, page: above, category, content, words };
}

/** A name means a call before anything that is told about it, and a page before a section. */
function importanceOf(entry: Entry | undefined): number {
  if (entry === undefined) return 1;
  if (entry.address === REFERENCE && entry.level > 2) return 1.3;
  return entry.level === 1 ? 1.5 : entry.level === 2 ? 1.15 : 1;
}

function* entriesOf([address, tag, category, sections]: Page) {
  const above: string[] = [];
  for (const [anchor, level, title, content, words = ""] of sections) {
    above.length = Math.min(above.length, level - 1);
    above[level - 1] = title;
    const titles = [category || (above[0] ?? ""), ...above.filter(Boolean)];
    yield { entry: { address, anchor, tag, level, titles, content } satisfies Entry, words };
  }
}
