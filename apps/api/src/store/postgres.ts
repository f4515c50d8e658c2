import type { Secret } from "@keyhearth/crypto/secret";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import pg from "pg";
import { StartError } from "../config/start-error.ts";
import type { Rows } from "./db-over.ts";
import { isDiskFull } from "./disk-full.ts";
import type { Database } from "./schema.ts";
import { createStatementNames } from "./statement-names.ts";
import { isRefusedStatement, readOnlyError } from "./unavailable.ts";

/** What the server calls the connections, unless the URL names them. */
const NAME = "keyhearth";
const READER = "keyhearth reader";

export async function openPostgres(secretUrl: Secret) {
  const url = secretUrl.open();
  const connections = 10;
  const pool = createPool(url, { max: connections, ...PATIENCE, application_name: NAME });
  // Whether the database answers is asked on a connection of its own, so that nobody waits for the other.
  const probes = createPool(url, {
    max: 1,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
    application_name: NAME,
  });
  const close = async () => void (await Promise.all([pool.end(), probes.end()]));
  try {
    await pool.query("SELECT 1");
  } catch (cause) {
    await close();
    throw new StartError(whyNot(reasonOf(cause)), { cause });
  }
  let isFull = false;
  return {
    kind: "postgres" as const,
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: planningOnce(pool) }) }),
    connections,
    url: secretUrl,
    async run(name: string, text: string, values: unknown[]): Promise<Rows> {
      try {
        // A migration, which has neither name nor values, takes as long as its tables are large.
        const isMigration = name === "" && values.length === 0;
        const patience = isMigration ? { query_timeout: MIGRATION_MS } : {};
        const result = await runOn(pool, { name, text, values, ...patience });
        // Several statements in one text return a list, although the types do not say so.
        const last = Array.isArray(result) ? result.at(-1) : result;
        return last.rows;
      } catch (error) {
        isFull ||= isDiskFull(error);
        throw error;
      }
    },
    async probe() {
      const { rows } = await runOn(probes, { text: CAN_WRITE });
      if (rows[0]?.read_only !== "off") throw readOnlyError();
      if (isFull) await runOn(probes, { text: PROBE });
      isFull = false;
    },
    close,
  };
}

/** Runs the reads of another thread, on connections of its own. */
export function openPostgresReads(url: string, connections: number) {
  const pool = createPool(url, { max: connections, ...PATIENCE, application_name: READER });
  const nameOf = createStatementNames();
  return {
    async read(text: string, values: unknown[]): Promise<Rows> {
      const { rows } = await runOn(pool, { name: nameOf(text, values), text, values });
      return rows;
    },
  };
}

/**
 * A server that vanished leaves a connection open on which nothing ever comes. After so long a statement counts
 * as lost. What it writes is written at most once, whenever the server comes to it.
 */
const STATEMENT_MS = 60_000;
const PATIENCE = { connectionTimeoutMillis: 5000, query_timeout: STATEMENT_MS };
const MIGRATION_MS = 24 * 60 * 60 * 1000;
const PROBE_MS = 2000;

/**
 * Every statement has an index to use, and a plan made while a table was small must not scan the table once it has
 * grown. A scan that is needed all the same then looks so dear to PostgreSQL that it compiles the statement, which takes
 * 60 ms and more where the scan takes none.
 */
const SETTINGS = ["enable_seqscan", "jit"];

const INT8 = 20;

function createPool(connectionString: string, options: pg.PoolConfig): pg.Pool {
  pg.types.setTypeParser(INT8, Number);
  const pool = new pg.Pool({
    connectionString,
    ...options,
    async onConnect(client) {
      // Engines that do not know one of them go without it.
      for (const setting of SETTINGS) await client.query(`SET ${setting} = off`).catch(() => {});
    },
  });
  // The pool replaces a connection that dies, idle or in use, and the statement on it fails. Without these
  // listeners it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Runs a statement on a connection of the pool, which keeps the connection only if it is still sound. */
async function runOn(pool: pg.Pool, statement: Statement): Promise<pg.QueryResult> {
  const client = await pool.connect();
  let isSound = true;
  try {
    return await client.query(statement);
  } catch (error) {
    isSound = isRefusedStatement(error);
    throw error;
  } finally {
    client.release(!isSound);
  }
}

/** The driver knows the limit for one statement, its types do not. */
type Statement = pg.QueryConfig & { query_timeout?: number };

const CAN_WRITE = "SELECT current_setting('transaction_read_only') AS read_only";

/** The query builder's statements by names, so that each connection plans a text only once. */
function planningOnce(pool: pg.Pool): PostgresPool {
  const nameOf = createStatementNames();
  // The query builder keeps something about each connection, and recognizes it by its object.
  const planning = new WeakMap<pg.PoolClient, PlanningClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const known = planning.get(client);
      if (known) return known;
      const made = planningClient(client, nameOf);
      planning.set(client, made);
      return made;
    },
    end: () => pool.end(),
  };
}

type PlanningClient = Awaited<ReturnType<PostgresPool["connect"]>>;

function planningClient(
  client: pg.PoolClient,
  nameOf: (text: string, values: readonly unknown[]) => string,
): PlanningClient {
  let isSound = true;
  async function query(text: string, values: readonly unknown[]) {
    try {
      return await client.query({ name: nameOf(text, values), text, values: [...values] });
    } catch (error) {
      isSound = isRefusedStatement(error);
      throw error;
    }
  }
  return {
    // The other form is for cursors, which the query builder uses only if the dialect has them.
    query: query as unknown as PlanningClient["query"],
    release: () => client.release(!isSound),
  };
}

/**
 * Writes a megabyte and removes it again, in one transaction. A smaller write can fit into what the
 * database has already taken from a full disk.
 */
const PROBE = `TRUNCATE disk_probe;
  INSERT INTO disk_probe SELECT repeat('x', 7000) FROM generate_series(1, 128);
  TRUNCATE disk_probe`;

function whyNot(reason: string): string {
  // PostgreSQL's invalid_authorization_specification and invalid_password.
  if (reason === "28000" || reason === "28P01") {
    return `the database of DATABASE_URL does not let this user in (${reason}); check the user name and the password, and that the server allows the user to log in from this machine`;
  }
  return `the database of DATABASE_URL cannot be reached (${reason}); check that it is running and that host, port and database name are right`;
}

/** The error's code or text. Neither ever contains a connection string. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return "unknown reason";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
