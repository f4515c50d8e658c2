import type { SealedMessage } from "@keyhearth/engine/messages/message";
import type { CommitUnit, DocumentRow, RecordRow } from "../commit-unit.ts";
import { ROW_BYTES, storedBytesOf } from "../family-storage.ts";
import type { AnyTable } from "../table.ts";
import { recordTables } from "../tables.ts";
import type { SqlType, SqlValue, Statement } from "./statement.ts";
import { insertDeliveries, resendDeliveries, writeTargets } from "./webhooks.ts";

/**
 * The inserts of both forms of a commit. Each joins `accepted`, the activities that were written, so
 * that nothing is written without its activity.
 */
export function insertShared(statement: Statement, units: CommitUnit[]) {
  insertDeliveries(statement, units);
  insertLeaves(statement, units);
  insertDocuments(statement, units.flatMap(ofUnit((unit) => unit.organizations)));
  insertLookups(statement, units);
  insertMessages(statement, units);
  resendDeliveries(statement, units);
  writeTargets(statement, units);
}

/** New records of every kind, with a part for each table that gets any. */
export function insertRecords(
  statement: Statement,
  units: CommitUnit[],
  isMeant: (table: AnyTable) => boolean = () => true,
) {
  const records = units.flatMap(ofUnit((unit) => unit.records));
  if (records.length === 0) return;
  for (const table of recordTables.filter(isMeant)) {
    const rows = records.filter((row) => row.table.name === table.name);
    const columns = recordColumns(table);
    insertRows(statement, table.name, columns, ...replacement(table, columns, rows));
    insertSideRows(statement, table, rows);
  }
}

/** How rows of a kind that is replaced take the place of the version before. */
function replacement<R extends RecordRow>(
  table: AnyTable,
  columns: Columns<R>,
  rows: OfActivity<R>[],
): [OfActivity<R>[], string] {
  const mayBeThere = rows.some(({ body }) => table.isRepeated?.(body));
  if (!isReplaced(table) && !mayBeThere) return [rows, ""];
  const key = ["organization_id", table.id];
  const changes = Object.keys(columns).filter((name) => !key.includes(name));
  const placeOf = ({ organizationId, id }: R) => `${organizationId} ${id}`;
  return [
    // All processes lock rows in the same order.
    rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
    `ON CONFLICT (${key.join(", ")}) DO UPDATE
       SET ${changes.map((name) => `${name} = excluded.${name}`).join(", ")}
       ${mayBeThere ? "" : `WHERE ${table.name}.version = excluded.version - 1`}
     RETURNING ${table.id}`,
  ];
}

export function isReplaced({ kind }: AnyTable): boolean {
  return kind.write?.isReplaced ?? false;
}

/** The columns of a kind's table, and how one row fills them. */
export function recordColumns({ id, columns, kind }: AnyTable): Columns<RecordRow> {
  return {
    organization_id: ["uuid", (row) => row.organizationId],
    [id]: ["uuid", (row) => row.id],
    ...(kind.write?.isReplaced ? { version: ["bigint", (row) => row.version] } : {}),
    ...Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [
        name,
        [column.type, (row: RecordRow) => column.of(row.body)],
      ]),
    ),
    digest: ["text", (row) => row.digest],
    record: ["bytea", (row) => row.record],
  };
}

/** For each column: its type, and the value that a row has for it. */
export type Columns<R> = {
  [column: string]: [SqlType, (row: R) => SqlValue];
};

type OfActivity<R> = R & { activityId: string };

/** Inserts the rows whose activity was accepted. Tables without rows are left out. */
function insertRows<R>(
  statement: Statement,
  table: string,
  columns: Columns<R>,
  rows: OfActivity<R>[],
  conflict = "",
) {
  if (rows.length === 0) return;
  const names = Object.keys(columns);
  const lists = Object.values(columns).map(([type, pick]) => statement.list(rows, type, pick));
  statement.with(
    `new_${table}`,
    `INSERT INTO ${table} (${names.join(", ")})
     SELECT ${names.map((name) => `t.${name}`).join(", ")}
     FROM unnest(${statement.list(rows, "uuid", (row) => row.activityId)}, ${lists.join(", ")})
     AS t(activity_id, ${names.join(", ")}) JOIN accepted USING (activity_id) ${conflict}`,
  );
}

function insertSideRows(
  statement: Statement,
  { id, side, isRepeated }: AnyTable,
  records: OfActivity<RecordRow>[],
) {
  if (!side) return;
  type Row = { organizationId: string; id: string; values: Record<string, string | number> };
  const rows = records.flatMap(({ activityId, organizationId, id, body }) =>
    side.rows(body).map((values) => ({ activityId, organizationId, id, values })),
  );
  const own = Object.entries(side.columns).map(([name, type]) => [
    name,
    [type, ({ values }: Row) => values[name] ?? null],
  ]);
  const columns: Columns<Row> = {
    organization_id: ["uuid", (row) => row.organizationId],
    [id]: ["uuid", (row) => row.id],
    ...Object.fromEntries(own),
  };
  const mayBeThere = records.some(({ body }) => isRepeated?.(body));
  insertRows(statement, side.name, columns, rows, mayBeThere ? "ON CONFLICT DO NOTHING" : "");
}

