/** A stored record by its digest, as the core asks for it. */
export type StoredRecord = { digest: string; bytes: Uint8Array };
