import type { Db } from "./connect.ts";
import { lookupHash } from "./lookups.ts";
import type { LookupKind } from "./schema.ts";

const MOST = 20;

/**
 * Sub-organizations of this one in which a user is found by the value now. What the parent gave comes first: anyone can
 * add somebody else's key to a sub-organization of their own.
 */
export async function findAccounts(
  db: Db,
  parentOrganizationId: string,
  { kind, value, nowMs }: { kind: LookupKind; value: string; nowMs: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("lookups")
    .select(["organization_id", "is_from_parent"])
    .distinct()
    .where("kind", "=", kind)
    .where("value_hash", "=", lookupHash(kind, value))
    .where("parent_organization_id", "=", parentOrganizationId)
    .where((eb) => eb.or([eb("expires_at_ms", "is", null), eb("expires_at_ms", ">", nowMs)]))
    .orderBy("is_from_parent", "desc")
    .orderBy("organization_id")
    .limit(MOST)
    .execute();
  return [...new Set(rows.map((row) => row.organization_id))];
}
