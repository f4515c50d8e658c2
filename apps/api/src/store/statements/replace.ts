import type { CommitUnit, RecordRow } from "../commit-unit.ts";
import type { Store } from "../connect.ts";
import { LIMIT_OF_REMOVED, REMOVED_AT_ONCE } from "../deleted-wallets.ts";
import type { Lookup } from "../lookups.ts";
import type { AnyTable, Owned } from "../table.ts";
import { recordTables } from "../tables.ts";
import { insertRecords, insertShared, isReplaced, recordColumns } from "./inserts.ts";
import { createStatement, type SqlType, type Statement } from "./statement.ts";
import { keepReplaced, readReplaced } from "./webhooks.ts";

/**
 * Runs a unit that changes records as one statement, which fails as a whole if a version has
 * changed.
 */
export async function replace(store: Store, unit: CommitUnit): Promise<void> {
  const statement = createStatement();
  writeDocument(statement, unit);
  for (const [index, row] of unit.records.filter(({ table }) => isReplaced(table)).entries()) {
    replaceRecord(statement, row, index);
  }
  const isReplacing = unit.activity.version > 1;
  if (isReplacing) readReplaced(statement, unit);
  writeActivity(statement, unit);
  if (isReplacing) keepReplaced(statement);
  if (unit.isRoot) {
    statement.withOne(
      "root",
      `INSERT INTO root_organization (singleton, organization_id)
       SELECT 1, organization_id FROM accepted RETURNING organization_id`,
    );
  }
  if (unit.signup) {
    const { networkHash, siteHash } = unit.signup;
    statement.withOne(
      "signup",
      `INSERT INTO signups (organization_id, network_hash, site_hash)
       SELECT organization_id, ${statement.add(networkHash, "text")}, ${statement.add(siteHash, "text")}
       FROM accepted RETURNING organization_id`,
    );
  }
  insertShared(statement, [unit]);
  insertRecords(statement, [unit], (table) => !isReplaced(table));
  if (unit.document !== null && unit.document.deletedAtMs !== null) {
    removeAll(statement, unit.organizationId);
  } else {
    removeLookups(statement, unit.removedLookups);
    removeRecords(statement, unit);
  }
  await statement.run(store, statement.check());
}

/** Checks that the unit's document is still the newest, and writes the next one after it. */
function writeDocument(statement: Statement, { organizationId, document, guard }: CommitUnit) {
  if (!guard) {
    statement.withOne(
      "guard",
      `SELECT ${statement.add(organizationId, "uuid")} AS organization_id`,
    );
    return;
  }
  if (!document) {
    statement.withOne(
      "guard",
      `SELECT organization_id FROM organizations
       WHERE organization_id = ${statement.add(organizationId, "uuid")}
         AND version = ${statement.add(guard.version, "bigint")}
         AND digest = ${statement.add(guard.digest, "text")}`,
    );
    return;
  }
  statement.withOne(
    "guard",
    `UPDATE organizations SET version = ${statement.add(document.version, "bigint")},
       digest = ${statement.add(document.digest, "text")},
       organization_name = ${statement.add(document.organizationName, "text")},
       deleted_at_ms = ${statement.add(document.deletedAtMs, "bigint")}
     WHERE organization_id = ${statement.add(organizationId, "uuid")}
       AND version = ${statement.add(guard.version, "bigint")}
       AND digest = ${statement.add(guard.digest, "text")}
     RETURNING organization_id`,
  );
  statement.with(
    "next_document",
    `INSERT INTO organization_documents (organization_id, version, digest, record)
     SELECT organization_id, ${statement.add(document.version, "bigint")},
       ${statement.add(document.digest, "text")}, ${statement.add(document.record, "bytea")}
     FROM guard`,
  );
  statement.with(
    "past_document",
    `INSERT INTO past_documents (organization_id, version)
     SELECT organization_id, ${statement.add(guard.version, "bigint")} FROM guard
     ON CONFLICT DO NOTHING`,
  );
}

/** Writes a record of a replaceable kind, if it follows the stored version. */
function replaceRecord(statement: Statement, row: RecordRow, index: number) {
  const { table } = row;
  const columns = recordColumns(table);
  const names = Object.keys(columns);
  const values = Object.values(columns).map(([type, pick]) => statement.add(pick(row), type));
  const key = ["organization_id", table.id];
  const changes = names.filter((name) => !key.includes(name));
  statement.withOne(
    `replaced_${table.name}_${index}`,
    `INSERT INTO ${table.name} (${names.join(", ")})
     VALUES (${values.join(", ")})
     ON CONFLICT (${key.join(", ")}) DO UPDATE
       SET ${changes.map((name) => `${name} = excluded.${name}`).join(", ")}
       WHERE ${table.name}.version = excluded.version - 1
     RETURNING ${table.id}`,
  );
}

