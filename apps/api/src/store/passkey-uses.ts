import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { Db, Store } from "./connect.ts";

/** Uses within this time count as one, so that a busy passkey does not write for every request. */
const ONCE_MS = 60_000;

/** Notes that a passkey stamped a request. Forgets the passkeys that the organization no longer has. */
export async function notePasskeyUse(
  store: Store,
  { organizationId, users }: Pick<OrganizationDocument, "organizationId" | "users">,
  { authenticatorId, nowMs }: { authenticatorId: string; nowMs: number },
) {
  const known = users.flatMap(({ authenticators }) =>
    authenticators.map((each) => each.authenticatorId),
  );
  if (!known.includes(authenticatorId)) return;
  await store.run(
    "note-passkey-use",
    `WITH noted AS (
       INSERT INTO passkey_uses AS u (organization_id, authenticator_id, last_used_at_ms)
       VALUES ($1::uuid, $2::uuid, $3::bigint)
       ON CONFLICT (organization_id, authenticator_id)
         DO UPDATE SET last_used_at_ms = excluded.last_used_at_ms
         WHERE u.last_used_at_ms < excluded.last_used_at_ms - ${ONCE_MS}
       RETURNING organization_id
     )
     DELETE FROM passkey_uses WHERE organization_id IN (SELECT organization_id FROM noted)
       AND authenticator_id <> ALL($4::uuid[])`,
    [organizationId, authenticatorId, nowMs, known],
  );
}

/** When the passkeys were last used, by id. Those that were never used are not in it. */
export async function findPasskeyUses(
  db: Db,
  organizationId: string,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("passkey_uses")
    .select(["authenticator_id", "last_used_at_ms"])
    .where("organization_id", "=", organizationId)
    .execute();
  return new Map(rows.map((row) => [row.authenticator_id, row.last_used_at_ms]));
}
