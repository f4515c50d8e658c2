import { limitExceeded } from "../errors.ts";
import type { ActivityRecord } from "../records/activity.ts";
import type { DecidedLine, OrganizationDocument } from "../records/organization.ts";
import { MAX_AGE_MS } from "./envelope.ts";

/** How many ended activities a document remembers. Older ones are excluded by `isForgotten`. */
const MAX_ENDED = 1000;

/** How often a user may change the document within an hour. */
const MAX_CLOSED = 1000;

/** How often of that without any permission: changes of the user's own credentials. */
const MAX_OWN_CLOSED = 20;

/**
 * How often more to end credentials: somebody who stole one and changes others again and again must not
 * keep the user from ending it.
 */
const MORE_ENDINGS = 20;

/** The request that changed the document, and the user whose stamp completed it. */
export type Change = {
  fingerprint: string;
  timestampMs: number;
  userId: string;
  isOwn: boolean;
  /** It only ends credentials. */
  endsCredentials?: boolean | undefined;
};

/** Has this request already run or ended? Asks the document, because a host could hide an activity. */
export function isClosed({ closed, decided }: OrganizationDocument, fingerprint: string): boolean {
  return (
    closed.some((each) => each.fingerprint === fingerprint) ||
    decided.some((each) => each.fingerprint === fingerprint)
  );
}

/** Has the activity left the list of decided ones, or could it have? Then it takes no more votes. */
export function isForgotten(
  { decidedBeforeMs, lapsed }: OrganizationDocument,
  { createdAtMs, votes }: Pick<ActivityRecord, "createdAtMs" | "votes">,
): boolean {
  const own = lapsed.find(({ userId }) => userId === votes[0]?.userId);
  return createdAtMs < Math.max(decidedBeforeMs, own?.beforeMs ?? 0);
}

/**
 * Remembers a request that ran, for as long as its timestamp would let it run again. A line stays for
 * at least an hour: with old timestamps, a user could otherwise change the document more often.
 */
export function close(draft: OrganizationDocument, change: Change, nowMs: number) {
  const { fingerprint, timestampMs, userId, isOwn } = change;
  draft.closed = draft.closed.filter(({ untilMs }) => untilMs > nowMs);
  if (timestampMs + MAX_AGE_MS <= nowMs) return;
  assertFewChanges(draft, change);
  const untilMs = Math.max(timestampMs, nowMs) + MAX_AGE_MS;
  draft.closed.push({ fingerprint, untilMs, userId, isOwn });
}

/**
 * Remembers an activity that waited and has ended, because a host could bring its record from when
 * it was waiting at any later time. When the list is full, the user who started the most of them
 * loses the oldest, and everything as old that this user started lapses. The request is closed too,
 * because it could start the activity again once it has left the list.
 */
export function closeWaiting(
  draft: OrganizationDocument,
  {
    fingerprint,
    createdAtMs,
    votes,
  }: Pick<ActivityRecord, "fingerprint" | "createdAtMs" | "votes">,
  change: Omit<Change, "fingerprint" | "isOwn">,
  nowMs: number,
) {
  close(draft, { ...change, fingerprint, isOwn: false }, nowMs);
  draft.decided.push({ fingerprint, createdAtMs, userId: votes[0]?.userId ?? null });
  const known = draft.decided.filter(isKnown);
  if (known.length <= MAX_ENDED) return;
  const oldest = mostOf(known).reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a));
  draft.decided = draft.decided.filter((each) => each !== oldest);
  const { userId } = oldest;
  const before = draft.lapsed.find((each) => each.userId === userId)?.beforeMs ?? 0;
  const beforeMs = Math.max(before, oldest.createdAtMs + 1);
  draft.lapsed = [...draft.lapsed.filter((each) => each.userId !== userId), { userId, beforeMs }];
}

/** A limit for each user, so that nobody fills the document that all share. */
function assertFewChanges(
  { closed }: OrganizationDocument,
  { userId, isOwn, endsCredentials }: Change,
) {
  const mine = closed.filter((each) => each.userId === userId && each.isOwn === isOwn);
  const more = endsCredentials ? MORE_ENDINGS : 0;
  const max = (isOwn ? MAX_OWN_CLOSED : MAX_CLOSED) + more;
  if (mine.length < max) return;
  const again = new Date(Math.min(...mine.map(({ untilMs }) => untilMs))).toISOString();
  const what = isOwn ? "own credentials" : "the organization";
  throw limitExceeded(
    "organizationId",
    `a user may change ${what} ${max} times within an hour: send the request again after ${again}`,
  );
}

type Known = DecidedLine & { userId: string };

function isKnown(line: DecidedLine): line is Known {
  return line.userId !== null;
}

/** The lines of the user who has the most. */
function mostOf(lines: Known[]): Known[] {
  const byUser = Map.groupBy(lines, ({ userId }) => userId);
  return [...byUser.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
}
