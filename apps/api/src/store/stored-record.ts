import { sql } from "kysely";

/** A stored record with the digest by which the core asks for it. */
export type StoredRecord = { digest: string; bytes: Uint8Array };

/** The record of a row, or null if it has more bytes. The database knows its size without reading it. */
export function within(maxBytes: number) {
  return sql<Uint8Array | null>`CASE WHEN octet_length(record) <= ${maxBytes} THEN record END`;
}
