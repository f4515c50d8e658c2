import { sql } from "kysely";
import { LARGE_RECORD_BYTES } from "./commit-unit.ts";
import type { Db } from "./connect.ts";

/** A signed segment. */
export type SealedSegment = { number: number; payload: string; signature: string };

/** A leaf of a segment, with what its statement is made of. */
export type ReceiptLeaf = {
  number: number;
  position: number;
  activityId: string;
  version: number;
  hash: string;
  /** The statement of this version, if it is kept. */
  statement: string | null;
  /** The record of this version. Null if it was replaced, is large or its statement is kept. */
  record: Uint8Array | null;
  /** Whether the statement has to be made of a record that is too large to be here. */
  isLarge: boolean;
};

/** Signed segments after a given one, in the order of their chain. */
export async function listSegmentsAfter(
  db: Db,
  organizationId: string,
  after: number,
  limit: number,
): Promise<SealedSegment[]> {
  const rows = await db
    .selectFrom("segments")
    .select(["number", "payload", "signature"])
    .where("organization_id", "=", organizationId)
    .where("number", ">", after)
    .where("signature", "is not", null)
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.flatMap(toSealedSegment);
}

/** The signed segments that hold a leaf of the activity. */
export async function listSegmentsOfActivity(
  db: Db,
  organizationId: string,
  activityId: string,
): Promise<SealedSegment[]> {
  const rows = await db
    .selectFrom("segments")
    .select(["number", "payload", "signature"])
    .where("organization_id", "=", organizationId)
    .where("signature", "is not", null)
    .where("number", "in", ({ selectFrom }) =>
      selectFrom("segment_leaves")
        .select("number")
        .where("organization_id", "=", organizationId)
        .where("activity_id", "=", activityId),
    )
    .orderBy("number")
    .execute();
  return rows.flatMap(toSealedSegment);
}

/** All leaves of a segment in order. Statements are included only for the requested activities. */
export async function listReceiptLeaves(
  db: Db,
  organizationId: string,
  number: number,
  { activityId }: { activityId?: string | undefined } = {},
): Promise<ReceiptLeaf[]> {
  const rows = await db
    .selectFrom("segment_leaves as leaf")
    .leftJoin("activities as activity", (join) => {
      const joined = join
        .onRef("activity.organization_id", "=", "leaf.organization_id")
        .onRef("activity.activity_id", "=", "leaf.activity_id")
        .onRef("activity.version", "=", "leaf.version");
      return activityId === undefined ? joined : joined.on("leaf.activity_id", "=", activityId);
    })
    .leftJoin("removed_activities as removed", (join) => {
      const joined = join
        .onRef("removed.organization_id", "=", "leaf.organization_id")
        .onRef("removed.activity_id", "=", "leaf.activity_id")
        .onRef("removed.version", "=", "leaf.version");
      return activityId === undefined ? joined : joined.on("leaf.activity_id", "=", activityId);
    })
    .select(["leaf.number", "leaf.position", "leaf.activity_id", "leaf.version", "leaf.hash"])
    .select([
      sql<string | null>`CASE WHEN ${isKept} THEN activity.statement ELSE removed.statement END`.as(
        "statement",
      ),
      sql<Uint8Array | null>`CASE WHEN NOT ${isKept} AND NOT ${isLarge} THEN activity.record END`.as(
        "record",
      ),
      sql<boolean>`coalesce(NOT ${isKept} AND ${isLarge}, false)`.as("isLarge"),
    ])
    .where("leaf.organization_id", "=", organizationId)
    .where("leaf.number", "=", number)
    .orderBy("leaf.position")
    .execute();
  return rows.map(({ activity_id, ...row }) => ({ ...row, activityId: activity_id }));
}

const isKept = sql`(activity.statement IS NOT NULL AND activity.statement_version = leaf.version)`;
/** The database knows the size of a record without reading it. */
const isLarge = sql`(octet_length(activity.record) > ${sql.lit(LARGE_RECORD_BYTES)})`;

/** Keeps the statement of a large record from before statements were kept. */
export async function keepStatement(
  db: Db,
  organizationId: string,
  { activityId, version }: Pick<ReceiptLeaf, "activityId" | "version">,
  statement: string,
): Promise<void> {
  await db
    .updateTable("activities")
    .set({ statement, statement_version: version })
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activityId)
    .where("version", "=", version)
    .execute();
}

/** How many statements of one activity, or of all, are not sealed yet. */
export async function countUnsealed(
  db: Db,
  organizationId: string,
  activityId: string | undefined,
): Promise<number> {
  let waiting = db
    .selectFrom("leaves")
    .select(sql<number>`count(*)::int`.as("size"))
    .where("organization_id", "=", organizationId);
  let claimed = db
    .selectFrom("segment_leaves as leaf")
    .innerJoin("segments as segment", (join) =>
      join
        .onRef("segment.organization_id", "=", "leaf.organization_id")
        .onRef("segment.number", "=", "leaf.number"),
    )
    .select(sql<number>`count(*)::int`.as("size"))
    .where("leaf.organization_id", "=", organizationId)
    .where("segment.signature", "is", null);
  if (activityId !== undefined) {
    waiting = waiting.where("activity_id", "=", activityId);
    claimed = claimed.where("leaf.activity_id", "=", activityId);
  }
  const [first, second] = await Promise.all([
    waiting.executeTakeFirstOrThrow(),
    claimed.executeTakeFirstOrThrow(),
  ]);
  return first.size + second.size;
}

function toSealedSegment(row: {
  number: number;
  payload: string | null;
  signature: string | null;
}): SealedSegment[] {
  const { number, payload, signature } = row;
  return payload === null || signature === null ? [] : [{ number, payload, signature }];
}
