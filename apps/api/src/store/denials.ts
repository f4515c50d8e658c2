import type { ErrorMessage } from "@keyhearth/engine/errors";
import type { Db, Store } from "./connect.ts";
import { chargeStorage, ROW_BYTES } from "./family-storage.ts";

/** A request that was denied, kept only to explain it: it is not notarized and decides nothing. */
export type Denial = {
  denialId: string;
  organizationId: string;
  userId: string;
  type: string;
  fingerprint: string;
  error: ErrorMessage;
  /** The stamped bytes; null if they were too large to keep. */
  body: string | null;
  publicKey: string;
  /** The version of the document by which it was denied. */
  documentVersion: number;
  createdAtMs: number;
};

const KEEP_MS = 24 * 60 * 60 * 1000;
const MAX_PER_MINUTE = 60;
const MAX_PER_USER = 100;

/** Most of a denial is its error, which names every policy. Both sizes are what the database says when it goes, too. */
const BYTES = `${ROW_BYTES} + octet_length(error::text) + coalesce(octet_length(body), 0)`;
const CHANGES = `(SELECT organization_id, bytes FROM kept
  UNION ALL SELECT organization_id, -bytes FROM old
  UNION ALL SELECT organization_id, -bytes FROM oldest)`;

/**
 * Keeps a denial for a day: of each user at most sixty per minute, and only the newest hundred.
 * So nobody displaces the denials of others. Returns whether it was kept. It looks at those of its user alone, because
 * users may be deleted and made again, and leave theirs.
 */
export async function insertDenial(store: Store, denial: Denial): Promise<boolean> {
  const { organizationId, denialId, userId, type, fingerprint, error, createdAtMs } = denial;
  const rows = await store.run(
    "insert-denial",
    `WITH old AS (
       DELETE FROM denials WHERE organization_id = $1::uuid AND user_id = $3::uuid
         AND created_at_ms < $7::bigint - ${KEEP_MS}
       RETURNING organization_id, ${BYTES} AS bytes
     ), oldest AS (
       DELETE FROM denials WHERE organization_id = $1::uuid AND denial_id = ANY (ARRAY(
         SELECT denial_id FROM denials WHERE organization_id = $1::uuid AND user_id = $3::uuid
         ORDER BY created_at_ms DESC OFFSET ${MAX_PER_USER - 1}))
       RETURNING organization_id, ${BYTES} AS bytes
     ), kept AS (
       INSERT INTO denials (organization_id, denial_id, user_id, type, fingerprint, error, created_at_ms,
         body, public_key, document_version)
       SELECT $1::uuid, $2::uuid, $3::uuid, $4::text, $5::text, $6::jsonb, $7::bigint, $8::text, $9::text,
         $10::bigint
       WHERE (SELECT count(*) FROM denials
              WHERE organization_id = $1::uuid AND user_id = $3::uuid
                AND created_at_ms > $7::bigint - 60000) < ${MAX_PER_MINUTE}
       RETURNING organization_id, denial_id, ${BYTES} AS bytes
     ), charged AS (
       ${chargeStorage(CHANGES)}
     )
     SELECT denial_id FROM kept`,
    [
      organizationId,
      denialId,
      userId,
      type,
      fingerprint,
      JSON.stringify(error),
      createdAtMs,
      denial.body,
      denial.publicKey,
      denial.documentVersion,
    ],
  );
  return rows.length > 0;
}

/** Where a look for old denials has come to. */
export type DenialPlace = Pick<Denial, "organizationId" | "userId" | "createdAtMs">;

/**
 * Deletes what is older than a day among the next so many denials after a place, in the order of organizations and
 * users. Returns the place of the last one. Null if there are no more.
 */
export async function deleteOldDenials(
  { run }: Store,
  { after, nowMs, limit }: { after: DenialPlace | null; nowMs: number; limit: number },
): Promise<DenialPlace | null> {
  const { organizationId, userId, createdAtMs } = after ?? FIRST;
  const rows = await run(
    "delete-old-denials",
    `WITH looked AS (
       SELECT organization_id, denial_id, user_id, created_at_ms FROM denials
       WHERE (organization_id, user_id, created_at_ms) > ($1::uuid, $2::uuid, $3::bigint)
       ORDER BY organization_id, user_id, created_at_ms LIMIT $4::bigint
     ), old AS (
       DELETE FROM denials USING looked
       WHERE denials.organization_id = looked.organization_id AND denials.denial_id = looked.denial_id
         AND denials.created_at_ms < $5::bigint
       RETURNING denials.organization_id, ${BYTES} AS bytes
     ), charged AS (
       ${chargeStorage("(SELECT organization_id, -bytes AS bytes FROM old)")}
     )
     SELECT organization_id, user_id, created_at_ms FROM looked
     ORDER BY organization_id DESC, user_id DESC, created_at_ms DESC LIMIT 1`,
    [organizationId, userId, createdAtMs, limit, nowMs - KEEP_MS],
  );
  const [last] = rows;
  if (!last) return null;
  return {
    organizationId: String(last.organization_id),
    userId: String(last.user_id),
    createdAtMs: Number(last.created_at_ms),
  };
}

const NOBODY = "00000000-0000-0000-0000-000000000000";
const FIRST: DenialPlace = { organizationId: NOBODY, userId: NOBODY, createdAtMs: 0 };

export type KeptDenial = Pick<Denial, "body" | "createdAtMs"> & {
  userId: string | null;
  error: ErrorMessage;
  publicKey: string | null;
  documentVersion: number | null;
};

export async function findDenial(
  db: Db,
  organizationId: string,
  denialId: string,
): Promise<KeptDenial | undefined> {
  const row = await db
    .selectFrom("denials")
    .select(["user_id", "error", "body", "public_key", "document_version", "created_at_ms"])
    .where("organization_id", "=", organizationId)
    .where("denial_id", "=", denialId)
    .executeTakeFirst();
  return (
    row && {
      userId: row.user_id,
      // The shape that `insertDenial` wrote.
      error: row.error as ErrorMessage,
      body: row.body,
      publicKey: row.public_key,
      documentVersion: row.document_version,
      createdAtMs: row.created_at_ms,
    }
  );
}
