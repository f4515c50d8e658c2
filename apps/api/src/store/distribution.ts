import { StartError } from "../config/start-error.ts";
import type { Store } from "./connect.ts";
import { readMigrations } from "./migrate.ts";

// Where the rows of each table are in a database of Citus (decision 35).

/** By one column, as a whole on every node, or on the coordinator alone, as plain PostgreSQL has it. */
export type Place = { by: string } | "everywhere" | "coordinator";

const byOrganization: Place = { by: "organization_id" };

/** Of every table that migrations make, the one first with which all others by organization are. */
export const places: Readonly<Record<string, Place>> = {
  organizations: byOrganization,
  organization_documents: byOrganization,
  past_documents: byOrganization,
  sessions: byOrganization,
  wallets: byOrganization,
  wallet_accounts: byOrganization,
  wallet_account_names: byOrganization,
  deleted_wallets: byOrganization,
  private_keys: byOrganization,
  private_key_addresses: byOrganization,
  smart_contract_interfaces: byOrganization,
  activities: byOrganization,
  past_activities: byOrganization,
  removed_activities: byOrganization,
  leaves: byOrganization,
  segments: byOrganization,
  segment_leaves: byOrganization,
  denials: byOrganization,
  passkey_uses: byOrganization,
  outbox: byOrganization,
  otps: byOrganization,
  organization_storage: byOrganization,
  signups: byOrganization,
  // Somebody who is looked for may be in any organization, and is found on one node.
  lookups: { by: "value_hash" },
  // Few rows, which rarely change and which nodes compare with their own.
  schema_migrations: "everywhere",
  installation: "everywhere",
  root_organization: "everywhere",
  database_lines: "everywhere",
  // Endpoints have a key that is unique among all organizations, and are taken with locks that skip what is locked,
  // which Citus has on one node alone.
  webhook_targets: "coordinator",
  webhook_deliveries: "coordinator",
  // Some rows count for all organizations together, and are locked before they are compared.
  code_sends: "coordinator",
  // The clock of one node counts.
  request_counts: "coordinator",
  page_feedback: "coordinator",
  disk_probe: "coordinator",
};

/** The major version that was tried. */
const CITUS = 13;

/** A table that is not where it belongs. */
export type Misplaced = { table: string; place: Place; hasRows: boolean };

export type Distribution = { version: string; workers: number; misplaced: Misplaced[] };

/** What is where now. A StartError says why the database cannot be distributed. Changes nothing. */
export async function readDistribution({ run }: Pick<Store, "run">): Promise<Distribution> {
  const [extension] = await run(
    "",
    "SELECT extversion FROM pg_extension WHERE extname = 'citus'",
    [],
  );
  if (!extension) {
    throw new StartError(
      "the database of DATABASE_URL is PostgreSQL without Citus; install Citus on every node and run `CREATE EXTENSION citus` in this database on each, or leave the tables as they are, because nothing else needs Citus",
    );
  }
  const version = String(extension.extversion);
  if (Number.parseInt(version, 10) !== CITUS) {
    throw new StartError(
      `the database has Citus ${version}, and only Citus ${CITUS} was tried; install that on every node`,
    );
  }
  const [node] = await run(
    "",
    `SELECT (SELECT groupid FROM pg_dist_local_group) AS group_id,
       (SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards) AS workers`,
    [],
  );
  if (Number(node?.group_id) !== 0) {
    throw new StartError(
      "DATABASE_URL leads to a worker of Citus; set it to the coordinator, which has the tables that are not distributed",
    );
  }
  const workers = Number(node?.workers);
  if (workers === 0) {
    throw new StartError(
      "no node of Citus may have shards; add workers with `citus_add_node` on the coordinator",
    );
  }
  await assertMigrated(run);
  return { version, workers, misplaced: await findMisplaced(run) };
}

async function assertMigrated(run: Store["run"]): Promise<void> {
  const [table] = await run("", "SELECT to_regclass('schema_migrations') AS name", []);
  const [row] = table?.name
    ? await run("", "SELECT max(number) AS newest FROM schema_migrations", [])
    : [];
  if (Number(row?.newest ?? 0) === readMigrations().at(-1)?.number) return;
  throw new StartError(
    "the database does not have the tables of this release; start the service once, so that it makes them, and stop it",
  );
}

async function findMisplaced(run: Store["run"]): Promise<Misplaced[]> {
  const found = await run(
    "",
    `SELECT c.relname AS name, p.partmethod AS method, column_to_column_name(p.logicalrelid, p.partkey) AS by
     FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
    [],
  );
  const misplaced: Misplaced[] = [];
  for (const [table, place] of Object.entries(places)) {
    const { method, by } = found.find(({ name }) => name === table) ?? missing(table);
    if (isAt(place, { method, by })) continue;
    if (method !== null) {
      throw new StartError(
        `the table ${table} is distributed in another way (${method === "h" ? `by ${by}` : "not by a column"}); run \`SELECT undistribute_table('${table}')\` on the coordinator, and then this again`,
      );
    }
    const [row] = await run("", `SELECT EXISTS (SELECT FROM ${table}) AS has_rows`, []);
    misplaced.push({ table, place, hasRows: row?.has_rows === true });
  }
  return misplaced;
}

function missing(table: string): never {
  throw new StartError(
    `the database has no table ${table} in its schema \`public\`, where all tables of the service belong`,
  );
}

function isAt(place: Place, { method, by }: { method: unknown; by: unknown }): boolean {
  if (place === "coordinator") return method === null;
  // `h` is by the hash of a column, and `n` without a column.
  if (place === "everywhere") return method === "n";
  return method === "h" && by === place.by;
}

/**
 * Moves tables to where they belong, all or none of them. What waits for a table waits until the end, so the service
 * is stopped meanwhile.
 */
export async function distribute(
  { run }: Pick<Store, "run">,
  misplaced: readonly Misplaced[],
): Promise<void> {
  const moves = misplaced.flatMap(({ table, place }) => {
    if (place === "coordinator") return [];
    if (place === "everywhere") return [`SELECT create_reference_table('${table}')`];
    const { by } = place;
    const together =
      table === "organizations" || by !== "organization_id" ? "none" : "organizations";
    return [`SELECT create_distributed_table('${table}', '${by}', colocate_with => '${together}')`];
  });
  if (moves.length === 0) return;
  // Several statements in one message are one transaction. In it, what has changed a table on all nodes is followed by
  // others only if each is done by itself.
  const sequential = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";
  await run("", [sequential, ...moves].join(";\n"), []);
}

/** How many others are connected to the database as this user, apart from nodes of Citus. */
export async function countOthers({ run }: Pick<Store, "run">): Promise<number> {
  const [row] = await run(
    "",
    `SELECT count(*) AS others FROM pg_stat_activity
     WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
       AND application_name <> current_setting('application_name') AND application_name NOT LIKE 'citus%'`,
    [],
  );
  return Number(row?.others);
}
