import type { ActivityRecord } from "../records/activity.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { MAX_AGE_MS } from "./envelope.ts";

/** Waiting activities that ended and a document remembers by name; older ones fall under a bound in time. */
const MAX_ENDED = 1000;

/** Whether these bytes ran or ended already. Asked of the document, since a host may hide an activity. */
export function isClosed({ closed, decided }: OrganizationDocument, fingerprint: string): boolean {
  return (
    closed.some((each) => each.fingerprint === fingerprint) ||
    decided.some((each) => each.fingerprint === fingerprint)
  );
}

/** Remembers bytes that ran, for as long as their timestamp would let them run again. */
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
 * Remembers an activity that waited and has ended: its record could be rolled back to waiting at
 * any later time. When the list is full, everything as old as its oldest entry counts as lapsed.
 * Its bytes are closed too: once it has left the list they could start it again.
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
