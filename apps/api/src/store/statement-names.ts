import { createHash } from "node:crypto";

/** Reads with more values have lists of any length, and so any number of texts. */
const MAX_VALUES = 8;
const MAX_TEXTS = 100;

/** A list of two values or more, whose next list may have another length. */
const SEVERAL = /\bin \(\$\d+, /;

/** Gives the query builder's statements names, so that a connection plans a text only once. Empty for a text that may not come again. */
export function createStatementNames(): (text: string, values: readonly unknown[]) => string {
  const names = new Map<string, string>();
  return (text, values) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (values.length > MAX_VALUES || SEVERAL.test(text)) return "";
    if (names.size === MAX_TEXTS) return "";
    const name = digestName(text);
    names.set(text, name);
    return name;
  };
}

/** The names of texts that had one before. There are few such texts. */
const digests = new Map<string, string>();

/** A name that no other text has, in this process or in another one. PostgreSQL cuts what is longer than 63 characters. */
export function digestName(text: string): string {
  let name = digests.get(text);
  if (name === undefined) {
    name = `k-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    digests.set(text, name);
  }
  return name;
}
