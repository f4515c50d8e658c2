import type { CacheRule } from "./table.ts";

/** Shared by the tables of keys: they find the records to sign with by the key's id or address. */

export const signingKeyCache: CacheRule<{ signWith: string }> = {
  // After a change, another key may have the address.
  keyOf: ({ signWith }, documentDigest) => `${documentDigest} ${signWith}`,
  maxBytes: 32 * 1024 * 1024,
};

/** PostgreSQL refuses a text with a NUL, even in a comparison. */
export function isSearchable(signWith: string): boolean {
  return !signWith.includes("\0");
}
