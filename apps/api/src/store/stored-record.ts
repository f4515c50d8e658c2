/** A stored record with the digest by which the core asks for it. */
export type StoredRecord = { digest: string; bytes: Uint8Array };
