import type { Window } from "../config/rate-limits.ts";
import type { Store } from "./connect.ts";

/** Whom something counts for. Of everybody who sends, the organization is `EVERYBODY`. */
export type Recipient = { organizationId: string; recipientHash: string };

/** Something that is about to be sent. The request determines the id, so the same bytes count once. */
export type Send = Recipient & { id: string };

/** Stands for all organizations, in rows about what a recipient gets from all of them. */
export const EVERYBODY = "00000000-0000-0000-0000-000000000000";

/** What a recipient gets from one organization, and from everybody. */
export type Windows = { own: readonly Window[]; everybody: readonly Window[] };

/**
 * Counts all of it if every window of every recipient has room for it, and otherwise nothing. The rows are
 * locked before they are compared, so processes that send at the same time do not exceed a limit together.
 * Returns whether it was counted.
 */
export async function countSends(
  store: Store,
  { sends, nowMs }: { sends: readonly Send[]; nowMs: number },
  { own, everybody }: Windows,
): Promise<boolean> {
  const windows = [
    ...own.map((window) => ({ ...window, isAll: false })),
    ...everybody.map((window) => ({ ...window, isAll: true })),
  ];
  const [row] = await store.run(
    "count-sends",
    `WITH limits AS (
       SELECT * FROM unnest($5::boolean[], $6::int[], $7::bigint[]) AS l (is_all, most, within_ms)
     ), wanted AS (
       SELECT w.organization_id, w.recipient_hash, array_agg(DISTINCT w.id) AS ids
       FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS w (organization_id, recipient_hash, id)
       GROUP BY w.organization_id, w.recipient_hash
     ), locked AS (
       SELECT s.organization_id, s.recipient_hash, s.sent_at_ms, s.activity_ids
       FROM code_sends AS s JOIN wanted USING (organization_id, recipient_hash)
       ORDER BY s.organization_id, s.recipient_hash FOR UPDATE OF s
     ), fresh AS (
       SELECT organization_id, recipient_hash, coalesce(locked.sent_at_ms, '{}') AS sent_at_ms,
         ARRAY(SELECT each FROM unnest(wanted.ids) AS each
           WHERE locked.activity_ids IS NULL OR each <> ALL (locked.activity_ids)) AS ids
       FROM wanted LEFT JOIN locked USING (organization_id, recipient_hash)
     ), too_many AS (
       SELECT 1 FROM fresh JOIN limits ON limits.is_all = (fresh.organization_id = $8::uuid)
       WHERE cardinality(fresh.ids) > 0 AND cardinality(fresh.ids) + (
         SELECT count(*) FROM unnest(fresh.sent_at_ms) AS sent (at_ms)
         WHERE sent.at_ms > $4::bigint - limits.within_ms) > limits.most
     ), counted AS (
       INSERT INTO code_sends AS sends
         (organization_id, recipient_hash, sent_at_ms, activity_ids, last_sent_at_ms)
       SELECT organization_id, recipient_hash, array_fill($4::bigint, ARRAY[cardinality(ids)]), ids, $4::bigint
       FROM fresh WHERE cardinality(ids) > 0 AND NOT EXISTS (SELECT 1 FROM too_many)
       ORDER BY organization_id, recipient_hash
       ON CONFLICT (organization_id, recipient_hash) DO UPDATE SET
         sent_at_ms = (sends.sent_at_ms || excluded.sent_at_ms)[greatest(1, 1 - (
           SELECT max(most) FROM limits WHERE is_all = (sends.organization_id = $8::uuid))
           + cardinality(sends.sent_at_ms) + cardinality(excluded.sent_at_ms)):],
         activity_ids = (sends.activity_ids || excluded.activity_ids)[greatest(1, 1 - (
           SELECT max(most) FROM limits WHERE is_all = (sends.organization_id = $8::uuid))
           + cardinality(sends.activity_ids) + cardinality(excluded.activity_ids)):],
         last_sent_at_ms = greatest(sends.last_sent_at_ms, $4::bigint)
       -- A row that another process has just made was not there to be locked.
       WHERE NOT EXISTS (
         SELECT 1 FROM limits WHERE is_all = (sends.organization_id = $8::uuid)
         AND cardinality(excluded.activity_ids) + (
           SELECT count(*) FROM unnest(sends.sent_at_ms) AS sent (at_ms)
           WHERE sent.at_ms > $4::bigint - limits.within_ms) > limits.most)
       RETURNING 1
     )
     SELECT (SELECT count(*) FROM counted) = (SELECT count(*) FROM fresh WHERE cardinality(ids) > 0) AS is_counted`,
    [
      sends.map(({ organizationId }) => organizationId),
      sends.map(({ recipientHash }) => recipientHash),
      sends.map(({ id }) => id),
      nowMs,
      windows.map(({ isAll }) => isAll),
      windows.map(({ most }) => most),
      windows.map(({ withinMs }) => withinMs),
      EVERYBODY,
    ],
  );
  return row?.is_counted === true;
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

/** Deletes some rows that limits no longer count. */
export async function deleteOldCodeSends(store: Store, beforeMs: number, most: number) {
  await store.run(
    "delete-old-code-sends",
    `DELETE FROM code_sends WHERE (organization_id, recipient_hash) IN (
       SELECT organization_id, recipient_hash FROM code_sends
       WHERE last_sent_at_ms < $1::bigint ORDER BY last_sent_at_ms LIMIT $2::int)`,
    [beforeMs, most],
  );
}
