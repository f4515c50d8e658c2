import type { SignedSegment } from "@keyhearth/crypto/receipts/segment-statement";
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

/**
 * Across organizations, because the sealer works for all of them. An organization whose last segment
 * is not signed yet is left out, so that it does not take the place of others.
 */
export async function listOrganizationsWithLeaves(
  db: Db,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("leaves")
    .select("leaves.organization_id")
    .distinct()
    .$if(after !== null, (query) => query.where("leaves.organization_id", ">", after ?? ""))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("segments")
            .select("segments.number")
            .whereRef("segments.organization_id", "=", "leaves.organization_id")
            .where("segments.signature", "is", null),
        ),
      ),
    )
    .orderBy("leaves.organization_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.organization_id);
}

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
 * same number: the second one fails on the key and claims nothing.
 */
export async function claimSegment(
  store: Store,
  organizationId: string,
  max: number,
): Promise<number> {
  try {
    const rows = await store.run(
      "claim-segment",
      `WITH taken AS (
         SELECT activity_id, version, hash, tag,
           row_number() OVER (ORDER BY activity_id, version) - 1 AS position
         FROM (SELECT * FROM leaves WHERE organization_id = $1::uuid
               ORDER BY activity_id, version LIMIT $2::bigint) AS oldest
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
         RETURNING leaves.organization_id, leaves.bytes
       ), charged AS (
         ${chargeStorage("gone")}
       ), filed AS (
         INSERT INTO segment_leaves (organization_id, number, position, activity_id, version, hash, tag)
         SELECT $1::uuid, made.number, taken.position, taken.activity_id, taken.version, taken.hash, taken.tag
         FROM made, taken
         RETURNING position
       )
       SELECT count(*) AS size FROM filed`,
      [organizationId, max],
    );
    return Number(rows[0]?.size ?? 0);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["23505", "40001", "40P01"].includes(code)) return 0;
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
