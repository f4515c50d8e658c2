import type { CredentialType } from "../fields/logins.ts";
import { defineRecord } from "./define.ts";
import { isFromFuture } from "./future.ts";
import { findUser, type KeyEpoch, type OrganizationDocument, type User } from "./organization.ts";
import { countsByVotesAlone } from "./votes-only.ts";

/** A user's expiring credentials: one record for each user. Every write drops expired entries. */
export type Sessions = { userId: string; entries: SessionEntry[] };

export type SessionEntry = {
  apiKeyId: string;
  apiKeyName: string;
  credential: { publicKey: string; type: CredentialType };
  /** An epoch of the user, as the document lists them. An entry of any other epoch is invalid. */
  sessionEpoch: number;
  expirationSeconds: number;
  createdAtMs: number;
  /** Names the request of a login that votes did not decide. */
  request?: string;
};

export const sessions = defineRecord({
  type: "sessions",
  schema: 1,
  upcasts: {},
  idOf: ({ userId }: Sessions) => userId,
  answers: {
    sessions: ({ header }, { userId }: { userId: string }) => header.id === userId,
    /** The sessions that contain one of these keys, so that no other user registers it. */
    "sessions-of-keys": ({ body }, { publicKeys }: { publicKeys: string[] }) =>
      body.entries.some(({ credential }) => publicKeys.includes(credential.publicKey)),
    /** Both at once: the sessions of the user who logs in with a key, and of any other who has it. */
    "sessions-for-login": (
      { header, body },
      { userId, publicKey }: { userId: string; publicKey: string },
    ) =>
      header.id === userId ||
      body.entries.some(({ credential }) => credential.publicKey === publicKey),
    // Whom a code was sent to is known only after its record was found.
    "sessions-for-code": (_record, _want: { otpId: string }) => true,
  },
  // The document lists the user. The epoch there determines which entries are still valid.
  isBound: ({ header }, document) => findUser(document, header.id) !== undefined,
  finders: ({ document, records }) => ({
    /** Public keys of all entries that are still valid, of all users or of all but one. */
    sessionKeys(nowMs: number, exceptUserId?: string): string[] {
      return records.flatMap(({ body: { userId, entries } }) => {
        if (userId === exceptUserId) return [];
        const user = findUser(document, userId);
        return entries
          .filter((entry) => user && isCommitted(document, user, entry) && isLive(entry, nowMs))
          .map(({ credential }) => credential.publicKey);
      });
    },
    sessions(userId: string): Sessions {
      const record = records.find(({ header }) => header.id === userId);
      return record?.body ?? { userId, entries: [] };
    },
  }),
  write: { name: "sessions", isReplaced: true },
});

export const MAX_SESSION_ENTRIES = 10;

/** Whether the document has the entry's epoch, and its request did not wait for votes. */
export function isCommitted(
  document: Pick<OrganizationDocument, "votesOnly">,
  user: Pick<User, "sessionEpoch" | "keyEpochs">,
  entry: SessionEntry,
): boolean {
  return isEpochOf(user, entry) && !countsByVotesAlone(document, entry.request);
}

/** Whether the document has the entry's epoch: what the entry came with was committed, and was not ended. */
export function isEpochOf(
  { sessionEpoch, keyEpochs }: Pick<User, "sessionEpoch" | "keyEpochs">,
  entry: { sessionEpoch: number },
): boolean {
  return (
    entry.sessionEpoch === sessionEpoch ||
    keyEpochs.some(({ epoch }) => epoch === entry.sessionEpoch)
  );
}

/**
 * An epoch of its own for expiring keys, so that they count only with the document that registers
 * them. The record of a proposal that was never committed has an epoch that no document knows.
 */
export function addKeyEpoch(
  user: User,
  {
    random,
    nowMs,
    ...line
  }: { random: (length: number) => Uint8Array; nowMs: number } & Omit<KeyEpoch, "epoch">,
): number {
  const epoch = newSessionEpoch(random);
  const live = user.keyEpochs.filter((each) => each.untilMs > nowMs);
  user.keyEpochs = [...live, { epoch, ...line }].slice(-MAX_SESSION_ENTRIES);
  return epoch;
}

