import { checksumAddress } from "@keyhearth/crypto/addresses/ethereum";
import type { CacheRule } from "./table.ts";

/** Shared by the tables of keys: they find the records to sign with by the key's id or address. */

export const signingKeyCache: CacheRule<{ signWith: string }> = {
  // After a change, another key may have the address.
  keyOf: ({ signWith }, documentDigest) => `${documentDigest} ${signWith}`,
  maxBytes: 32 * 1024 * 1024,
};

/** The address as given and, if it is hex, as an Ethereum address with checksum and in lower case. */
export function spellings(address: string): string[] {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return [address];
  return [
    ...new Set([address, address.toLowerCase(), checksumAddress(address.slice(2).toLowerCase())]),
  ];
}

/** PostgreSQL refuses a text with a NUL, even in a comparison. */
export function isSearchable(signWith: string): boolean {
  return !signWith.includes("\0");
}
