import {
  type ActivityRecord,
  activity as activityKind,
  type Vote,
} from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { sql } from "kysely";
import type { Db, Store } from "./connect.ts";
import { isRemoved } from "./removed-activities.ts";
import { within } from "./stored-record.ts";
import { type Bound, rangeOf, readInWindows, WINDOW_ROWS } from "./windows.ts";

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

/**
 * About as many bytes as an event or an answer with the activity has. A vote over the same bytes is stored without
 * them, and shown with them.
 */
export function sizeOf(
  bytes: Uint8Array,
  { votes }: { votes: readonly Pick<Vote, "message">[] },
): number {
  const repeated = votes.filter(({ message }) => message === null).length;
  return bytes.length + repeated * (votes[0]?.message?.length ?? 0);
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

/** The same, or null if the record has more bytes. They are not read then. */
export async function findActivityWithin(
  db: Db,
  organizationId: string,
  activityId: string,
  maxBytes: number,
): Promise<StoredActivity | null | undefined> {
  const row = await db
    .selectFrom("activities")
    .select(["activity_id", "version", "status", "released"])
    .select(within(maxBytes).as("record"))
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activityId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { record, ...rest } = row;
  return record && toStoredActivity({ ...rest, record });
}

/** Whether there is such an activity, or was one before its record was deleted. */
export async function hadActivity(
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
  return row !== undefined || isRemoved(db, organizationId, activityId);
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

/** How long the record of an activity is. The database knows that without reading it. 0 if there is none. */
export async function findRecordLength(
  db: Db,
  organizationId: string,
  fingerprint: string,
): Promise<number> {
  const row = await db
    .selectFrom("activities")
    .select(sql<number>`octet_length(record)`.as("length"))
    .where("organization_id", "=", organizationId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  return row?.length ?? 0;
}

/** A page of a list, and whether it ended before its limit because what follows is large. */
export type ActivityPage = { activities: StoredActivity[]; isCut: boolean };

/**
 * A page, newest first: activity ids are ordered by time. With `before` it holds older ones. With
 * `after` alone it holds those that come right after it. It ends before the records have more than
 * `maxBytes` together, but not without the first one unless that one alone has more than `maxRecordBytes`. What follows
 * is not read.
 */
export async function listActivities(
  db: Db,
  organizationId: string,
  { limit, maxBytes, maxRecordBytes, goOn = () => {}, ...sought }: Sought & Bounds,
): Promise<ActivityPage> {
  const range = rangeOf("desc", sought);
  const { direction, isReversed } = range;
  let bytesLeft = maxBytes;
  let isCut = false;
  const activities = await readInWindows<StoredActivity, string>({
    limit,
    from: range.from,
    endAfter: async (from) =>
      isFiltered(sought)
        ? findWindowEnd(db, organizationId, {
            direction,
            bounds: range.bounds({ from }),
            isOfWaiting: isWaiting(sought.statuses ?? []),
          })
        : undefined,
    async read({ from, to, found, limit }) {
      const rows = await readPage(db, organizationId, {
        ...sought,
        direction,
        bounds: range.bounds({ from, to }),
        limit,
        bytes: bytesLeft,
        firstBytes: found.length === 0 ? maxRecordBytes : 0,
      });
      const shown = rows.flatMap(({ record, ...row }) =>
        record === null ? [] : [toStoredActivity({ ...row, record })],
      );
      bytesLeft -= shown.reduce((sum, { bytes }) => sum + bytes.length, 0);
      isCut = shown.length < rows.length;
      return { rows: shown, isLast: isCut };
    },
    goOn,
  });
  if (isReversed) activities.reverse();
  return { activities, isCut };
}

type Bounds = { maxBytes: number; maxRecordBytes: number; goOn?: () => void };

type Sought = {
  statuses?: string[] | undefined;
  types?: string[] | undefined;
  limit: number;
  before?: string | undefined;
  after?: string | undefined;
};

/** A part of the list, in the direction of the page. */
type Part = { direction: "asc" | "desc"; bounds: Bound<string>[] };

/**
 * Whether rows may be read that the list leaves out. Waiting activities have an index of their own. They need not be few:
 * those of users who were deleted wait for good.
 */
function isFiltered({ statuses = [], types = [] }: Omit<Sought, "limit">): boolean {
  return types.length > 0 || (statuses.length > 0 && !isWaiting(statuses));
}

function isWaiting(statuses: string[]): boolean {
  return statuses.length === 1 && statuses[0] === WAITING;
}

async function findWindowEnd(
  db: Db,
  organizationId: string,
  { direction, bounds, isOfWaiting }: Part & { isOfWaiting: boolean },
): Promise<string | undefined> {
  let query = db
    .selectFrom("activities")
    .select("activity_id")
    .where("organization_id", "=", organizationId)
    .orderBy("activity_id", direction)
    .offset(WINDOW_ROWS - 1)
    .limit(1);
  // As the page reads them.
  if (isOfWaiting) query = query.where("status", "=", sql.lit(WAITING));
  for (const [operator, id] of bounds) query = query.where("activity_id", operator, id);
  return (await query.executeTakeFirst())?.activity_id;
}

/** Rows that match. The record is null from the first that is too large on. */
async function readPage(
  db: Db,
  organizationId: string,
  {
    statuses = [],
    types = [],
    direction,
    bounds,
    limit,
    bytes,
    firstBytes,
  }: Part & Pick<Sought, "statuses" | "types" | "limit"> & { bytes: number; firstBytes: number },
) {
  let page = db
    .selectFrom("activities")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .orderBy("activity_id", direction)
    .limit(limit);
  if (isWaiting(statuses)) {
    // A literal lets the database use the index of waiting activities.
    page = page.where("status", "=", sql.lit(WAITING));
  } else if (statuses.length > 0) {
    page = page.where("status", "in", statuses);
  }
  if (types.length > 0) page = page.where("type", "in", types);
  for (const [operator, id] of bounds) page = page.where("activity_id", operator, id);
  const inOrder = sql.raw(`OVER (ORDER BY activity_id ${direction})`);
  return (
    db
      .selectFrom(page.as("page"))
      .select(["activity_id", "version", "status", "released"])
      // The database knows the size of a record without reading it.
      .select(
        sql<Uint8Array | null>`CASE
        WHEN sum(octet_length(record)) ${inOrder} <= ${bytes}
          OR row_number() ${inOrder} = 1 AND octet_length(record) <= ${firstBytes}
        THEN record END`.as("record"),
      )
      .orderBy("activity_id", direction)
      .execute()
  );
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
