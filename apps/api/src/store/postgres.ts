import type { Secret } from "@keyhearth/crypto/secret";
import { whyUntrusted } from "@keyhearth/outbound/untrusted";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type pg from "pg";
import { StartError } from "../config/start-error.ts";
import { summaryOf, tracedStatement } from "../observability/spans.ts";
import type { Read, Rows } from "./db-over.ts";
import { isDiskFull } from "./disk-full.ts";
import { isSharingSessions } from "./pooler.ts";
import { cut, type Hosts } from "./postgres-hosts.ts";
import { createPool, type HostsPool, hostsOf, namedOn } from "./postgres-pool.ts";
import type { Database } from "./schema.ts";
import { openStandbys } from "./standbys.ts";
import { createStatementNames } from "./statement-names.ts";
import {
  isDatabaseDown,
  isRefusedByPooler,
  isRefusedStatement,
  readOnlyError,
} from "./unavailable.ts";

/** What the server calls the connections, unless the URL names them. */
const NAME = "keyhearth";
const READER = "keyhearth reader";

/** Where a database is, and what is between. */
export type PostgresPlace<Url = Secret> = {
  url: Url;
  /**
   * Whether a pooler gives each transaction a session that others have used and will use. Then nothing is left in a
   * session and nothing is expected of it (decision 31).
   */
  isPooled: boolean;
  /** Where its standbys are. Null if none is asked. */
  standbyUrl: Url | null;
};

export async function openPostgres(place: PostgresPlace, name = NAME) {
  const hosts = hostsOf(place.url.open(), place);
  const connections = 10;
  const pool = createPrimaryPool(hosts, { max: connections, ...PATIENCE, application_name: name });
  const probes = createProbes(hosts, name);
  const watch = hosts.count > 1 ? watchPrimary(probes) : undefined;
  const standbys =
    place.standbyUrl &&
    openStandbys(
      { url: place.standbyUrl.open(), isPooled: place.isPooled },
      { connections: 6, name, ofPrimary: readsOf(pool) },
    );
  let isDistributed = false;
  const close = async () => {
    clearInterval(watch);
    await Promise.all([pool.pool.end(), probes.pool.end(), standbys?.close()]);
  };
  try {
    const { rows } = await runOn(pool, { text: HAS_CITUS });
    isDistributed = rows[0]?.has_citus === true;
    if (!place.isPooled && (await isSharingSessions(pool.pool, probes.pool))) {
      throw new StartError(SHARED_SESSIONS);
    }
  } catch (cause) {
    await close();
    if (cause instanceof StartError) throw cause;
    const why = isRefusedByPooler(cause)
      ? refusedByPooler(String((cause as Error).message))
      : whyNot(reasonOf(cause));
    throw new StartError(why, { cause });
  }
  let isFull = false;
  async function run(name: string, text: string, values: unknown[]): Promise<Rows> {
    try {
      // A migration, which has neither name nor values, takes as long as its tables are large.
      const isMigration = name === "" && values.length === 0;
      const patience = isMigration ? { query_timeout: MIGRATION_MS } : {};
      const named = namedOn(pool, name, text);
      const result = await runOn(pool, { ...named, text, values, ...patience });
      // Several statements in one text return a list, although the types do not say so.
      const last = Array.isArray(result) ? result.at(-1) : result;
      return last.rows;
    } catch (error) {
      isFull ||= isDiskFull(error);
      throw error;
    }
  }

  return {
    kind: "postgres" as const,
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: planningOnce(pool) }) }),
    isDistributed,
    connections,
    place,
    standbys,
    run: (name: string, text: string, values: unknown[]): Promise<Rows> =>
      tracedStatement(name, () => run(name, text, values)),
    async probe() {
      await runOn(probes, { text: CAN_WRITE }, refuseReadOnly);
      if (isFull) await runOn(probes, { text: PROBE });
      isFull = false;
    },
    close,
  };
}

/** Runs the reads of another thread, on connections of its own. */
export function openPostgresReads(place: PostgresPlace<string>, connections: number) {
  const hosts = hostsOf(place.url, place);
  const pool = createPrimaryPool(hosts, {
    max: connections,
    ...PATIENCE,
    application_name: READER,
  });
  // A former primary may answer reads for long, with what was true before.
  if (hosts.count > 1) watchPrimary(createProbes(hosts, READER));
  const read = readsOf(pool);
  const { standbyUrl, isPooled } = place;
  const standbys =
    standbyUrl === null
      ? null
      : openStandbys({ url: standbyUrl, isPooled }, { connections, name: READER, ofPrimary: read });
  return { read, standbys };
}

