import type { Db, Store } from "./connect.ts";
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

/** What a user may be found by. */
export type Fact = { kind: LookupKind; value: string };

/** The first of these by which a user of a sub-organization is found now. One statement looks for all. */
export async function findTaken<F extends Fact>(
  store: Store,
  parentOrganizationId: string,
  facts: readonly F[],
  nowMs: number,
): Promise<F | undefined> {
  const hashOf = ({ kind, value }: Fact) => lookupHash(kind, value);
  const rows = await store.run("find-taken", FIND_TAKEN, [
    parentOrganizationId,
    facts.map(({ kind }) => kind),
    facts.map(hashOf),
    nowMs,
  ]);
  // The kind is a part of what the hash is over.
  const taken = new Set(rows.map(({ value_hash }) => value_hash));
  return facts.find((fact) => taken.has(hashOf(fact)));
}

const FIND_TAKEN = `
  SELECT sought.value_hash FROM unnest($2::text[], $3::text[]) AS sought (kind, value_hash)
  WHERE EXISTS (
    SELECT 1 FROM lookups
    WHERE lookups.kind = sought.kind AND lookups.value_hash = sought.value_hash
      AND parent_organization_id = $1::uuid
      AND (expires_at_ms IS NULL OR expires_at_ms > $4::bigint))`;
