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

const BYTES = `${ROW_BYTES} + coalesce(octet_length(body), 0)`;
const CHANGES = `(SELECT organization_id, bytes FROM kept
  UNION ALL SELECT organization_id, -bytes FROM old
  UNION ALL SELECT organization_id, -bytes FROM oldest)`;

/**
 * Keeps a denial for a day: of each user at most sixty per minute, and only the newest hundred.
 * So nobody displaces the denials of others. Returns whether it was kept.
 */
export async function insertDenial(store: Store, denial: Denial): Promise<boolean> {
  const { organizationId, denialId, userId, type, fingerprint, error, createdAtMs } = denial;
  const rows = await store.run(
    "insert-denial",
    `WITH old AS (
       DELETE FROM denials WHERE organization_id = $1::uuid AND created_at_ms < $7::bigint - ${KEEP_MS}
       RETURNING organization_id, ${BYTES} AS bytes
     ), oldest AS (
       DELETE FROM denials WHERE organization_id = $1::uuid AND denial_id IN (
         SELECT denial_id FROM denials WHERE organization_id = $1::uuid AND user_id = $3::uuid
         ORDER BY created_at_ms DESC OFFSET ${MAX_PER_USER - 1})
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
