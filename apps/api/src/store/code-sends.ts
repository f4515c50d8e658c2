import type { Window } from "../config/rate-limits.ts";
import type { Store } from "./connect.ts";

/** Whom something counts for. What counts for several families has the organization `EVERYBODY`. */
export type Recipient = { organizationId: string; recipientHash: string };

/**
 * Something that is about to be sent. The request determines the id, so the same bytes count once. `underWay` is how
 * much else may be sent to the recipient at this moment.
 */
export type Send = Recipient & { id: string; count: Count; underWay?: number };

/**
 * Which windows hold: those of one sender, of the operator's families, of those that signed up, of those from one
 * place, of whoever asks the application, or of whoever asks a login proxy for one recipient.
 */
export type Count = "own" | "everybody" | "signups" | "place" | "identifier" | "visitor";

/** Stands for many organizations, in rows about what a recipient gets from all of them. */
export const EVERYBODY = "00000000-0000-0000-0000-000000000000";

export type Windows = Partial<Record<Count, readonly Window[]>>;

/** What others have sent refuses nothing to a sender who has sent the recipient nothing for so long. */
export const QUIET_MS = 10 * 60_000;

type Sending = { sends: readonly Send[]; nowMs: number };

/**
 * Counts all of it if every window of every recipient has room for it, and otherwise nothing. One message that is
 * the first from its sender for a while needs no room in the windows of everybody. The rows are locked before they are
 * compared, so processes that send at the same time do not exceed a limit together. Returns whether it was counted.
 */
export async function countSends(
  store: Store,
  sending: Sending,
  limits: Windows,
): Promise<boolean> {
  const [row] = await store.run("count-sends", COUNT, valuesOf(sending, limits));
  return row?.is_counted === true;
}

/** Whether all of it would be counted now, also after what is under way was sent. Counts and locks nothing. */
export async function hasRoomFor(
  store: Store,
  sending: Sending,
  limits: Windows,
): Promise<boolean> {
  const [row] = await store.run("find-room", FIND_ROOM, valuesOf(sending, limits));
  return row?.has_room === true;
}

function valuesOf({ sends, nowMs }: Sending, limits: Windows) {
  const windows = Object.entries(limits).flatMap(([count, each]) =>
    each.map((window) => ({ ...window, count })),
  );
  return [
    sends.map(({ organizationId }) => organizationId),
    sends.map(({ recipientHash }) => recipientHash),
    sends.map(({ id }) => id),
    sends.map(({ count }) => count),
    nowMs,
    windows.map(({ count }) => count),
    windows.map(({ most }) => most),
    windows.map(({ withinMs }) => withinMs),
    QUIET_MS,
    sends.map(({ underWay = 0 }) => underWay),
  ];
}

const compared = (lock: "" | "ORDER BY s.organization_id, s.recipient_hash FOR UPDATE OF s") => `
     WITH limits AS (
       SELECT * FROM unnest($6::text[], $7::int[], $8::bigint[]) AS l (counted_as, most, within_ms)
     ), wanted AS (
       SELECT w.organization_id, w.recipient_hash, w.counted_as, array_agg(DISTINCT w.id) AS ids,
         max(w.under_way) AS under_way,
         coalesce((SELECT max(most) FROM limits WHERE limits.counted_as = w.counted_as), 1) AS kept
       FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $10::int[])
         AS w (organization_id, recipient_hash, id, counted_as, under_way)
       GROUP BY w.organization_id, w.recipient_hash, w.counted_as
     ), locked AS (
       SELECT s.organization_id, s.recipient_hash, s.sent_at_ms, s.activity_ids
       FROM code_sends AS s JOIN wanted USING (organization_id, recipient_hash)
       ${lock}
     ), fresh AS (
       SELECT organization_id, recipient_hash, counted_as, under_way,
         coalesce(locked.sent_at_ms, '{}') AS sent_at_ms,
         ARRAY(SELECT each FROM unnest(wanted.ids) AS each
           WHERE locked.activity_ids IS NULL OR each <> ALL (locked.activity_ids)) AS ids
       FROM wanted LEFT JOIN locked USING (organization_id, recipient_hash)
     ), firsts AS (
       SELECT ids[1] AS id FROM fresh
       WHERE counted_as = 'own' AND cardinality(ids) + under_way = 1 AND NOT EXISTS (
         SELECT 1 FROM unnest(sent_at_ms) AS sent (at_ms) WHERE sent.at_ms > $5::bigint - $9::bigint)
     ), rules AS (
       SELECT fresh.organization_id, fresh.recipient_hash, limits.most, limits.within_ms
       FROM fresh JOIN limits USING (counted_as)
       WHERE counted_as <> 'everybody' OR NOT fresh.ids <@ ARRAY(SELECT id FROM firsts)
     ), too_many AS (
       SELECT 1 FROM fresh JOIN rules USING (organization_id, recipient_hash)
       WHERE cardinality(fresh.ids) > 0 AND cardinality(fresh.ids) + fresh.under_way + (
         SELECT count(*) FROM unnest(fresh.sent_at_ms) AS sent (at_ms)
         WHERE sent.at_ms > $5::bigint - rules.within_ms) > rules.most
     )`;

