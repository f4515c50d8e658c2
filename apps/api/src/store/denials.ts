import type { ErrorMessage } from "@keyhearth/engine/errors";
import type { Store } from "./connect.ts";

export type Denial = {
  organizationId: string;
  userId: string | null;
  type: string;
  fingerprint: string;
  error: ErrorMessage;
  createdAtMs: number;
};

const KEEP_MS = 24 * 60 * 60 * 1000;
const MAX_PER_MINUTE = 60;

/**
 * Keeps a denial for a day, at most sixty a minute and organization. These entries explain; they
 * are not notarized and nothing is decided by them.
 */
export async function insertDenial(store: Store, denial: Denial): Promise<void> {
  const { organizationId, userId, type, fingerprint, error, createdAtMs } = denial;
  await store.run(
    "insert-denial",
    `WITH old AS (
       DELETE FROM denials WHERE organization_id = $1::uuid AND created_at_ms < $6::bigint - ${KEEP_MS}
     )
     INSERT INTO denials (organization_id, denial_id, user_id, type, fingerprint, error, created_at_ms)
     SELECT $1::uuid, gen_random_uuid(), $2::uuid, $3::text, $4::text, $5::jsonb, $6::bigint
     WHERE (SELECT count(*) FROM denials
            WHERE organization_id = $1::uuid AND created_at_ms > $6::bigint - 60000) < ${MAX_PER_MINUTE}`,
    [organizationId, userId, type, fingerprint, JSON.stringify(error), createdAtMs],
  );
}
