/** What the library's thread and the thread that serves everybody tell each other. */

/** The records of the pages below a base, as they were sent. The thread makes an index of them. */
type Load = { kind: "load"; base: string; records: Uint8Array<ArrayBuffer> };

/** In the pages below the first base, and in those of the others that it has no translation of. */
type Find = { kind: "find"; id: number; bases: string[]; text: string; most: number };

/** The sections that a question is about, of the same pages. */
type Ask = Omit<Find, "kind"> & { kind: "ask" };

export type ToLibrary = Load | Find | Ask;

/** A section of a page. */
export type Passage = {
  /** The category, the page, and the headings down to the section itself. */
  titles: string[];
  /** Of the page, with the anchor of the section. */
  path: string;
  text: string;
};

export type FromLibrary =
  | { kind: "loaded"; base: string }
  | { kind: "found"; id: number; passages: Passage[] }
  | { kind: "failed"; id: number; message: string };
