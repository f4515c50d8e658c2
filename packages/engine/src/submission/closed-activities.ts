import { limitExceeded } from "../errors.ts";
import { LIMITS, MAX_AGE_MS } from "../records/limits.ts";
import type { OrganizationDocument } from "../records/organization.ts";

// What a document remembers of activities has a bound, and each user has a part of it alone. Reaching it
// refuses that user's new work, and never a vote or the end of a credential.

/** How many more lines to end credentials. */
const MORE_ENDINGS = 20;

/** The request that changed the document, and the user who sent it. */
export type Change = {
  fingerprint: string;
  timestampMs: number;
  userId: string;
  isOwn: boolean;
  /** It only ends credentials. */
  endsCredentials?: boolean | undefined;
};

/** Has this request already run or ended? Asks the document, because a host could hide an activity. */
export function isClosed({ closed }: OrganizationDocument, fingerprint: string): boolean {
  return closed.some((each) => each.fingerprint === fingerprint);
}

/**
 * Remembers a request that ran at once. Refuses it if its user has no room for another one, unless it ends
 * credentials: then it runs without being remembered. A request that names what is gone ends nothing else, and
 * at most the sessions of the user once more, whom the host could refuse as well.
 */
export function close(draft: OrganizationDocument, change: Change, nowMs: number) {
  dropOld(draft, nowMs);
  const refusal = roomFor(draft, change);
  if (!refusal) remember(draft, change, nowMs);
  else if (!change.endsCredentials) throw refusal;
}

/** Remembers an activity that waited, so that its bytes do not start it again. It had a line before. */
export function closeEnded(
  draft: OrganizationDocument,
  { fingerprint, timestampMs, userId }: Omit<Change, "isOwn">,
  nowMs: number,
) {
  dropOld(draft, nowMs);
  if (timestampMs + MAX_AGE_MS <= nowMs) return;
  remember(draft, { fingerprint, timestampMs, userId, isOwn: false }, nowMs);
}

/** Refuses work that needs a line if its user has no room for one. */
export function assertRoom(document: OrganizationDocument, userId: string, nowMs: number) {
  const closed = document.closed.filter(({ untilMs }) => untilMs > nowMs);
  const refusal = roomFor({ ...document, closed }, { userId, isOwn: false });
  if (refusal) throw refusal;
}

/**
 * A line stays for as long as the timestamp would let the request run again, and at least for an hour: with
 * old timestamps, a user could otherwise change the document more often.
 */
function remember(draft: OrganizationDocument, change: Change, nowMs: number) {
  const { fingerprint, timestampMs, userId, isOwn } = change;
  const untilMs = Math.max(timestampMs, nowMs) + MAX_AGE_MS;
  draft.closed.push({ fingerprint, untilMs, userId, isOwn });
}

function dropOld(draft: OrganizationDocument, nowMs: number) {
  draft.closed = draft.closed.filter(({ untilMs }) => untilMs > nowMs);
}

/** Undefined if there is room. */
function roomFor(
  { closed, waiting }: OrganizationDocument,
  { userId, isOwn, endsCredentials }: Pick<Change, "userId" | "isOwn" | "endsCredentials">,
) {
  const lines = closed.filter((each) => each.isOwn === isOwn);
  const mine = lines.filter((each) => each.userId === userId);
  const more = endsCredentials ? MORE_ENDINGS : 0;
  if (isOwn) {
    if (mine.length < LIMITS.ownChangesPerUser + more) return undefined;
    return full(
      `a user may change own credentials ${LIMITS.ownChangesPerUser + more} times within an hour`,
      mine,
    );
  }
  const waitingOfMine = waiting.filter((each) => each.userId === userId).length;
  const count = mine.length + waitingOfMine;
  if (count >= LIMITS.changesPerUser + more) {
    return full(
      `a user may change the organization ${LIMITS.changesPerUser + more} times within an hour`,
      mine,
    );
  }
  if (count < LIMITS.fewChanges + more || lines.length + waiting.length < LIMITS.changes)
    return undefined;
  return full(
    `the organization may be changed ${LIMITS.changes} times within an hour, by this user more than ${LIMITS.fewChanges} times only as long as others leave room`,
    lines,
  );
}

function full(what: string, lines: OrganizationDocument["closed"]) {
  const againMs = Math.min(...lines.map(({ untilMs }) => untilMs));
  const again = Number.isFinite(againMs)
    ? `send the request again after ${new Date(againMs).toISOString()}`
    : "approve or reject activities that wait, and send the request again";
  return limitExceeded("organizationId", `${what}: ${again}`);
}
