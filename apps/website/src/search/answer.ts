import { flowing } from "@keyhearth/search/records";
import type { Entry } from "@keyhearth/search/search-index";
import { type FoundIn, findIn, type Source } from "@keyhearth/search/sources";
import {
  beginningOf,
  escapeHtml,
  hasMatch,
  highlight,
  type Marks,
  matchOf,
  snippetOf,
} from "./highlight.ts";

/** The parts of a request of the hosted search that ours answers too. */
export type SearchRequest = {
  query?: string;
  /** All of these have to be true, and of a list one. */
  facetFilters?: readonly (string | readonly string[])[];
  hitsPerPage?: number;
  page?: number;
  highlightPreTag?: string;
  highlightPostTag?: string;
  /** How many words of which field are shown, such as `content:10`. */
  attributesToSnippet?: readonly string[];
};

/** In the order of the levels: the category, the page, and its headings. */
const levels = ["lvl0", "lvl1", "lvl2", "lvl3", "lvl4", "lvl5", "lvl6"] as const;
type Level = (typeof levels)[number];
type ByLevel<T> = Record<Level, T>;

type Highlighted = { value: string; matchLevel: "full" | "none"; matchedWords: string[] };

export type Hit = {
  objectID: string;
  url: string;
  url_without_anchor: string;
  anchor: string | null;
  type: Level | "content";
  hierarchy: ByLevel<string | null>;
  content: string | null;
  language: string;
  docusaurus_tag: string;
  _highlightResult: { hierarchy: Partial<ByLevel<Highlighted>>; content?: Highlighted };
  _snippetResult: { hierarchy: Partial<ByLevel<Highlighted>>; content?: Highlighted };
};

export type SearchAnswer = {
  hits: Hit[];
  nbHits: number;
  page: number;
  nbPages: number;
  hitsPerPage: number;
  query: string;
};

/** The letters of a word with the space after it. */
const WORD = 7;

const SNIPPET_WORDS = 10;

/** Answers as the hosted search does, which the parts of the page that show results know. */
export function answerSearch(sources: readonly Source[], request: SearchRequest): SearchAnswer {
  const { query = "", hitsPerPage = 20, page = 0, facetFilters = [] } = request;
  const { highlightPreTag: before = "<em>", highlightPostTag: after = "</em>" } = request;
  const found = findIn(sources, query).filter((one) => {
    const facets = facetsOf(one);
    return facetFilters.every((filter) => [filter].flat().some((each) => facets.includes(each)));
  });
  const start = page * hitsPerPage;
  return {
    hits: found
      .slice(start, start + hitsPerPage)
      .map((one) => hitOf(one, { before, after }, snippetWords(request) * WORD)),
    nbHits: found.length,
    page,
    nbPages: Math.ceil(found.length / hitsPerPage),
    hitsPerPage,
    query,
  };
}

function facetsOf({ entry, languages }: FoundIn): string[] {
  return [...languages.map((language) => `language:${language}`), `docusaurus_tag:${entry.tag}`];
}

function snippetWords({ attributesToSnippet = [] }: SearchRequest): number {
  const asked = attributesToSnippet.find((one) => one.startsWith("content:"));
  return Number(asked?.slice("content:".length)) || SNIPPET_WORDS;
}

function hitOf(
  { entry, url, languages: [language = ""], terms, stem }: FoundIn,
  marks: Marks,
  length: number,
): Hit {
  const match = matchOf(terms, stem);
  const mark = (text: string): Highlighted => {
    const isFound = hasMatch(text, match);
    const value = isFound ? highlight(text, match, marks) : escapeHtml(text);
    return { value, matchLevel: isFound ? "full" : "none", matchedWords: [...terms] };
  };
  const hierarchy = hierarchyOf(entry);
  const marked = Object.fromEntries(
    levels.flatMap((level) => {
      const title = hierarchy[level];
      return title === null ? [] : [[level, mark(title)]];
    }),
  );
  const own = levels[entry.titles.length - 1] ?? "lvl1";
  const isInTitle = marked[own]?.matchLevel === "full";
  const text = flowing(entry.content);
  // A text begins with what it is about.
  const snippet = isInTitle ? beginningOf(text, length) : snippetOf(text, match, length);
  const content = snippet === "" ? undefined : mark(snippet);
  return {
    objectID: url,
    url,
    url_without_anchor: url.replace(/#.*/, ""),
    anchor: entry.anchor || null,
    type: isInTitle || content?.matchLevel !== "full" ? own : "content",
    hierarchy,
    content: text || null,
    language,
    docusaurus_tag: entry.tag,
    _highlightResult: { hierarchy: marked, content },
    _snippetResult: { hierarchy: marked, content },
  };
}

function hierarchyOf({ titles }: Entry): ByLevel<string | null> {
  const named = levels.map((level, at) => [level, titles[at] ?? null]);
  // Every level has an entry.
  return Object.fromEntries(named) as ByLevel<string | null>;
}