/** Each with what its unit stores, deliveries too. */
function insertLeaves(statement: Statement, units: CommitUnit[]) {
  statement.with(
    "new_leaves",
    `INSERT INTO leaves (organization_id, activity_id, version, hash, tag, bytes)
     SELECT accepted.organization_id, t.activity_id, t.version, t.hash, t.tag,
       t.bytes + ${ROW_BYTES} * coalesce(d.number, 0)
     FROM unnest(${statement.list(units, "uuid", (unit) => unit.activity.activityId)},
       ${statement.list(units, "bigint", (unit) => unit.activity.version)},
       ${statement.list(units, "text", (unit) => unit.leaf.hash)},
       ${statement.list(units, "text", (unit) => unit.leaf.tag)},
       ${statement.list(units, "bigint", storedBytesOf)})
     AS t(activity_id, version, hash, tag, bytes) JOIN accepted USING (activity_id)
     LEFT JOIN (SELECT activity_id, count(*) AS number FROM new_deliveries GROUP BY activity_id) AS d
       USING (activity_id)`,
  );
}

function insertDocuments(statement: Statement, rows: OfActivity<DocumentRow>[]) {
  insertRows<DocumentRow>(
    statement,
    "organizations",
    {
      organization_id: ["uuid", (row) => row.organizationId],
      parent_organization_id: ["uuid", (row) => row.parentOrganizationId],
      version: ["bigint", (row) => row.version],
      digest: ["text", (row) => row.digest],
      organization_name: ["text", (row) => row.organizationName],
      created_at_ms: ["bigint", (row) => row.createdAtMs],
    },
    rows,
  );
  insertRows<DocumentRow>(
    statement,
    "organization_documents",
    {
      organization_id: ["uuid", (row) => row.organizationId],
      version: ["bigint", (row) => row.version],
      digest: ["text", (row) => row.digest],
      record: ["bytea", (row) => row.record],
    },
    rows,
  );
}

function insertLookups(statement: Statement, units: CommitUnit[]) {
  insertRows<CommitUnit["lookups"][number]>(
    statement,
    "lookups",
    {
      organization_id: ["uuid", (row) => row.organizationId],
      kind: ["text", (row) => row.kind],
      value_hash: ["text", (row) => row.valueHash],
      subject_id: ["uuid", (row) => row.subjectId],
      parent_organization_id: ["uuid", (row) => row.parentOrganizationId],
      expires_at_ms: ["bigint", (row) => row.expiresAtMs ?? null],
      is_from_parent: ["boolean", (row) => row.isFromParent ?? false],
      is_stated: ["boolean", (row) => row.isStated ?? false],
    },
    eachOnce(units.flatMap(ofUnit((unit) => unit.lookups))),
    // A key that expires may be registered again, for longer or permanently.
    `ON CONFLICT (organization_id, kind, value_hash, subject_id) DO UPDATE
     SET expires_at_ms = excluded.expires_at_ms, is_stated = excluded.is_stated
     WHERE lookups.expires_at_ms IS DISTINCT FROM excluded.expires_at_ms`,
  );
}

/** One statement can write a row once. The last of several wins, in the same order everywhere. */
function eachOnce<R extends CommitUnit["lookups"][number]>(rows: R[]): R[] {
  const keyOf = ({ organizationId, kind, valueHash, subjectId }: R) =>
    `${organizationId} ${kind} ${valueHash} ${subjectId}`;
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function insertMessages(statement: Statement, units: CommitUnit[]) {
  type Row = OfActivity<SealedMessage & { organizationId: string }>;
  const rows = units.flatMap((unit): Row[] => {
    const { organizationId } = unit;
    return ofUnit(({ messages }) => messages)(unit).map((row) => ({ ...row, organizationId }));
  });
  insertRows<Row>(
    statement,
    "outbox",
    {
      organization_id: ["uuid", (row) => row.organizationId],
      message_id: ["uuid", (row) => row.messageId],
      kind: ["text", (row) => row.kind],
      sealed: ["text", (row) => row.sealed],
      state: ["text", () => "waiting"],
      attempts: ["bigint", () => 0],
      next_attempt_at_ms: ["bigint", (row) => row.createdAtMs],
      expires_at_ms: ["bigint", (row) => row.expiresAtMs],
      created_at_ms: ["bigint", (row) => row.createdAtMs],
    },
    rows,
  );
}

/** Rows of a unit, each with the activity that must be accepted before it is written. */
function ofUnit<R>(rowsOf: (unit: CommitUnit) => R[]) {
  return (unit: CommitUnit): OfActivity<R>[] =>
    rowsOf(unit).map((row) => ({ ...row, activityId: unit.activity.activityId }));
}