function readsOf(pool: HostsPool): Read {
  const nameOf = createStatementNames();
  return async (text, values) => {
    const named = namedOn(pool, nameOf(text, values), text);
    const { rows } = await runOn(pool, { ...named, text, values });
    return rows;
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
/** How often a service with several hosts asks whether its own still takes writes, although nothing has failed. */
const WATCH_MS = 5000;

function createPrimaryPool(hosts: Hosts, options: pg.PoolConfig): HostsPool {
  return createPool(hosts, options, async (client) => {
    // Of several hosts, standbys answer too.
    if (hosts.count > 1) await refuseStandby(client);
    hosts.use(client);
  });
}

/** Whether the database answers is asked on a connection of its own, so that nobody waits for the other. */
function createProbes(hosts: Hosts, name: string): HostsPool {
  return createPrimaryPool(hosts, {
    max: 1,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
    application_name: name,
  });
}

/** The pool waits until a refused connection has ended, and its host may never end it. */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  try {
    refuseReadOnly(await client.query(CAN_WRITE));
  } catch (error) {
    cut(client);
    throw error;
  }
}

/** A connection to the host that takes writes. Each host is tried once. */
async function connectTo({ hosts, pool }: HostsPool): Promise<pg.PoolClient> {
  let tries = hosts.count;
  while (true) {
    const tried = hosts.current;
    try {
      const client = await pool.connect();
      if (!hosts.isLeft(client)) return client;
      client.release(true);
    } catch (error) {
      tries -= 1;
      if (isWaitingTooLong(error)) throw error;
      // A host that lets nobody in must not be the one that all later connections are to.
      hosts.leave(tried);
      if (tries === 0 || !isDatabaseDown(error)) throw error;
    }
  }
}

/** All connections of the pool were in use: no host is to blame. */
function isWaitingTooLong(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

/** Runs a statement on a connection of the pool, which keeps the connection only if it is still sound. */
async function runOn(
  of: HostsPool,
  statement: Statement,
  check: (result: pg.QueryResult) => void = () => {},
): Promise<pg.QueryResult> {
  const client = await connectTo(of);
  let isSound = true;
  try {
    const result = await client.query(statement);
    check(result);
    return result;
  } catch (error) {
    isSound = isStillSound(of.hosts, client, error);
    throw error;
  } finally {
    client.release(!isSound);
  }
}

/** A host that is lost, or can only be read, is left for another one, if there is one. */
function isStillSound(hosts: Hosts, client: pg.PoolClient, error: unknown): boolean {
  if (isDatabaseDown(error)) hosts.leaveHostOf(client);
  return isRefusedStatement(error);
}

/** The driver knows the limit for one statement, its types do not. */
type Statement = pg.QueryConfig & { query_timeout?: number };

const HAS_CITUS = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS has_citus";

const CAN_WRITE = "SELECT current_setting('transaction_read_only') AS read_only";

function watchPrimary(probes: HostsPool): NodeJS.Timeout {
  return setInterval(() => void lookForPrimary(probes), WATCH_MS).unref();
}

/** A machine that vanished says nothing. If it does not answer, the next connection is to another one. */
async function lookForPrimary(probes: HostsPool): Promise<void> {
  for (let tries = 0; tries < 2; tries++) {
    try {
      await runOn(probes, { text: CAN_WRITE }, refuseReadOnly);
      return;
    } catch {
      // A request that needs the database says so.
    }
  }
}

function refuseReadOnly({ rows }: pg.QueryResult): void {
  if (rows[0]?.read_only !== "off") throw readOnlyError();
}

/** The query builder's statements by names, so that each connection plans a text only once. */
function planningOnce(of: HostsPool): PostgresPool {
  const nameOf = createStatementNames();
  // The query builder keeps something about each connection, and recognizes it by its object.
  const planning = new WeakMap<pg.PoolClient, PlanningClient>();
  return {
    async connect() {
      const client = await connectTo(of);
      const known = planning.get(client);
      if (known) return known;
      const made = planningClient(of, client, nameOf);
      planning.set(client, made);
      return made;
    },
    end: () => of.pool.end(),
  };
}

type PlanningClient = Awaited<ReturnType<PostgresPool["connect"]>>;

function planningClient(
  { hosts, pool }: HostsPool,
  client: pg.PoolClient,
  nameOf: (text: string, values: readonly unknown[]) => string,
): PlanningClient {
  let isSound = true;
  async function query(text: string, values: readonly unknown[]) {
    try {
      const named = namedOn({ hosts, pool }, nameOf(text, values), text);
      const statement = { ...named, text, values: [...values] };
      return await tracedStatement(summaryOf(text), () => client.query(statement));
    } catch (error) {
      isSound = isStillSound(hosts, client, error);
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

const SHARED_SESSIONS =
  "DATABASE_URL leads to a pooler in transaction mode, such as pgbouncer, and DATABASE_POOLER does not say so; set DATABASE_POOLER to `transaction`, or set DATABASE_URL to the database itself";

function refusedByPooler(message: string): string {
  return `the pooler of DATABASE_URL refuses to connect (${message}); check the user name, the password and the name of the database, and that the pooler knows them`;
}

function whyNot(reason: string): string {
  // PostgreSQL's invalid_authorization_specification and invalid_password.
  if (reason === "28000" || reason === "28P01") {
    return `the database of DATABASE_URL does not let this user in (${reason}); check the user name and the password, and that the server allows the user to log in from this machine`;
  }
  // PostgreSQL's read_only_sql_transaction.
  if (reason === "25006") {
    return "no host of DATABASE_URL takes writes; promote one of them, or add the primary to the URL";
  }
  const untrusted = untrustedDatabase("the database of DATABASE_URL", reason);
  if (untrusted !== null) return untrusted;
  return `the database of DATABASE_URL cannot be reached (${reason}); check that it is running and that host, port and database name are right`;
}

/** Null if the reason is not the certificate, or that there is none. */
export function untrustedDatabase(which: string, reason: string): string | null {
  const why = whyUntrusted(reason);
  if (why !== null) {
    return `${which} is not trusted, because ${why} (${reason}); correct the host or the certificate, or add sslrootcert=FILE with the authority to the URL`;
  }
  // The driver's own sentence.
  if (reason !== "The server does not support SSL connections") return null;
  return `${which} does not speak TLS, and the URL asks for it; switch it on in PostgreSQL with ssl = on, or, if nobody else can be between, take sslmode from the URL`;
}

/** The error's code or text. Neither ever contains a connection string. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return "unknown reason";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}
