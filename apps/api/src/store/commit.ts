import type { Store } from "./connect.ts";
import type { Lookup } from "./lookups.ts";

/**
 * Everything that one decided request writes. It is committed whole or not at all, and only while
 * the records it was decided by are still current.
 */
export type CommitUnit = {
  organizationId: string;
  /** The document the decision was made by. Null only where there was none: a founding. */
  guard: { version: number; digest: string } | null;
  activity: {
    activityId: string;
    fingerprint: string;
    version: number;
    type: string;
    status: string;
    record: Uint8Array;
  };
  leaf: { hash: string; tag: string };
  /** The organization's next document, if it changes. */
  document: DocumentRow | null;
  organizations: DocumentRow[];
  /** Is this the founding of the database's root organization? There can be one. */
  isRoot: boolean;
  wallets: { organizationId: string; walletId: string; digest: string; record: Uint8Array }[];
  walletAccounts: WalletAccountRow[];
  privateKeys: {
    organizationId: string;
    privateKeyId: string;
    addresses: string[];
    digest: string;
    record: Uint8Array;
  }[];
  smartContractInterfaces: {
    organizationId: string;
    smartContractInterfaceId: string;
    digest: string;
    record: Uint8Array;
  }[];
  /** Version 1 is a new record; any other replaces the one before it. */
  sessions: {
    organizationId: string;
    userId: string;
    version: number;
    digest: string;
    record: Uint8Array;
  }[];
  lookups: Lookup[];
  removedLookups: Lookup[];
};

export type DocumentRow = {
  organizationId: string;
  parentOrganizationId: string | null;
  organizationName: string;
  version: number;
  digest: string;
  createdAtMs: number;
  record: Uint8Array;
};

export type WalletAccountRow = {
  organizationId: string;
  walletAccountId: string;
  walletId: string;
  path: string;
  addressFormat: string;
  address: string;
  createdAtMs: number;
  digest: string;
  record: Uint8Array;
};

export type Committer = {
  /** True once the unit is durable; false if it lost a race and must be decided anew. */
  commit(unit: CommitUnit): Promise<boolean>;
};

export type CommitObserver = (group: { size: number; seconds: number }) => void;

const MAX_GROUP = 64;

/** While one group is under way, so many have to wait before another connection takes them. */
const WORTH_A_CONNECTION = 24;

/**
 * Group commit. Units that only insert wait until a connection is free and then share one
 * statement: there is no timer, so a lone request never waits. Few wait for the group under way,
 * because a larger group costs less; many take a further connection. Units that change a record which
 * exists run alone and compare versions.
 */
export function createCommitter(store: Store, observe: CommitObserver = () => {}): Committer {
  const lanes = store.kind === "pglite" ? 1 : 3;
  type Waiting = { unit: CommitUnit; resolve: (ok: boolean) => void; reject: (e: unknown) => void };
  const queue: Waiting[] = [];
  let busy = 0;

  function flush() {
    while (busy < lanes && queue.length > (busy === 0 ? 0 : WORTH_A_CONNECTION)) {
      const group = queue.splice(0, MAX_GROUP);
      busy += 1;
      void runGroup(group).finally(() => {
        busy -= 1;
        flush();
      });
    }
  }

  async function runGroup(group: Waiting[]) {
    const startedAt = performance.now();
    try {
      const committed = await insertGroup(
        store,
        group.map(({ unit }) => unit),
      );
      for (const { unit, resolve } of group) resolve(committed.has(unit.activity.activityId));
    } catch (error) {
      if (group.length === 1) {
        const [only] = group;
        if (isConflict(error)) only?.resolve(false);
        else only?.reject(error);
      } else {
        // One unit's conflict fails the statement for all: each then tries alone.
        for (const each of group) await runGroup([each]);
      }
    } finally {
      observe({ size: group.length, seconds: (performance.now() - startedAt) / 1000 });
    }
  }

  return {
    commit(unit) {
      if (isInsertOnly(unit)) {
        return new Promise((resolve, reject) => {
          queue.push({ unit, resolve, reject });
          flush();
        });
      }
      return replace(store, unit, observe);
    },
  };
}

