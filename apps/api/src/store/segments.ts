import type { SignedSegment } from "@keyhearth/crypto/receipts/segment-statement";
import { isConflict } from "./conflict.ts";
import type { Db, Store } from "./connect.ts";
import { chargeStorage } from "./family-storage.ts";

export type OpenSegment = {
  organizationId: string;
  number: number;
  documentVersion: number;
  documentDigest: string;
};

export type SegmentLeaf = {
  position: number;
  activityId: string;
  version: number;
  hash: string;
  tag: string;
};

/** An organization that has leaves, with its family: its top-level organization. */
export type WithLeaves = { organizationId: string; familyId: string };

/** Which organizations are listed. */
export type LeavesSought = {
  /** Only what comes after this organization. Null for the first page. */
  after: string | null;
  /** Families of which none is listed. */
  resting: Iterable<string>;
  /** Families of which only organizations after this one are. */
  continued: ReadonlyMap<string, string>;
  limit: number;
};

/**
 * Across organizations, because the sealer works for all of them, in the order of their ids. An organization whose last
 * segment is not signed yet is left out, so that it does not take the place of others.
 */
export async function listOrganizationsWithLeaves(
  { run }: Pick<Store, "run">,
  { after, resting, continued, limit }: LeavesSought,
): Promise<WithLeaves[]> {
  const rows = await run(
    "organizations-with-leaves",
    `SELECT listed.organization_id, o.family_id
     FROM (SELECT DISTINCT organization_id FROM leaves
           WHERE organization_id > $1::uuid ORDER BY organization_id) AS listed
       CROSS JOIN LATERAL (SELECT coalesce(parent_organization_id, organization_id) AS family_id
           FROM organizations WHERE organization_id = listed.organization_id) AS o
     WHERE o.family_id <> ALL ($2::uuid[])
       AND NOT EXISTS (SELECT 1 FROM segments s
           WHERE s.organization_id = listed.organization_id AND s.signature IS NULL)
       AND NOT EXISTS (SELECT 1 FROM unnest($3::uuid[], $4::uuid[]) AS c(family_id, last_id)
           WHERE c.family_id = o.family_id AND listed.organization_id <= c.last_id)
     ORDER BY listed.organization_id LIMIT $5::int`,
    [after ?? FIRST_ID, [...resting], [...continued.keys()], [...continued.values()], limit],
  );
  return rows.map(({ organization_id, family_id }) => ({
    organizationId: String(organization_id),
    familyId: String(family_id),
  }));
}

/** Before every id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Segments of all organizations that are claimed and not signed yet, in the order of their chain. */
export async function listOpenSegments(db: Db, limit: number): Promise<OpenSegment[]> {
  const rows = await db
    .selectFrom("segments")
    .select(["organization_id", "number", "document_version", "document_digest"])
    .where("signature", "is", null)
    .orderBy("organization_id")
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    organizationId: row.organization_id,
    number: row.number,
    documentVersion: row.document_version,
    documentDigest: row.document_digest,
  }));
}

/**
 * Moves the organization's oldest leaves into its next segment and returns how many there were. What their commits
 * have stored is added to the sums of the organization and its family, once for each segment, and no commit waits for that.
 * Nothing moves while the previous segment is not signed. If two processes try at once, both use the
 * same number: the second one fails on the key and claims nothing. On Citus the parts of a statement do not see the same
 * moment, so the second one may come late and use the next number. Then it finds no leaf that is left, and fails too.
 */
export async function claimSegment(
  store: Store,
  organizationId: string,
  max: number,
): Promise<number> {
  try {
    const rows = await store.run(
      "claim-segment",
      `WITH taken AS MATERIALIZED (
         SELECT activity_id, version FROM leaves WHERE organization_id = $1::uuid
         ORDER BY activity_id, version LIMIT $2::bigint
       ), next AS (
         SELECT coalesce(max(number), 0) + 1 AS number FROM segments WHERE organization_id = $1::uuid
       ), made AS (
         INSERT INTO segments (organization_id, number, document_version, document_digest)
         SELECT o.organization_id, next.number, o.version, o.digest
         FROM organizations o, next
         WHERE o.organization_id = $1::uuid AND EXISTS (SELECT 1 FROM taken)
           AND NOT EXISTS (SELECT 1 FROM segments
                           WHERE organization_id = $1::uuid AND signature IS NULL)
         RETURNING number
       ), gone AS (
         DELETE FROM leaves USING taken, made
         WHERE leaves.organization_id = $1::uuid AND leaves.activity_id = taken.activity_id
           AND leaves.version = taken.version
         RETURNING leaves.organization_id, leaves.activity_id, leaves.version, leaves.hash, leaves.tag, leaves.bytes
       ), charged AS (
         ${chargeStorage("gone")}
       ), filed AS (
         INSERT INTO segment_leaves (organization_id, number, position, activity_id, version, hash, tag)
         SELECT $1::uuid, made.number, row_number() OVER (ORDER BY gone.activity_id, gone.version) - 1,
           gone.activity_id, gone.version, gone.hash, gone.tag
         FROM made, gone
         RETURNING position
       )
       SELECT count(*) AS size,
         1 / (CASE WHEN count(*) = 0 AND EXISTS (SELECT 1 FROM made) THEN 0 ELSE 1 END) AS is_whole
       FROM filed`,
      [organizationId, max],
    );
    return Number(rows[0]?.size ?? 0);
  } catch (error) {
    if (isConflict(error)) return 0;
    throw error;
  }
}

/** The text and signature of a segment; undefined while it is not signed. */
export async function findSignedSegment(
  db: Db,
  organizationId: string,
  number: number,
): Promise<SignedSegment | undefined> {
  const row = await db
    .selectFrom("segments")
    .select(["payload", "signature"])
    .where("organization_id", "=", organizationId)
    .where("number", "=", number)
    .executeTakeFirst();
  if (!row?.payload || !row.signature) return undefined;
  return { payload: row.payload, signature: row.signature };
}

export async function listSegmentLeaves(
  db: Db,
  organizationId: string,
  number: number,
): Promise<SegmentLeaf[]> {
  const rows = await db
    .selectFrom("segment_leaves")
    .select(["position", "activity_id", "version", "hash", "tag"])
    .where("organization_id", "=", organizationId)
    .where("number", "=", number)
    .orderBy("position")
    .execute();
  return rows.map(({ activity_id, ...row }) => ({ ...row, activityId: activity_id }));
}

export async function completeSegment(
  store: Store,
  segment: {
    organizationId: string;
    number: number;
    digest: string;
    payload: string;
    signature: string;
  },
): Promise<void> {
  const { organizationId, number, digest, payload, signature } = segment;
  await store.run(
    "complete-segment",
    `UPDATE segments SET digest = $3::text, payload = $4::text, signature = $5::text
     WHERE organization_id = $1::uuid AND number = $2::bigint AND signature IS NULL`,
    [organizationId, number, digest, payload, signature],
  );
}
