import type { CommitUnit } from "../commit-unit.ts";
import type { Store } from "../connect.ts";
import { insertRecords, insertShared } from "./inserts.ts";
import { base64, createStatement } from "./statement.ts";

/** One statement for many units that only insert. Returns the ids of the activities written. */
export async function insertGroup(store: Store, units: CommitUnit[]): Promise<Set<string>> {
  const statement = createStatement();
  statement.with(
    "unit",
    `SELECT * FROM unnest(${statement.list(units, "uuid", (unit) => unit.organizationId)},
       ${statement.list(units, "bigint", (unit) => unit.guard?.version ?? 0)},
       ${statement.list(units, "text", (unit) => unit.guard?.digest ?? "")},
       ${statement.list(units, "uuid", (unit) => unit.activity.activityId)},
       ${statement.list(units, "text", (unit) => unit.activity.fingerprint)},
       ${statement.list(units, "text", (unit) => unit.activity.type)},
       ${statement.list(units, "text", (unit) => unit.activity.status)},
       ${statement.list(units, "text", (unit) => base64(unit.activity.record))})
     AS t(organization_id, document_version, document_digest, activity_id, fingerprint, type, status, record)`,
  );
  statement.with(
    "accepted",
    `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record)
     SELECT u.organization_id, u.activity_id, u.fingerprint, 1, u.type, u.status, decode(u.record, 'base64')
     FROM unit u
     WHERE u.document_digest = (SELECT o.digest FROM organizations o
       WHERE o.organization_id = u.organization_id AND o.version = u.document_version)
     ON CONFLICT (organization_id, fingerprint) DO NOTHING
     RETURNING organization_id, activity_id`,
  );
  insertShared(statement, units);
  insertRecords(statement, units);
  const rows = await statement.run(store, "SELECT activity_id FROM accepted");
  return new Set(rows.map((row) => String(row.activity_id)));
}

/** Whether the unit replaces nothing and only depends on the document by which it was decided. */
export function isInsertOnly(unit: CommitUnit): boolean {
  return (
    unit.guard !== null &&
    unit.document === null &&
    unit.activity.version === 1 &&
    unit.records.every(({ version }) => version === 1) &&
    unit.removedLookups.length === 0
  );
}