function isInsertOnly(unit: CommitUnit): boolean {
  return (
    unit.guard !== null &&
    unit.document === null &&
    unit.activity.version === 1 &&
    unit.sessions.every(({ version }) => version === 1) &&
    unit.removedLookups.length === 0
  );
}

/** Runs a unit that changes records, as one statement that fails whole when a version moved on. */
async function replace(store: Store, unit: CommitUnit, observe: CommitObserver): Promise<boolean> {
  const startedAt = performance.now();
  const statement = createStatement();
  const { organizationId, document, guard } = unit;
  let expected = 0;

  if (document && guard) {
    statement.with(
      "guard",
      `UPDATE organizations SET version = ${statement.add(document.version, "bigint")},
         digest = ${statement.add(document.digest, "text")},
         organization_name = ${statement.add(document.organizationName, "text")}
       WHERE organization_id = ${statement.add(organizationId, "uuid")}
         AND version = ${statement.add(guard.version, "bigint")}
         AND digest = ${statement.add(guard.digest, "text")}
       RETURNING organization_id`,
    );
    statement.with(
      "doc",
      `INSERT INTO organization_documents (organization_id, version, digest, record)
       SELECT organization_id, ${statement.add(document.version, "bigint")},
         ${statement.add(document.digest, "text")}, ${statement.add(document.record, "bytea")}
       FROM guard`,
    );
  } else if (guard) {
    statement.with(
      "guard",
      `SELECT organization_id FROM organizations
       WHERE organization_id = ${statement.add(organizationId, "uuid")}
         AND version = ${statement.add(guard.version, "bigint")}
         AND digest = ${statement.add(guard.digest, "text")}`,
    );
  } else {
    statement.with("guard", `SELECT ${statement.add(organizationId, "uuid")} AS organization_id`);
  }
  expected += 1;
  statement.count("guard");

  for (const [index, session] of unit.sessions.entries()) {
    const name = `session_${index}`;
    statement.with(
      name,
      `INSERT INTO sessions (organization_id, user_id, version, digest, record)
       VALUES (${statement.add(session.organizationId, "uuid")}, ${statement.add(session.userId, "uuid")},
         ${statement.add(session.version, "bigint")}, ${statement.add(session.digest, "text")},
         ${statement.add(session.record, "bytea")})
       ON CONFLICT (organization_id, user_id) DO UPDATE
         SET version = excluded.version, digest = excluded.digest, record = excluded.record
         WHERE sessions.version = excluded.version - 1
       RETURNING user_id`,
    );
    expected += 1;
    statement.count(name);
  }

  const { activity } = unit;
  if (activity.version === 1) {
    statement.with(
      "act",
      `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record)
       SELECT organization_id, ${statement.add(activity.activityId, "uuid")},
         ${statement.add(activity.fingerprint, "text")}, 1, ${statement.add(activity.type, "text")},
         ${statement.add(activity.status, "text")}, ${statement.add(activity.record, "bytea")}
       FROM guard RETURNING organization_id, activity_id`,
    );
  } else {
    statement.with(
      "act",
      `UPDATE activities SET version = ${statement.add(activity.version, "bigint")},
         status = ${statement.add(activity.status, "text")},
         record = ${statement.add(activity.record, "bytea")}
       FROM guard
       WHERE activities.organization_id = guard.organization_id
         AND activities.activity_id = ${statement.add(activity.activityId, "uuid")}
         AND activities.version = ${statement.add(activity.version - 1, "bigint")}
       RETURNING activities.organization_id, activities.activity_id`,
    );
  }
  expected += 1;
  statement.count("act");
  if (unit.isRoot) {
    statement.with(
      "root",
      `INSERT INTO root_organization (singleton, organization_id)
       SELECT 1, organization_id FROM act RETURNING organization_id`,
    );
    expected += 1;
    statement.count("root");
  }
  insertShared(statement, [unit]);
  removeLookups(statement, unit.removedLookups);

  try {
    // Dividing by zero is how a plain statement undoes itself when a version moved on.
    const check = `SELECT 1 / (CASE WHEN ${statement.sum()} = ${expected} THEN 1 ELSE 0 END)`;
    await runStatement(store, statement.text(check), statement.values());
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  } finally {
    observe({ size: 1, seconds: (performance.now() - startedAt) / 1000 });
  }
}

