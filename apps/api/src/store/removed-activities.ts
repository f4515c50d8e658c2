import { type ApiError, notFound } from "@keyhearth/engine/errors";
import { activityRemoved } from "../errors.ts";
import type { Db, Store } from "./connect.ts";
import { chargeStorage } from "./family-storage.ts";

// Activities whose records were deleted by age (decision 33). They are in a table of their own, so that every reader of
// activities finds either a whole one or none.

/** An activity that may be old enough, without its record. */
export type OldActivity = {
  activityId: string;
  version: number;
  /** The statement of this version, if it is kept. */
  statement: string | null;
  bytes: number;
};

const WAITING = "ACTIVITY_STATUS_CONSENSUS_NEEDED";

/** Activities of an organization that began before a time and ended, after one of them, in the order of their ids. */
export async function listOldActivities(
  { run }: Store,
  organizationId: string,
  { after, beforeMs, limit }: { after: string; beforeMs: number; limit: number },
): Promise<OldActivity[]> {
  const rows = await run(
    "list-old-activities",
    `SELECT activity_id, version, octet_length(record) AS bytes,
       CASE WHEN statement_version = version THEN statement END AS statement
     FROM activities
     WHERE organization_id = $1::uuid AND activity_id > $2::uuid AND activity_id < $3::uuid
       AND status <> '${WAITING}'
     ORDER BY activity_id LIMIT $4::int`,
    [organizationId, after, firstIdAt(beforeMs), limit],
  );
  return rows.map((row) => ({
    activityId: String(row.activity_id),
    version: Number(row.version),
    statement: typeof row.statement === "string" ? row.statement : null,
    bytes: Number(row.bytes),
  }));
}

/** The least id of an activity that began at this time: an id begins with its time. */
function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Deletes activities and keeps the statements of their receipts. One that has changed since, or that another process
 * deletes now, stays as it is: nobody waits for a lock.
 */
export async function removeActivities(
  store: Store,
  organizationId: string,
  removed: readonly { activityId: string; version: number; statement: string }[],
): Promise<number> {
  const rows = await store.run(
    "remove-activities",
    `WITH locked AS MATERIALIZED (
       SELECT activity_id, version FROM activities
       WHERE organization_id = $1::uuid AND activity_id = ANY ($2::uuid[]) AND status <> '${WAITING}'
       ORDER BY activity_id FOR UPDATE SKIP LOCKED
     ), old AS (
       SELECT locked.activity_id, t.statement FROM locked
         JOIN unnest($2::uuid[], $3::bigint[], $4::text[]) AS t(activity_id, version, statement)
         USING (activity_id, version)
     ), gone AS (
       DELETE FROM activities a USING old WHERE a.organization_id = $1::uuid AND a.activity_id = old.activity_id
       RETURNING a.organization_id, a.activity_id, a.fingerprint, a.version, old.statement,
         octet_length(a.record) + coalesce(octet_length(a.statement), 0) AS bytes
     ), kept AS (
       INSERT INTO removed_activities (organization_id, activity_id, fingerprint, version, statement)
       SELECT organization_id, activity_id, fingerprint, version, statement FROM gone
       ON CONFLICT (organization_id, activity_id) DO NOTHING
       RETURNING organization_id, activity_id, octet_length(statement) AS bytes
     ), charged AS (
       ${chargeStorage(`(SELECT organization_id, -bytes AS bytes FROM gone
         UNION ALL SELECT organization_id, bytes FROM kept)`)}
     )
     SELECT activity_id FROM gone`,
    [
      organizationId,
      removed.map(({ activityId }) => activityId),
      removed.map(({ version }) => version),
      removed.map(({ statement }) => statement),
    ],
  );
  return rows.length;
}

export async function isRemoved(
  db: Db,
  organizationId: string,
  activityId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("removed_activities")
    .select("activity_id")
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activityId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The id of the activity that these bytes were, if its record was deleted. */
export async function findRemovedId(
  db: Db,
  organizationId: string,
  fingerprint: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("removed_activities")
    .select("activity_id")
    .where("organization_id", "=", organizationId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  return row?.activity_id;
}

/** Why there is no such activity: its record was deleted, or there never was one. */
export async function missingActivity(
  db: Db,
  organizationId: string,
  activityId: string,
): Promise<ApiError> {
  return (await isRemoved(db, organizationId, activityId))
    ? activityRemoved("activityId", activityId)
    : notFound("activityId", "activity", activityId);
}
