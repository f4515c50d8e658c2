/**
 * How much work one answer may take on a thread. The thread that serves everybody does only what is soon
 * done, and leaves the rest to the reader.
 */
export type Allowance = {
  /** Whether the answer is made by the reader if it takes more. */
  isHere: boolean;
  /** Bytes of one record. */
  record: number;
  /** Bytes of the records on one page. */
  records: number;
  /** Bytes of documents, other than the newest, that are parsed. */
  documents: number;
  /** Work of finding warnings about policies, as lints count it. */
  warnings: number;
};

const MB = 1024 * 1024;

/** About ten milliseconds. */
export const HERE: Allowance = {
  isHere: true,
  record: 64 * 1024,
  records: 64 * 1024,
  documents: 128 * 1024,
  warnings: 4000,
};

/** A page of a list ends after so many bytes of records. */
export const MAX_PAGE_BYTES = 2 * MB;

export const IN_READER: Allowance = {
  isHere: false,
  // More than any has, and the most that a statement compares with a length.
  record: 2 ** 31 - 1,
  records: MAX_PAGE_BYTES,
  documents: Number.POSITIVE_INFINITY,
  warnings: Number.POSITIVE_INFINITY,
};

/** An answer takes more work than is allowed here. */
export class TooHeavy extends Error {}

/** Leaves the answer to the reader, if this is not it. */
export function assertLight({ isHere }: Allowance, isLight: boolean) {
  if (isHere && !isLight) throw tooHeavy();
}

/** What was found. Null is a record that is too large to be read here. */
export function readHere<T>(found: T | null): T {
  if (found === null) throw tooHeavy();
  return found;
}

const tooHeavy = () => new TooHeavy("the answer is left to the reader");