/** One statement for many units; answers the ids of the activities that were written. */
async function insertGroup(store: Store, units: CommitUnit[]): Promise<Set<string>> {
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
    "act",
    `INSERT INTO activities (organization_id, activity_id, fingerprint, version, type, status, record)
     SELECT u.organization_id, u.activity_id, u.fingerprint, 1, u.type, u.status, decode(u.record, 'base64')
     FROM unit u
     WHERE u.document_digest = (SELECT o.digest FROM organizations o
       WHERE o.organization_id = u.organization_id AND o.version = u.document_version)
     ON CONFLICT (organization_id, fingerprint) DO NOTHING
     RETURNING organization_id, activity_id`,
  );
  insertShared(statement, units);
  const sessions = units.flatMap(ofUnit((unit) => unit.sessions));
  if (sessions.length > 0) {
    statement.with(
      "ses",
      `INSERT INTO sessions (organization_id, user_id, version, digest, record)
       SELECT t.organization_id, t.user_id, 1, t.digest, decode(t.record, 'base64')
       FROM unnest(${statement.list(sessions, "uuid", (row) => row.activityId)},
         ${statement.list(sessions, "uuid", (row) => row.organizationId)},
         ${statement.list(sessions, "uuid", (row) => row.userId)},
         ${statement.list(sessions, "text", (row) => row.digest)},
         ${statement.list(sessions, "text", (row) => base64(row.record))})
       AS t(activity_id, organization_id, user_id, digest, record) JOIN act USING (activity_id)`,
    );
  }
  const text = statement.text("SELECT activity_id FROM act");
  const rows = await runStatement(store, text, statement.values());
  return new Set(rows.map((row) => String(row.activity_id)));
}

