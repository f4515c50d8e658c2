import type { Window } from "../config/rate-limits.ts";
import type { Store } from "./connect.ts";

/** A code or a link that is about to be sent. */
export type CodeSend = {
  organizationId: string;
  /** Whom it counts for. */
  recipientHash: string;
  /** The request determines it, so the same bytes count once. */
  activityId: string;
  nowMs: number;
};

/**
 * Counts a code if every window has room for it. The row is locked while the statement compares, so
 * processes that send at the same time do not exceed a limit together. Returns whether it was counted.
 */
export async function countCodeSend(
  store: Store,
  { organizationId, recipientHash, activityId, nowMs }: CodeSend,
  windows: readonly Window[],
): Promise<boolean> {
  const counts = windows.map(({ most }) => most);
  const lengths = windows.map(({ withinMs }) => withinMs);
  const rows = await store.run(
    "count-code-send",
    `INSERT INTO code_sends AS sends
       (organization_id, recipient_hash, sent_at_ms, activity_ids, last_sent_at_ms)
     VALUES ($1::uuid, $2::text, ARRAY[$3::bigint], ARRAY[$4::uuid], $3::bigint)
     ON CONFLICT (organization_id, recipient_hash) DO UPDATE SET
       sent_at_ms = CASE WHEN $4::uuid = ANY (sends.activity_ids) THEN sends.sent_at_ms
         ELSE (sends.sent_at_ms || $3::bigint)[greatest(1, cardinality(sends.sent_at_ms) + 2 - $5::int):] END,
       activity_ids = CASE WHEN $4::uuid = ANY (sends.activity_ids) THEN sends.activity_ids
         ELSE (sends.activity_ids || $4::uuid)[greatest(1, cardinality(sends.activity_ids) + 2 - $5::int):] END,
       last_sent_at_ms = greatest(sends.last_sent_at_ms, $3::bigint)
     WHERE $4::uuid = ANY (sends.activity_ids) OR NOT EXISTS (
       SELECT 1 FROM unnest($6::int[], $7::bigint[]) AS limits (most, within_ms)
       WHERE (SELECT count(*) FROM unnest(sends.sent_at_ms) AS sent (at_ms)
              WHERE sent.at_ms > $3::bigint - limits.within_ms) >= limits.most)
     RETURNING recipient_hash`,
    [organizationId, recipientHash, nowMs, activityId, Math.max(...counts), counts, lengths],
  );
  return rows.length > 0;
}

/** When codes were sent to the recipient, newest first. */
export async function findCodeSends(
  store: Store,
  { organizationId, recipientHash }: Pick<CodeSend, "organizationId" | "recipientHash">,
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
