import type { ActivityRecord } from "../records/activity.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { MAX_AGE_MS } from "./envelope.ts";

/** How many ended activities a document remembers. Older ones are excluded by `decidedBeforeMs`. */
const MAX_ENDED = 1000;

/** Has this request already run or ended? Asks the document, because a host could hide an activity. */
export function isClosed({ closed, decided }: OrganizationDocument, fingerprint: string): boolean {
  return (
    closed.some((each) => each.fingerprint === fingerprint) ||
    decided.some((each) => each.fingerprint === fingerprint)
  );
}

/** Remembers a request that ran, for as long as its timestamp would let it run again. */
export function close(
  draft: OrganizationDocument,
  fingerprint: string,
  timestampMs: number,
  nowMs: number,
) {
  draft.closed.push({ fingerprint, untilMs: timestampMs + MAX_AGE_MS });
  draft.closed = draft.closed.filter(({ untilMs }) => untilMs > nowMs);
}

/**
 * Remembers an activity that waited and has ended, because a host could bring its record from when
 * it was waiting at any later time. When the list is full, everything as old as its oldest entry
 * lapses. The request is closed too, because it could start the activity again once it has left the
 * list.
 */
export function closeWaiting(
  draft: OrganizationDocument,
  { fingerprint, createdAtMs }: Pick<ActivityRecord, "fingerprint" | "createdAtMs">,
  timestampMs: number,
  nowMs: number,
) {
  close(draft, fingerprint, timestampMs, nowMs);
  draft.decided.push({ fingerprint, createdAtMs });
  if (draft.decided.length <= MAX_ENDED) return;
  const oldest = draft.decided.reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a));
  draft.decided = draft.decided.filter((each) => each !== oldest);
  draft.decidedBeforeMs = Math.max(draft.decidedBeforeMs, oldest.createdAtMs + 1);
}
