import { setTimeout as rest } from "node:timers/promises";
import type { Kysely } from "kysely";
import type pg from "pg";
import { STANDBY_TARGETS } from "../config/database-url.ts";
import { MissingRecord } from "../errors.ts";
import { dbOver, type Read } from "./db-over.ts";
import { createPositions, type Position } from "./positions.ts";
import { createPool, type HostsPool, hostsOf, namedOn } from "./postgres-pool.ts";
import type { Database } from "./schema.ts";
import { createStatementNames } from "./statement-names.ts";

/**
 * Servers that follow the primary. Before each answer, the one that is asked must have everything that the primary had
 * when the query came, so nobody sees an older state than before, whoever wrote it and at whichever process
 * (decision 31).
 */
export type Standbys = {
  /** Null if no standby has it, or it fails meanwhile: then the primary is to be asked. */
  read<T>(
    work: (db: Kysely<Database>) => Promise<T>,
    onRead?: () => void,
  ): Promise<{ value: T } | null>;
  /** Calls back each time that a standby can be asked again or can no longer be. */
  watch(onChange: (state: StandbyState) => void): void;
  close(): Promise<void>;
};

/** Why no standby is asked. Null if one is. */
export type StandbyState = { away: string | null };

type Options = { connections: number; name: string; ofPrimary: Read };

/** A standby that says nothing takes no longer than this from a query, which then is the primary's. */
const CONNECT_MS = 1000;
const STATEMENT_MS = 5000;
/** How long a query waits for what the standby has not replayed yet. */
const CATCH_UP_MS = 100;
/** How long a standby that was given up is not asked for. */
const AWAY_MS = 1000;

const NOT_YET = "none was asked yet";
const LAGS = "it lags behind the primary, or does not follow it";
const NOT_STANDBY = "it is no standby at the moment";

export function openStandbys(
  place: { url: string; isPooled: boolean },
  { connections, name, ofPrimary }: Options,
): Standbys {
  const hosts = hostsOf(place.url, { ...place, targets: STANDBY_TARGETS });
  const limits = {
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: name,
  };
  // Each use of a connection asks whether its host is a standby.
  const of = createPool(hosts, limits, async () => {});
  const findPosition = createPositions(ofPrimary);
  const nameOf = createStatementNames();
  let away: string | null = NOT_YET;
  let onChange: (state: StandbyState) => void = () => {};
  let looking: Promise<void> | null = null;

  function note(why: string | null) {
    if (away === why) return;
    away = why;
    onChange({ away });
  }

  /** A connection in a transaction that sees the position, or why the host that is tried cannot have it. */
  async function begin(position: Position): Promise<pg.PoolClient | string> {
    const tried = hosts.current;
    let client: pg.PoolClient;
    try {
      client = await of.pool.connect();
    } catch (error) {
      hosts.leave(tried);
      return `it cannot be reached (${reasonOf(error)})`;
    }
    const why = await whyNotAt(client, position).catch(reasonOf);
    if (why === null) return client;
    hosts.leaveHostOf(client);
    client.release(true);
    return why;
  }

  /** Looks for a host that can be asked, while no query waits for it. */
  async function look() {
    const position = await findPosition();
    const reasons = new Set<string>();
    for (let tries = 0; tries < hosts.count; tries++) {
      const found = await begin(position);
      if (typeof found !== "string") {
        finish(found);
        return note(null);
      }
      reasons.add(found);
    }
    note([...reasons].sort().join("; "));
  }

  const timer = setInterval(() => {
    if (away === null) return;
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = null;
      });
  }, AWAY_MS).unref();

  return {
    async read(work, onRead = () => {}) {
      // Without a free connection here, nobody waits: the primary has some.
      if (away !== null || isFull(of, connections)) return null;
      const position = await findPosition().catch(() => null);
      if (position === null) return null;
      const client = await begin(position);
      if (typeof client === "string") {
        note(client);
        return null;
      }
      let hasFailed = false;
      let isOver = false;
      const run: Read = async (text, values) => {
        // By now, the connection may be another answer's.
        if (isOver) throw new Error("the answer was made without this statement");
        onRead();
        try {
          const named = namedOn(of, nameOf(text, values), text);
          const { rows } = await client.query<Record<string, unknown>>({ ...named, text, values });
          return rows;
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      };
      try {
        const value = await work(dbOver(run, async () => {}));
        // Who asked may have gone on without what failed.
        if (!hasFailed) return { value };
      } catch (error) {
        if (!hasFailed && !(error instanceof MissingRecord)) throw error;
      } finally {
        isOver = true;
        if (hasFailed) client.release(true);
        else finish(client);
      }
      return null;
    },
    watch(callBack) {
      onChange = callBack;
      if (away !== NOT_YET) callBack({ away });
    },
    async close() {
      clearInterval(timer);
      await looking;
      await of.pool.end();
    },
  };
}

function isFull({ pool }: HostsPool, connections: number): boolean {
  return pool.idleCount === 0 && pool.totalCount >= connections;
}

/** Nobody waits for the end of a transaction that has only read. */
function finish(client: pg.PoolClient) {
  client.query("COMMIT").then(
    () => client.release(),
    () => client.release(true),
  );
}

/**
 * Begins a transaction, so that a pooler lends one session to all of it. What it reads then comes after what was asked
 * here: each statement sees what is there when it begins.
 */
async function whyNotAt(
  client: pg.ClientBase,
  { line, mark, lsn }: Position,
): Promise<string | null> {
  const check = `SELECT pg_is_in_recovery() AS follows, pg_last_wal_replay_lsn() >= '${lsn}' AS has,
    EXISTS (SELECT FROM database_lines WHERE line = '${line}' AND mark = '${mark}') AS knows`;
  const giveUpAt = performance.now() + CATCH_UP_MS;
  // Two statements in one message have two results.
  const results: unknown = await client.query(
    within(`BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; ${check}`),
  );
  let [row] = (results as pg.QueryResult<Checked>[])[1]?.rows ?? [];
  for (let pauseMs = 2; ; pauseMs *= 2) {
    if (!row?.follows) return NOT_STANDBY;
    if (row.has && row.knows) return null;
    if (performance.now() + pauseMs > giveUpAt) return LAGS;
    await rest(pauseMs);
    [row] = (await client.query<Checked>(within(check))).rows;
  }
}

/** The driver knows the limit for one statement, its types do not. */
function within(text: string): pg.QueryConfig & { query_timeout: number } {
  return { text, query_timeout: CONNECT_MS };
}

type Checked = { follows: boolean; has: boolean | null; knows: boolean };

/** The error's code or text. Neither ever contains a connection string. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return "unknown reason";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
