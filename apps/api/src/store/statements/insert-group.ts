import type { CommitUnit, RecordRow } from "../commit-unit.ts";
import type { Store } from "../connect.ts";
import type { AnyTable } from "../table.ts";
import { recordTables } from "../tables.ts";
import { insertRecords, insertShared, isReplaced } from "./inserts.ts";
import { createStatement, type Statement } from "./statement.ts";

/**
 * One statement for many units that change no document. Returns the ids of the activities written. No
 * two of the units may replace the same record.
 */
export async function insertGroup(store: Store, units: CommitUnit[]): Promise<Set<string>> {
  const statement = createStatement();
  const replacing = recordTables.filter(
    (table) => isReplaced(table) && units.some(({ records }) => records.some(isOf(table))),
  );
  for (const table of replacing) findStale(statement, table, units, store.isDistributed);
  statement.with(
    "unit",
    `SELECT * FROM unnest(${statement.list(units, "uuid", (unit) => unit.organizationId)},
       ${statement.list(units, "bigint", (unit) => unit.guard?.version ?? 0)},
       ${statement.list(units, "text", (unit) => unit.guard?.digest ?? "")},
       ${statement.list(units, "uuid", (unit) => unit.activity.activityId)},
       ${statement.list(units, "text", (unit) => unit.activity.fingerprint)},
       ${statement.list(units, "text", (unit) => unit.activity.type)},
       ${statement.list(units, "text", (unit) => unit.activity.status)},
       ${statement.list(units, "bytea", (unit) => unit.activity.record)},
       ${statement.list(units, "text", (unit) => unit.activity.statement)})
     AS t(organization_id, document_version, document_digest, activity_id, fingerprint, type, status, record,
       statement)`,
  );
  const isCurrent = replacing.map(
    ({ name }) => `AND u.activity_id NOT IN (SELECT activity_id FROM stale_${name})`,
  );
  statement.with(
    "accepted",
    `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record,
       statement, statement_version)
     SELECT u.organization_id, u.activity_id, u.fingerprint, 1, u.type, u.status, u.record,
       u.statement, 1
     FROM unit u ${store.isDistributed ? CURRENT_ON_CITUS : CURRENT} ${isCurrent.join(" ")}
     ON CONFLICT (organization_id, fingerprint) DO NOTHING
     RETURNING organization_id, activity_id`,
  );
  insertShared(statement, units);
  insertRecords(statement, units);
  const rows = await statement.run(store, `SELECT activity_id${checks(replacing)} FROM accepted`);
  return new Set(rows.map((row) => String(row.activity_id)));
}

/** On two cores, a join costs a signature a sixth of its rate. Citus refuses anything else. */
const CURRENT = `WHERE u.document_digest = (SELECT o.digest FROM organizations o
  WHERE o.organization_id = u.organization_id AND o.version = u.document_version)`;
const CURRENT_ON_CITUS = `JOIN organizations o ON o.organization_id = u.organization_id
  AND o.version = u.document_version AND o.digest = u.document_digest
  WHERE true`;

/** Whether the unit changes no document and no activity, and depends on the document's version. */
export function isGroupable(unit: CommitUnit): boolean {
  return (
    unit.guard !== null &&
    unit.document === null &&
    unit.activity.version === 1 &&
    unit.removedLookups.length === 0
  );
}

/** The records that the unit replaces, or creates if they are the first of their kind. */
export function replacedBy({ records }: CommitUnit): string[] {
  return records
    .filter(({ table }) => isReplaced(table))
    .map(({ table, organizationId, id }) => `${table.name} ${organizationId} ${id}`);
}

function isOf(table: AnyTable) {
  return (row: RecordRow) => row.table.name === table.name;
}

/** The activities whose records do not follow the stored version. */
function findStale(
  statement: Statement,
  table: AnyTable,
  units: CommitUnit[],
  isDistributed: boolean,
) {
  const rows = units.flatMap(({ records, activity: { activityId } }) =>
    records.filter(isOf(table)).map((row) => ({ ...row, activityId })),
  );
  statement.with(
    `meant_${table.name}`,
    `SELECT * FROM unnest(${statement.list(rows, "uuid", (row) => row.activityId)},
       ${statement.list(rows, "uuid", (row) => row.organizationId)},
       ${statement.list(rows, "uuid", (row) => row.id)},
       ${statement.list(rows, "bigint", (row) => row.version)})
     AS t(activity_id, organization_id, id, version)`,
  );
  if (!isDistributed) {
    statement.with(
      `stale_${table.name}`,
      // Not a join: its plan could read the whole table.
      `SELECT m.activity_id FROM meant_${table.name} m
       WHERE m.version - 1 <> coalesce((SELECT r.version FROM ${table.name} r
         WHERE r.organization_id = m.organization_id AND r.${table.id} = m.id), 0)`,
    );
    return;
  }
  statement.with(
    `found_${table.name}`,
    `SELECT m.activity_id, m.id, r.version FROM meant_${table.name} m
     JOIN ${table.name} r ON r.organization_id = m.organization_id AND r.${table.id} = m.id`,
  );
  statement.with(
    `stale_${table.name}`,
    `SELECT m.activity_id FROM meant_${table.name} m
     LEFT JOIN found_${table.name} f USING (activity_id, id)
     WHERE m.version - 1 <> coalesce(f.version, 0)`,
  );
}

/**
 * Fails the statement if another one replaced a record in between: an update that waited for it writes
 * nothing.
 */
function checks(replacing: readonly AnyTable[]): string {
  const each = replacing.map(
    ({ name }) =>
      `, 1 / (CASE WHEN (SELECT count(*) FROM new_${name}) =
         (SELECT count(*) FROM meant_${name} JOIN accepted USING (activity_id)) THEN 1 ELSE 0 END)`,
  );
  return each.join("");
}
