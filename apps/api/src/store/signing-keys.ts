import { checksumAddress } from "@keyhearth/crypto/addresses/ethereum";
import type { CacheRule } from "./table.ts";

/** What the tables of keys share: they find the records to sign with by what names the key. */

export const signingKeyCache: CacheRule<{ signWith: string }> = {
  keyOf: ({ signWith }) => signWith,
  max: { wants: 20_000 },
};

/** As given and, for hex, as an Ethereum address with its checksum or in lower case. */
export function spellings(address: string): string[] {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return [address];
  return [
    ...new Set([address, address.toLowerCase(), checksumAddress(address.slice(2).toLowerCase())]),
  ];
}

/** PostgreSQL refuses a text with a NUL, even to compare with. */
export function isSearchable(signWith: string): boolean {
  return !signWith.includes("\0");
}
