import type { Db, Store } from "./connect.ts";
import type { AnyTable } from "./table.ts";

// How much an organization stores, a top-level one with its sub-organizations: its family (decision 19). Whatever stays
// is charged when it is written, and what is removed later is taken off by the statement that removes it.

/** What a row takes besides its record: its other columns, its entries in indexes, and its leaf. */
export const ROW_BYTES = 1024;

/** What a commit writes. */
type Written = {
  activity: { record: Uint8Array; statement: string | null };
  document: { record: Uint8Array } | null;
  organizations: { record: Uint8Array }[];
  records: { record: Uint8Array; table: AnyTable }[];
};

/**
 * What a commit adds, apart from its deliveries, which only the database can count. Kinds that are replaced in
 * place are left out: a user has one such record, of a bounded size. So are messages, which are few and go.
 */
export function storedBytesOf({ activity, document, organizations, records }: Written): number {
  const documents = document ? [document, ...organizations] : organizations;
  const others = records.filter(({ table }) => !table.kind.write?.isReplaced);
  const rows = [activity, ...documents, ...others];
  const written = rows.reduce((sum, { record }) => sum + ROW_BYTES + record.length, 0);
  // The leaf of the activity is a row as well, and stays as one of its segment.
  return written + ROW_BYTES + Buffer.byteLength(activity.statement ?? "");
}

/**
 * A part of a statement that adds to what organizations and their parents store. `source` is another part, or a
 * query, with rows of `organization_id` and `bytes`. Every statement locks organizations in the same order. Citus reads a
 * whole table for an outer join, so the organizations are chosen before.
 */
export function chargeStorage(source: string): string {
  return `INSERT INTO organization_storage AS f (organization_id, bytes, is_family)
    SELECT charged.id, sum(s.bytes)::bigint, bool_or(charged.is_family)
    FROM ${source} AS s LEFT JOIN (
        SELECT organization_id, parent_organization_id FROM organizations
        WHERE organization_id IN (SELECT organization_id FROM ${source} AS charged)) AS o
      ON o.organization_id = s.organization_id
      CROSS JOIN LATERAL (VALUES
        (s.organization_id, o.organization_id IS NOT NULL AND o.parent_organization_id IS NULL),
        (o.parent_organization_id, true)) AS charged (id, is_family)
    WHERE charged.id IS NOT NULL GROUP BY charged.id ORDER BY charged.id
    ON CONFLICT (organization_id) DO UPDATE
      SET bytes = f.bytes + excluded.bytes, is_family = excluded.is_family`;
}

/** What an organization stores, with its sub-organizations if it has some, apart from what is not sealed yet. */
export async function findStoredBytes(db: Db, organizationId: string): Promise<number> {
  const row = await db
    .selectFrom("organization_storage")
    .select("bytes")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/**
 * What organizations have stored that is not sealed yet, each top-level one with its sub-organizations: those for which it
 * is at least so much, so that many small ones cost no rows.
 */
export async function listUnsealedBytes(
  { run }: Pick<Store, "run">,
  least: number,
): Promise<Map<string, number>> {
  const rows = await run(
    "unsealed-bytes",
    `WITH own AS (
       SELECT organization_id, sum(bytes) AS bytes FROM leaves GROUP BY organization_id
     ), placed AS (
       SELECT own.organization_id, own.bytes, o.parent_organization_id
       FROM own JOIN organizations o ON o.organization_id = own.organization_id
     )
     SELECT charged.id, sum(placed.bytes)::bigint AS bytes
     FROM placed CROSS JOIN LATERAL
       (VALUES (placed.organization_id), (placed.parent_organization_id)) AS charged (id)
     WHERE charged.id IS NOT NULL GROUP BY charged.id HAVING sum(placed.bytes) >= $1::bigint`,
    [Math.ceil(least)],
  );
  return new Map(rows.map(({ id, bytes }) => [String(id), Number(bytes)]));
}

/** What a family stores. The id is that of its top-level organization. */
export type StoredByFamily = { organizationId: string; bytes: number };

/** The families that store the most, the largest first. An index has them, whatever number of others there is. */
export async function listLargestFamilies(
  { run }: Pick<Store, "run">,
  limit: number,
): Promise<StoredByFamily[]> {
  const rows = await run(
    "largest-families",
    `SELECT organization_id, bytes FROM organization_storage WHERE is_family
     ORDER BY bytes DESC LIMIT $1::int`,
    [limit],
  );
  return rows.map(({ organization_id, bytes }) => ({
    organizationId: String(organization_id),
    bytes: Number(bytes),
  }));
}
