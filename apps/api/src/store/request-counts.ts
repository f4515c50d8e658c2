import type { Store } from "./connect.ts";

/** What one process has spent of an allowance since it last told the others. */
export type Spent = {
  keyHash: string;
  /** How long the allowance takes to grow by as much. */
  spentMs: number;
  /** How long ago it was spent. What has grown since then is not charged again. */
  ageMs: number;
};

/**
 * Adds what was spent to what all processes spent, and returns for each key how long it takes until
 * all of the allowance is available again; it is negative if that was in the past. Only the clock of the
 * database counts. The rows are locked in the same order by every process.
 */
export async function addToRequestCounts(
  store: Store,
  { name, longestMs }: { name: string; longestMs: number },
  spent: readonly Spent[],
): Promise<Map<string, number>> {
  const rows = await store.run(
    "add-to-request-counts",
    `INSERT INTO request_counts AS counts (limit_name, key_hash, full_at_ms, spent_ms)
     SELECT $1::text, spent.key_hash,
       least(clock.now_ms - spent.age_ms + spent.spent_ms, clock.now_ms + $5::double precision), spent.spent_ms
     FROM unnest($2::text[], $3::double precision[], $4::double precision[])
         AS spent (key_hash, spent_ms, age_ms),
       (SELECT (extract(epoch FROM now()) * 1000)::double precision AS now_ms) AS clock
     ORDER BY spent.key_hash
     ON CONFLICT (limit_name, key_hash) DO UPDATE SET
       full_at_ms = least(greatest(counts.full_at_ms + excluded.spent_ms, excluded.full_at_ms),
         (extract(epoch FROM now()) * 1000)::double precision + $5::double precision),
       spent_ms = excluded.spent_ms
     RETURNING key_hash, full_at_ms - (extract(epoch FROM now()) * 1000)::double precision AS until_full_ms`,
    [
      name,
      spent.map(({ keyHash }) => keyHash),
      spent.map(({ spentMs }) => spentMs),
      spent.map(({ ageMs }) => ageMs),
      longestMs,
    ],
  );
  return new Map(rows.map((row) => [String(row.key_hash), Number(row.until_full_ms)]));
}

/** Late reports may still be charged to a time at which an allowance was not full. */
const KEPT_MS = 60_000;

/** Deletes rows of allowances that nobody has spent from lately, at most `most`. Returns how many there were. */
export async function deleteFullRequestCounts(store: Store, most: number): Promise<number> {
  const rows = await store.run(
    "delete-full-request-counts",
    `DELETE FROM request_counts WHERE (limit_name, key_hash) IN (
       SELECT limit_name, key_hash FROM request_counts
       WHERE full_at_ms < (extract(epoch FROM now()) * 1000)::double precision - $1::double precision
       ORDER BY full_at_ms LIMIT $2::int FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [KEPT_MS, most],
  );
  return rows.length;
}