/** Ends the key that recovers the user, whichever sessions record the host brings. */
export function endRecovery(user: User) {
  user.keyEpochs = user.keyEpochs.filter(({ isRecovery }) => !isRecovery);
}

/** The key in the mail that recovers a user. It registers a passkey and does nothing else. */
export function isRecoveryKey({ type }: { type: string }): boolean {
  return type === "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256";
}

/**
 * Ends all entries that the user has in the sessions record. The caller may write some again. If the
 * request was stamped by a clock that is ahead, the epoch begins at that time: the same clock may have
 * stamped logins just before. It never begins earlier than the one before, which refused them until then.
 */
export function startSessionEpoch(
  user: User,
  {
    random,
    nowMs,
    requestedAtMs,
  }: { random: (length: number) => Uint8Array; nowMs: number; requestedAtMs: number },
) {
  user.sessionEpoch = newSessionEpoch(random);
  user.sessionEpochStartedAtMs = Math.max(nowMs, requestedAtMs, user.sessionEpochStartedAtMs);
  delete user.tokensCountAfterMs;
  user.keyEpochs = [];
}

/** Tokens of social logins that were issued by then start no session of the user. */
export function tokensEndedAtMs({
  sessionEpochStartedAtMs,
  tokensCountAfterMs = sessionEpochStartedAtMs,
}: Pick<User, "sessionEpochStartedAtMs" | "tokensCountAfterMs">): number {
  return tokensCountAfterMs;
}

/**
 * The same as `moveToNewEpoch`, unless a session ends: a login by token may follow in the same second. A token
 * says only the second in which it was issued, so the tokens of this second count, unless an earlier end of sessions
 * has ended them. The clock of the client, which `startSessionEpoch` respects, says nothing about tokens.
 */
export function moveToNewEpochWithTokens(
  user: User,
  kept: SessionEntry[],
  context: Parameters<typeof startSessionEpoch>[1],
): SessionEntry[] {
  const endedAtMs = tokensEndedAtMs(user);
  const moved = moveToNewEpoch(user, kept, context);
  const secondStartedAtMs = Math.floor(context.nowMs / 1000) * 1000;
  user.tokensCountAfterMs = Math.max(endedAtMs, secondStartedAtMs - 1);
  return moved;
}

/**
 * Starts a new epoch, so that no other copy of the sessions record brings a deleted entry back.
 * Returns the entries to keep, which move to the new epoch. A key that recovers the user does not: it
 * has an epoch of its own, with which it ends.
 */
export function moveToNewEpoch(
  user: User,
  kept: SessionEntry[],
  context: Parameters<typeof startSessionEpoch>[1],
): SessionEntry[] {
  const live = kept.filter((entry) => isEpochOf(user, entry) && !isRecoveryKey(entry.credential));
  startSessionEpoch(user, context);
  const { sessionEpoch } = user;
  return live.map((entry) => ({ ...entry, sessionEpoch }));
}

/**
 * An epoch that ends all entries of the one before. It is random, not a count: a sessions record
 * written for a proposal that was never committed must not fit the epoch of one that was. That holds
 * for the first epoch of a user too.
 */
export function newSessionEpoch(random: (length: number) => Uint8Array): number {
  const bytes = random(8);
  const bits = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0);
  // The largest integers that JSON carries exactly have 53 bits.
  return Number(bits >> 11n);
}

/** Whether it has begun and not expired. One from the future was made at a time that was taken back. */
export function isLive(entry: SessionEntry, nowMs: number): boolean {
  return !isFromFuture(entry, nowMs) && expiresAtMs(entry) > nowMs;
}

export function expiresAtMs({ createdAtMs, expirationSeconds }: SessionEntry): number {
  return createdAtMs + expirationSeconds * 1000;
}

/** Adds entries. Expired ones are dropped first, then the oldest. */
export function addEntries(
  current: Sessions,
  added: SessionEntry[],
  { user, nowMs }: { user: Pick<User, "sessionEpoch" | "keyEpochs">; nowMs: number },
): Sessions {
  const live = current.entries.filter((entry) => isEpochOf(user, entry) && isLive(entry, nowMs));
  return { ...current, entries: [...live, ...added].slice(-MAX_SESSION_ENTRIES) };
}