/** The inserts that both forms share; each joins `act`, so that only what was accepted is written. */
function insertShared(statement: Statement, units: CommitUnit[]) {
  statement.with(
    "lea",
    `INSERT INTO leaves (organization_id, activity_id, version, hash, tag)
     SELECT act.organization_id, t.activity_id, t.version, t.hash, t.tag
     FROM unnest(${statement.list(units, "uuid", (unit) => unit.activity.activityId)},
       ${statement.list(units, "bigint", (unit) => unit.activity.version)},
       ${statement.list(units, "text", (unit) => unit.leaf.hash)},
       ${statement.list(units, "text", (unit) => unit.leaf.tag)})
     AS t(activity_id, version, hash, tag) JOIN act USING (activity_id)`,
  );

  const organizations = units.flatMap(ofUnit((unit) => unit.organizations));
  if (organizations.length > 0) {
    statement.with(
      "org",
      `INSERT INTO organizations (organization_id, parent_organization_id, version, digest, organization_name, created_at_ms)
       SELECT t.organization_id, t.parent_organization_id, t.version, t.digest, t.organization_name, t.created_at_ms
       FROM unnest(${statement.list(organizations, "uuid", (row) => row.activityId)},
         ${statement.list(organizations, "uuid", (row) => row.organizationId)},
         ${statement.list(organizations, "uuid", (row) => row.parentOrganizationId)},
         ${statement.list(organizations, "bigint", (row) => row.version)},
         ${statement.list(organizations, "text", (row) => row.digest)},
         ${statement.list(organizations, "text", (row) => row.organizationName)},
         ${statement.list(organizations, "bigint", (row) => row.createdAtMs)})
       AS t(activity_id, organization_id, parent_organization_id, version, digest, organization_name, created_at_ms)
       JOIN act USING (activity_id)`,
    );
    statement.with(
      "docs",
      `INSERT INTO organization_documents (organization_id, version, digest, record)
       SELECT t.organization_id, t.version, t.digest, decode(t.record, 'base64')
       FROM unnest(${statement.list(organizations, "uuid", (row) => row.activityId)},
         ${statement.list(organizations, "uuid", (row) => row.organizationId)},
         ${statement.list(organizations, "bigint", (row) => row.version)},
         ${statement.list(organizations, "text", (row) => row.digest)},
         ${statement.list(organizations, "text", (row) => base64(row.record))})
       AS t(activity_id, organization_id, version, digest, record) JOIN act USING (activity_id)`,
    );
  }

  const wallets = units.flatMap(ofUnit((unit) => unit.wallets));
  insertRecords(statement, wallets, {
    name: "wal",
    table: "wallets",
    idColumn: "wallet_id",
    idOf: ({ walletId }) => walletId,
  });

  const accounts = units.flatMap(ofUnit((unit) => unit.walletAccounts));
  if (accounts.length > 0) {
    statement.with(
      "acc",
      `INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format, address, created_at_ms, digest, record)
       SELECT t.organization_id, t.wallet_account_id, t.wallet_id, t.path, t.address_format, t.address, t.created_at_ms, t.digest, decode(t.record, 'base64')
       FROM unnest(${statement.list(accounts, "uuid", (row) => row.activityId)},
         ${statement.list(accounts, "uuid", (row) => row.organizationId)},
         ${statement.list(accounts, "uuid", (row) => row.walletAccountId)},
         ${statement.list(accounts, "uuid", (row) => row.walletId)},
         ${statement.list(accounts, "text", (row) => row.path)},
         ${statement.list(accounts, "text", (row) => row.addressFormat)},
         ${statement.list(accounts, "text", (row) => row.address)},
         ${statement.list(accounts, "bigint", (row) => row.createdAtMs)},
         ${statement.list(accounts, "text", (row) => row.digest)},
         ${statement.list(accounts, "text", (row) => base64(row.record))})
       AS t(activity_id, organization_id, wallet_account_id, wallet_id, path, address_format, address, created_at_ms, digest, record)
       JOIN act USING (activity_id)`,
    );
  }

  const keys = units.flatMap(ofUnit((unit) => unit.privateKeys));
  insertRecords(statement, keys, {
    name: "key",
    table: "private_keys",
    idColumn: "private_key_id",
    idOf: ({ privateKeyId }) => privateKeyId,
  });
  if (keys.length > 0) {
    const addresses = keys.flatMap(({ activityId, organizationId, privateKeyId, addresses }) =>
      [...new Set(addresses)].map((address) => ({
        activityId,
        organizationId,
        privateKeyId,
        address,
      })),
    );
    statement.with(
      "kad",
      `INSERT INTO private_key_addresses (organization_id, address, private_key_id)
       SELECT t.organization_id, t.address, t.private_key_id
       FROM unnest(${statement.list(addresses, "uuid", (row) => row.activityId)},
         ${statement.list(addresses, "uuid", (row) => row.organizationId)},
         ${statement.list(addresses, "text", (row) => row.address)},
         ${statement.list(addresses, "uuid", (row) => row.privateKeyId)})
       AS t(activity_id, organization_id, address, private_key_id) JOIN act USING (activity_id)`,
    );
  }

  const interfaces = units.flatMap(ofUnit((unit) => unit.smartContractInterfaces));
  insertRecords(statement, interfaces, {
    name: "sci",
    table: "smart_contract_interfaces",
    idColumn: "smart_contract_interface_id",
    idOf: ({ smartContractInterfaceId }) => smartContractInterfaceId,
  });

  const lookups = units.flatMap(ofUnit((unit) => unit.lookups));
  if (lookups.length > 0) {
    statement.with(
      "look",
      `INSERT INTO lookups (organization_id, kind, value_hash, subject_id, parent_organization_id)
       SELECT t.organization_id, t.kind, t.value_hash, t.subject_id, t.parent_organization_id
       FROM unnest(${statement.list(lookups, "uuid", (row) => row.activityId)},
         ${statement.list(lookups, "uuid", (row) => row.organizationId)},
         ${statement.list(lookups, "text", (row) => row.kind)},
         ${statement.list(lookups, "text", (row) => row.valueHash)},
         ${statement.list(lookups, "uuid", (row) => row.subjectId)},
         ${statement.list(lookups, "uuid", (row) => row.parentOrganizationId)})
       AS t(activity_id, organization_id, kind, value_hash, subject_id, parent_organization_id)
       JOIN act USING (activity_id)
       ON CONFLICT DO NOTHING`,
    );
  }
}

