import { sql } from "kysely";
import type { Db } from "./connect.ts";
import type { StoredRecord } from "./stored-record.ts";
import type { AnyTable } from "./table.ts";

/** The record of this id, by the table's primary key. */
export async function findById(
  db: Db,
  { name, id }: Pick<AnyTable, "name" | "id">,
  organizationId: string,
  recordId: string,
): Promise<StoredRecord | undefined> {
  const { rows } = await sql<{ digest: string; record: Uint8Array }>`
    SELECT digest, record FROM ${sql.table(name)}
    WHERE organization_id = ${organizationId} AND ${sql.ref(id)} = ${recordId}`.execute(db);
  const [row] = rows;
  return row && { digest: row.digest, bytes: row.record };
}
