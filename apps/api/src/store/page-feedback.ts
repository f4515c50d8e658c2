import type { Store } from "./connect.ts";

export type PageFeedback = {
  feedbackId: string;
  page: string;
  isHelpful: boolean;
  comment: string | null;
  createdAtMs: number;
};

/** Stores it unless `most` are stored already; returns whether it did. Processes may exceed it by one each. */
export async function insertPageFeedback(
  store: Store,
  { feedbackId, page, isHelpful, comment, createdAtMs }: PageFeedback,
  most: number,
): Promise<boolean> {
  const rows = await store.run(
    "insert-page-feedback",
    `INSERT INTO page_feedback (feedback_id, page, is_helpful, comment, created_at_ms)
     SELECT $1::uuid, $2::text, $3::boolean, $4::text, $5::bigint
     WHERE (SELECT count(*) FROM page_feedback) < $6::bigint
     RETURNING feedback_id`,
    [feedbackId, page, isHelpful, comment, createdAtMs, most],
  );
  return rows.length > 0;
}

/** Selects by page, if it is not null, and by time: from `fromMs` on, and before `beforeMs`. */
export type FeedbackFilter = { page: string | null; fromMs: number; beforeMs: number };

const matches =
  "($1::text IS NULL OR page = $1::text) AND created_at_ms >= $2::bigint AND created_at_ms < $3::bigint";

/** Newest first. */
export async function listPageFeedback(
  store: Store,
  { page, fromMs, beforeMs }: FeedbackFilter,
): Promise<PageFeedback[]> {
  const rows = await store.run(
    "list-page-feedback",
    `SELECT feedback_id, page, is_helpful, comment, created_at_ms FROM page_feedback
     WHERE ${matches} ORDER BY created_at_ms DESC, feedback_id`,
    [page, fromMs, beforeMs],
  );
  return rows.map((row) => ({
    feedbackId: String(row.feedback_id),
    page: String(row.page),
    isHelpful: row.is_helpful === true,
    comment: typeof row.comment === "string" ? row.comment : null,
    createdAtMs: Number(row.created_at_ms),
  }));
}

/** Returns how many there were. */
export async function deletePageFeedback(
  store: Store,
  { page, fromMs, beforeMs }: FeedbackFilter,
): Promise<number> {
  const rows = await store.run(
    "delete-page-feedback",
    `DELETE FROM page_feedback WHERE ${matches} RETURNING feedback_id`,
    [page, fromMs, beforeMs],
  );
  return rows.length;
}

/** Deletes the oldest that are older, at most `most`. */
export async function deleteOldPageFeedback(
  store: Store,
  beforeMs: number,
  most: number,
): Promise<number> {
  const rows = await store.run(
    "delete-old-page-feedback",
    `DELETE FROM page_feedback WHERE feedback_id IN (
       SELECT feedback_id FROM page_feedback
       WHERE created_at_ms < $1::bigint ORDER BY created_at_ms LIMIT $2::int)
     RETURNING 1`,
    [beforeMs, most],
  );
  return rows.length;
}
