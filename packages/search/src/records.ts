/** What the search of one language and version finds. The file has each text once and no names of fields, for its size. */
export type Records = {
  language: string;
  pages: Page[];
  /** Pages of the default language that this language has no translation of, by their addresses without a language. */
  untranslated: string[];
};

/** Its address, its tag, the category that it is in, and its sections in their order. */
export type Page = [address: string, tag: string, category: string, sections: Section[]];

/** What has an anchor and a title. The first section of a page is the page itself, without an anchor. */
export type Section = [
  anchor: string,
  level: number,
  title: string,
  /** A line for each paragraph, item and row, in which a tab is between cells. */
  content: string,
  /** Other words for it, which are found and not shown. */
  words?: string,
];

/** What the records of a site are called, below its base. */
export const RECORDS_FILE = "search.json";

/** The content of a section as one line. */
export function flowing(content: string): string {
  return content.replace(/[\n\t]/g, " ");
}