const FIND_ROOM = `${compared("")}
     SELECT NOT EXISTS (SELECT 1 FROM too_many) AS has_room`;

const COUNT = `${compared("ORDER BY s.organization_id, s.recipient_hash FOR UPDATE OF s")}, counted AS (
       INSERT INTO code_sends AS sends
         (organization_id, recipient_hash, sent_at_ms, activity_ids, last_sent_at_ms)
       SELECT organization_id, recipient_hash, array_fill($5::bigint, ARRAY[cardinality(ids)]), ids, $5::bigint
       FROM fresh WHERE cardinality(ids) > 0 AND NOT EXISTS (SELECT 1 FROM too_many)
       ORDER BY organization_id, recipient_hash
       ON CONFLICT (organization_id, recipient_hash) DO UPDATE SET
         sent_at_ms = (sends.sent_at_ms || excluded.sent_at_ms)[greatest(1, 1 - (
           SELECT kept FROM wanted WHERE wanted.organization_id = sends.organization_id
             AND wanted.recipient_hash = sends.recipient_hash)
           + cardinality(sends.sent_at_ms) + cardinality(excluded.sent_at_ms)):],
         activity_ids = (sends.activity_ids || excluded.activity_ids)[greatest(1, 1 - (
           SELECT kept FROM wanted WHERE wanted.organization_id = sends.organization_id
             AND wanted.recipient_hash = sends.recipient_hash)
           + cardinality(sends.activity_ids) + cardinality(excluded.activity_ids)):],
         last_sent_at_ms = greatest(sends.last_sent_at_ms, $5::bigint)
       -- A row that another process has just made was not there to be locked.
       WHERE NOT EXISTS (
         SELECT 1 FROM rules WHERE rules.organization_id = sends.organization_id
         AND rules.recipient_hash = sends.recipient_hash
         AND cardinality(excluded.activity_ids) + (
           SELECT count(*) FROM unnest(sends.sent_at_ms) AS sent (at_ms)
           WHERE sent.at_ms > $5::bigint - rules.within_ms) > rules.most)
       RETURNING 1
     )
     SELECT (SELECT count(*) FROM counted) = (SELECT count(*) FROM fresh WHERE cardinality(ids) > 0) AS is_counted`;

/** Takes back what was counted alone, under these ids. */
export async function takeBackSends(store: Store, sends: readonly Send[]): Promise<void> {
  await store.run(
    "take-back-sends",
    `DELETE FROM code_sends AS sends
     USING unnest($1::uuid[], $2::text[], $3::uuid[]) AS back (organization_id, recipient_hash, id)
     WHERE sends.organization_id = back.organization_id
       AND sends.recipient_hash = back.recipient_hash AND sends.activity_ids = ARRAY[back.id]`,
    [
      sends.map(({ organizationId }) => organizationId),
      sends.map(({ recipientHash }) => recipientHash),
      sends.map(({ id }) => id),
    ],
  );
}

/** When something was sent to the recipient, newest first. */
export async function findCodeSends(
  store: Store,
  { organizationId, recipientHash }: Recipient,
): Promise<number[]> {
  const rows = await store.run(
    "find-code-sends",
    `SELECT sent.at_ms FROM code_sends, unnest(sent_at_ms) AS sent (at_ms)
     WHERE organization_id = $1::uuid AND recipient_hash = $2::text ORDER BY sent.at_ms DESC`,
    [organizationId, recipientHash],
  );
  return rows.map(({ at_ms }) => Number(at_ms));
}

/** Deletes some rows that limits no longer count. Returns how many there were. */
export async function deleteOldCodeSends(
  store: Store,
  beforeMs: number,
  most: number,
): Promise<number> {
  const rows = await store.run(
    "delete-old-code-sends",
    `DELETE FROM code_sends WHERE (organization_id, recipient_hash) IN (
       SELECT organization_id, recipient_hash FROM code_sends
       WHERE last_sent_at_ms < $1::bigint ORDER BY last_sent_at_ms LIMIT $2::int)
     RETURNING 1`,
    [beforeMs, most],
  );
  return rows.length;
}
