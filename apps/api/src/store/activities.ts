import { type ActivityRecord, activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { sql } from "kysely";
import type { Db, Store } from "./connect.ts";

/** An activity as it is stored; `bytes` is its notarized record. */
export type StoredActivity = {
  activityId: string;
  version: number;
  status: string;
  bytes: Uint8Array;
  /** The result that the signer kept back until the commit and has released, as JSON. */
  released: string | null;
};

/** The activity of the record, with its result if the signer has released it. */
export function readActivity({
  bytes,
  released,
}: Pick<StoredActivity, "bytes" | "released">): ActivityRecord {
  const activity = upcast(activityKind, readRecord(bytes));
  if (released === null || !activity.sealedResult) return activity;
  // `keepReleased` wrote it. Only answers show it.
  return { ...activity, result: JSON.parse(released) as Record<string, unknown> };
}

/** Stores a released result, because the signer releases it only for a limited number of later documents. */
export async function keepReleased(
  store: Store,
  organizationId: string,
  { activityId, result }: Pick<ActivityRecord, "activityId" | "result">,
): Promise<void> {
  await store.run(
    "keep-released",
    "UPDATE activities SET released = $3::text WHERE organization_id = $1::uuid AND activity_id = $2::uuid",
    [organizationId, activityId, JSON.stringify(result)],
  );
}

const WAITING = "ACTIVITY_STATUS_CONSENSUS_NEEDED";

const columns = ["activity_id", "version", "status", "record", "released"] as const;

export async function findActivity(
  db: Db,
  organizationId: string,
  activityId: string,
): Promise<StoredActivity | undefined> {
  const row = await db
    .selectFrom("activities")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activityId)
    .executeTakeFirst();
  return row && toStoredActivity(row);
}

export async function hasActivity(
  db: Db,
  organizationId: string,
  activityId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("activities")
    .select("activity_id")
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activityId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findActivityByFingerprint(
  db: Db,
  organizationId: string,
  fingerprint: string,
): Promise<StoredActivity | undefined> {
  const row = await db
    .selectFrom("activities")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  return row && toStoredActivity(row);
}

/**
 * A page, newest first: activity ids are ordered by time. With `before` it holds older ones. With
 * `after` alone it holds those that come right after it.
 */
export async function listActivities(
  db: Db,
  organizationId: string,
  {
    statuses = [],
    types = [],
    limit,
    before,
    after,
  }: {
    statuses?: string[] | undefined;
    types?: string[] | undefined;
    limit: number;
    before?: string | undefined;
    after?: string | undefined;
  },
): Promise<StoredActivity[]> {
  const isForward = after !== undefined && before === undefined;
  let query = db
    .selectFrom("activities")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .orderBy("activity_id", isForward ? "asc" : "desc")
    .limit(limit);
  if (statuses.length === 1 && statuses[0] === WAITING) {
    // A literal lets the database use the index of waiting activities.
    query = query.where("status", "=", sql.lit(WAITING));
  } else if (statuses.length > 0) {
    query = query.where("status", "in", statuses);
  }
  if (types.length > 0) query = query.where("type", "in", types);
  if (before !== undefined) query = query.where("activity_id", "<", before);
  if (after !== undefined) query = query.where("activity_id", ">", after);
  const rows = await query.execute();
  if (isForward) rows.reverse();
  return rows.map(toStoredActivity);
}

function toStoredActivity(row: {
  activity_id: string;
  version: number;
  status: string;
  record: Uint8Array;
  released: string | null;
}): StoredActivity {
  return {
    activityId: row.activity_id,
    version: row.version,
    status: row.status,
    bytes: row.record,
    released: row.released,
  };
}
