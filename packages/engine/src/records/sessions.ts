import { defineRecord } from "./define.ts";
import { type CredentialType, findUser } from "./organization.ts";

/** A user's expiring credentials: one record for each user. Every write drops expired entries. */
export type Sessions = { userId: string; entries: SessionEntry[] };

export type SessionEntry = {
  apiKeyId: string;
  apiKeyName: string;
  credential: { publicKey: string; type: CredentialType };
  /** The user's epoch when the entry was created. An entry of an older epoch is invalid. */
  sessionEpoch: number;
  expirationSeconds: number;
  createdAtMs: number;
};

export const sessions = defineRecord({
  type: "sessions",
  schema: 1,
  upcasts: {},
  idOf: ({ userId }: Sessions) => userId,
  answers: {
    sessions: ({ header }, { userId }: { userId: string }) => header.id === userId,
  },
  // The document lists the user. The epoch there determines which entries are still valid.
  isBound: ({ header }, document) => findUser(document, header.id) !== undefined,
  finders: ({ records }) => ({
    sessions(userId: string): Sessions {
      const record = records.find(({ header }) => header.id === userId);
      return record?.body ?? { userId, entries: [] };
    },
  }),
  write: { name: "sessions", isReplaced: true },
});

export const MAX_SESSION_ENTRIES = 10;

export function expiresAtMs({ createdAtMs, expirationSeconds }: SessionEntry): number {
  return createdAtMs + expirationSeconds * 1000;
}

/** Adds entries. Expired ones are dropped first, then the oldest. */
export function addEntries(
  current: Sessions,
  added: SessionEntry[],
  { nowMs, sessionEpoch }: { nowMs: number; sessionEpoch: number },
): Sessions {
  const live = current.entries.filter(
    (entry) => entry.sessionEpoch === sessionEpoch && expiresAtMs(entry) > nowMs,
  );
  return { ...current, entries: [...live, ...added].slice(-MAX_SESSION_ENTRIES) };
}
