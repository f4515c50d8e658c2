import { flowing, type Records, type Section } from "@keyhearth/search/records";

/** The records of a site, and the address of its pages. */
export type RecordsAt = { base: string; records: Records };

const levels = ["lvl0", "lvl1", "lvl2", "lvl3", "lvl4", "lvl5", "lvl6"] as const;

/** A record as Algolia's crawler for documentation writes it, which its window for readers expects. */
export type HostedRecord = {
  objectID: string;
  url: string;
  url_without_anchor: string;
  anchor: string | null;
  type: (typeof levels)[number] | "content";
  hierarchy: Record<(typeof levels)[number], string | null>;
  content: string | null;
  /** Several where a page has no translation. */
  language: string[];
  docusaurus_tag: string;
  /** The order of records that match equally well. */
  weight: { level: number; position: number };
};

/** An index may refuse a record of more than 10 KB. */
const LONGEST = 4000;

/** The records of all parts of a site. A page that has no translation is one record for the readers of both languages. */
export function hostedRecords(parts: readonly RecordsAt[]): HostedRecord[] {
  return parts.flatMap(({ base, records }) =>
    records.pages.flatMap(([place, tag, category, sections]) => {
      const others = parts.filter((part) => part.records.untranslated.includes(place));
      const language = [records.language, ...others.map((part) => part.records.language)];
      const page = { url: base + place.slice(1), language, docusaurus_tag: tag };
      return recordsOfPage(page, category, sections);
    }),
  );
}

type PageOfRecords = Pick<HostedRecord, "url" | "language" | "docusaurus_tag">;

function recordsOfPage(page: PageOfRecords, category: string, sections: Section[]): HostedRecord[] {
  const above: string[] = [];
  return sections.flatMap(([anchor, level, title, content, words = ""], position) => {
    above.length = Math.min(above.length, level - 1);
    above[level - 1] = title;
    const titles = [category || (above[0] ?? ""), ...above.filter(Boolean)];
    const url = anchor === "" ? page.url : `${page.url}#${anchor}`;
    const own = levels[titles.length - 1] ?? "lvl6";
    const texts = [flowing(content), words].flatMap(piecesOf);
    return [null, ...texts].map(
      (text, piece): HostedRecord => ({
        ...page,
        objectID: `${url}|${piece}`,
        url,
        url_without_anchor: page.url,
        anchor: anchor || null,
        type: text === null ? own : "content",
        hierarchy: hierarchyOf(titles),
        content: text === null ? null : escapeHtml(text),
        weight: { level: text === null ? 100 - 10 * level : 0, position },
      }),
    );
  });
}

function hierarchyOf(titles: string[]): HostedRecord["hierarchy"] {
  const named = levels.map((level, at) => {
    const title = titles[at];
    return [level, title === undefined ? null : escapeHtml(title)];
  });
  // Every level has an entry.
  return Object.fromEntries(named) as HostedRecord["hierarchy"];
}

/** A text in pieces that end with a word. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > LONGEST) {
    const space = rest.lastIndexOf(" ", LONGEST);
    const end = space > 0 ? space : LONGEST;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === "" ? pieces : [...pieces, rest];
}

/** Windows that show records take them for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The deepest heading first: it says most about what is below it. */
const titles = levels.map((level) => `unordered(hierarchy.${level})`).toReversed();

/** How the index has to be set up: the filters that the pages send, and what counts first. */
export const indexSettings = {
  searchableAttributes: [...titles, "content"],
  attributesForFaceting: ["language", "docusaurus_tag", "type"],
  attributesToRetrieve: "hierarchy content anchor url url_without_anchor type language".split(" "),
  attributesToHighlight: ["hierarchy", "content"],
  attributesToSnippet: ["content:10"],
  attributeForDistinct: "url",
  distinct: true,
  ranking: ["words", "filters", "typo", "attribute", "proximity", "exact", "custom"],
  customRanking: ["desc(weight.level)", "asc(weight.position)"],
  minWordSizefor1Typo: 3,
  minWordSizefor2Typos: 7,
  ignorePlurals: true,
  removeWordsIfNoResults: "allOptional",
  separatorsToIndex: "_",
};