function writeActivity(statement: Statement, { activity }: CommitUnit) {
  const add = (member: keyof typeof activity, type: SqlType) =>
    statement.add(activity[member], type);
  if (activity.version === 1) {
    statement.withOne(
      "accepted",
      `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record,
         statement, statement_version)
       SELECT organization_id, ${add("activityId", "uuid")}, ${add("fingerprint", "text")}, 1,
         ${add("type", "text")}, ${add("status", "text")}, ${add("record", "bytea")},
         ${add("statement", "text")}, 1
       FROM guard RETURNING organization_id, activity_id`,
    );
    return;
  }
  statement.withOne(
    "accepted",
    `UPDATE activities SET version = ${add("version", "bigint")},
       status = ${add("status", "text")}, record = ${add("record", "bytea")},
       statement = ${add("statement", "text")}, statement_version = ${add("version", "bigint")}
     FROM guard
     WHERE activities.organization_id = guard.organization_id
       AND activities.activity_id = ${add("activityId", "uuid")}
       AND activities.version = ${add("version", "bigint")} - 1
     RETURNING activities.organization_id, activities.activity_id`,
  );
}

function removeLookups(statement: Statement, lookups: Lookup[]) {
  if (lookups.length === 0) return;
  statement.with(
    "removed_lookups",
    `DELETE FROM lookups USING unnest(
       ${statement.list(lookups, "uuid", (row) => row.organizationId)},
       ${statement.list(lookups, "text", (row) => row.kind)},
       ${statement.list(lookups, "text", (row) => row.valueHash)},
       ${statement.list(lookups, "uuid", (row) => row.subjectId)})
     AS t(organization_id, kind, value_hash, subject_id)
     WHERE lookups.organization_id = t.organization_id AND lookups.kind = t.kind
       AND lookups.value_hash = t.value_hash AND lookups.subject_id = t.subject_id`,
  );
}

/** The records and lookups of an organization that was deleted, and the uses of its passkeys. Its log stays. */
function removeAll(statement: Statement, organizationId: string) {
  const owner = statement.add(organizationId, "uuid");
  const remove = (name: string) =>
    statement.with(`removed_${name}`, `DELETE FROM ${name} WHERE organization_id = ${owner}`);
  for (const name of ["lookups", "passkey_uses"]) remove(name);
  // Before their owners, of which Citus finds none once an earlier part has removed them.
  for (const table of recordTables) {
    const { owned, name, id } = table;
    if (!owned) continue;
    const owners = `SELECT ${owned.column} FROM ${owned.by} WHERE organization_id = ${owner}`;
    const some = `SELECT ${id} FROM ${name} WHERE organization_id = ${owner}
      ORDER BY ${id} ${LIMIT_OF_REMOVED}`;
    removeSome(statement, { table, owned, owner, owners, some });
  }
  for (const { owned, name, side } of recordTables) {
    if (owned) continue;
    remove(name);
    if (side) remove(side.name);
  }
}

function removeRecords(statement: Statement, { organizationId, removedRecords }: CommitUnit) {
  for (const [index, { table, column, ids }] of removedRecords.entries()) {
    const { owned, name, id } = table;
    const removed = `removed_${name}_${index}`;
    const owner = statement.add(organizationId, "uuid");
    const named = statement.list(ids, "uuid", (each) => each);
    if (column === owned?.column) {
      const owners = `SELECT unnest(${named})`;
      const some = `SELECT r.${id} FROM (${owners}) AS o (id) CROSS JOIN LATERAL (
        SELECT ${id} FROM ${name} WHERE organization_id = ${owner} AND ${column} = o.id
        ORDER BY ${owned.order} ${LIMIT_OF_REMOVED}) AS r LIMIT ${REMOVED_AT_ONCE}`;
      removeSome(statement, { table, owned, owner, owners, some });
      continue;
    }
    statement.with(
      removed,
      `DELETE FROM ${name} WHERE organization_id = ${owner} AND ${column} = ANY(${named})
       RETURNING ${id}`,
    );
    if (table.lookups) {
      statement.with(
        `${removed}_lookups`,
        `DELETE FROM lookups l USING ${removed} r
         WHERE l.organization_id = ${owner} AND l.subject_id = r.${id}`,
      );
    }
    if (!table.side) continue;
    statement.with(
      `${removed}_side`,
      `DELETE FROM ${table.side.name} s USING ${removed} r
       WHERE s.organization_id = ${owner} AND s.${id} = r.${id}`,
    );
  }
}

/**
 * Removes some of the records of owners that are deleted. If there may be more, it notes the owners, and pruning
 * removes the others.
 */
function removeSome(
  statement: Statement,
  {
    table: { name, id, side },
    owned: { column, left },
    owner,
    owners,
    some,
  }: {
    table: AnyTable;
    owned: Owned;
    owner: string;
    /** A query of the owners' ids. */
    owners: string;
    /** A query of the ids of as many records of theirs as are removed at once. */
    some: string;
  },
) {
  const chosen = `chosen_${name}`;
  statement.read(chosen, some);
  for (const each of side ? [name, side.name] : [name]) {
    statement.with(
      `some_${each}`,
      `DELETE FROM ${each} WHERE organization_id = ${owner}
         AND ${id} = ANY (ARRAY(SELECT ${id} FROM ${chosen}))`,
    );
  }
  statement.with(
    `some_${left}`,
    `INSERT INTO ${left} (organization_id, ${column})
     SELECT ${owner}, o.id FROM (${owners}) AS o (id)
     WHERE (SELECT count(*) FROM ${chosen}) = ${REMOVED_AT_ONCE}
     ON CONFLICT DO NOTHING`,
  );
}