type RecordRow = {
  activityId: string;
  organizationId: string;
  digest: string;
  record: Uint8Array;
};

/** Records whose table holds their id and nothing else beside them. */
function insertRecords<R extends RecordRow>(
  statement: Statement,
  rows: R[],
  {
    name,
    table,
    idColumn,
    idOf,
  }: { name: string; table: string; idColumn: string; idOf: (row: R) => string },
) {
  if (rows.length === 0) return;
  statement.with(
    name,
    `INSERT INTO ${table} (organization_id, ${idColumn}, digest, record)
     SELECT t.organization_id, t.${idColumn}, t.digest, decode(t.record, 'base64')
     FROM unnest(${statement.list(rows, "uuid", (row) => row.activityId)},
       ${statement.list(rows, "uuid", (row) => row.organizationId)},
       ${statement.list(rows, "uuid", idOf)},
       ${statement.list(rows, "text", (row) => row.digest)},
       ${statement.list(rows, "text", (row) => base64(row.record))})
     AS t(activity_id, organization_id, ${idColumn}, digest, record) JOIN act USING (activity_id)`,
  );
}

function removeLookups(statement: Statement, lookups: Lookup[]) {
  if (lookups.length === 0) return;
  statement.with(
    "gone",
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

/** Rows of a unit, each with the activity that must be accepted for them. */
function ofUnit<T>(rowsOf: (unit: CommitUnit) => T[]) {
  return (unit: CommitUnit): (T & { activityId: string })[] =>
    rowsOf(unit).map((row) => ({ ...row, activityId: unit.activity.activityId }));
}

/** Names of prepared statements: one for each text, and there are few. */
const statementNames = new Map<string, string>();

function runStatement(store: Store, text: string, values: unknown[]) {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `commit-${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return store.run(name, text, values);
}

type SqlType = "uuid" | "text" | "bigint" | "bytea";
type Statement = ReturnType<typeof createStatement>;

/** A statement of named parts. Its text depends on which parts there are, never on values. */
function createStatement() {
  const parts: { name: string; sql: string }[] = [];
  const counted: string[] = [];
  const values: unknown[] = [];
  const add = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  return {
    add: (value: string | number | Uint8Array | null, type: SqlType) => add(value, type),
    list: <T>(rows: T[], type: SqlType, pick: (row: T) => string | number | null) =>
      add(rows.map(pick), `${type}[]`),
    with: (name: string, sql: string) => void parts.push({ name, sql }),
    count: (name: string) => void counted.push(name),
    sum: () => counted.map((name) => `(SELECT count(*) FROM ${name})`).join(" + "),
    text: (last: string) =>
      `WITH ${parts.map(({ name, sql }) => `${name} AS (${sql})`).join(",\n")}\n${last}`,
    values: () => values,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** A version moved on, a key exists already, or a sharded engine asks to run it again. */
function isConflict(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["22012", "23505", "40001", "40P01"].includes(code);
}
