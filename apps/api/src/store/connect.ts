import { Worker } from "node:worker_threads";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import pg from "pg";
import { StartError } from "../start/start-error.ts";
import type { Database } from "./schema.ts";

/** Reads use the query builder; the commit and the sealer write their own statements. */
export type Db = Kysely<Database>;

export type Store = {
  kind: "pglite" | "postgres";
  db: Db;
  /** Runs one statement. Each connection plans the same text only once. */
  run(name: string, text: string, parameters: unknown[]): Promise<Record<string, unknown>[]>;
  /** How many statements can run at once. */
  connections: number;
  close(): Promise<void>;
};

export type DatabaseConfig =
  | { kind: "pglite"; directory: string | null }
  | { kind: "postgres"; url: string };

const INT8 = 20;

export async function openStore(config: DatabaseConfig): Promise<Store> {
  return config.kind === "postgres" ? openPostgres(config.url) : openPglite(config.directory);
}

async function openPostgres(url: string): Promise<Store> {
  pg.types.setTypeParser(INT8, Number);
  const connections = 10;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5000,
    // Every statement has an index to use. A plan made while a table was small must not scan the table
    // once it has grown. Engines that do not know the setting ignore it.
    onConnect: (client) => client.query("SET enable_seqscan = off").catch(() => {}),
  });
  // The pool replaces a connection that dies while idle. Without a listener it would end the process.
  pool.on("error", () => {});
  try {
    await pool.query("SELECT 1");
  } catch (cause) {
    await pool.end();
    throw new StartError(
      `the database of DATABASE_URL cannot be reached (${reasonOf(cause)}); check that it is running and that host, port, user and database name are right`,
      { cause },
    );
  }
  return {
    kind: "postgres",
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
    connections,
    async run(name, text, values) {
      const result = await pool.query({ name, text, values });
      // Several statements in one text return a list, although the types do not say so.
      const last = Array.isArray(result) ? result.at(-1) : result;
      return last.rows;
    },
    close: () => pool.end(),
  };
}

/** The error's code or text. Neither ever contains a connection string. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return "unknown reason";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

async function openPglite(directory: string | null): Promise<Store> {
  const client = await startPglite(directory);
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const rows = await client.query(sql, [...parameters]);
      return { rows: rows as R[] };
    },
    streamQuery() {
      throw new Error("the embedded database does not stream");
    },
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: () => Promise.reject(new Error("commits are single statements")),
    commitTransaction: () => Promise.reject(new Error("commits are single statements")),
    rollbackTransaction: () => Promise.reject(new Error("commits are single statements")),
    destroy: () => client.close(),
  };
  return {
    kind: "pglite",
    db: new Kysely<Database>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
    connections: 1,
    run: (_name, text, parameters) => client.query(text, parameters),
    close: () => client.close(),
  };
}

/** Runs PGlite in its own thread, so that its work does not hold up HTTP. */
async function startPglite(directory: string | null) {
  const worker = new Worker(new URL("./pglite-worker.ts", import.meta.url), {
    workerData: { directory },
  });
  type Reply = {
    id: number;
    rows?: Record<string, unknown>[];
    error?: { message: string; code?: string };
  };
  const waiting = new Map<
    number,
    { resolve: (rows: Record<string, unknown>[]) => void; reject: (error: Error) => void }
  >();
  let last = 0;
  let ended: Error | null = null;

  function call(message: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, ...message });
    });
  }
  function fail(error: Error) {
    ended = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }
  worker.on("message", ({ id, rows, error }: Reply) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else caller?.resolve(rows ?? []);
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the embedded database has stopped")));

  try {
    await call({ call: "open" });
  } catch (cause) {
    await worker.terminate();
    throw new StartError(
      `the embedded database in ${directory ?? "memory"} cannot be opened; if the directory is damaged, restore it from a backup`,
      { cause },
    );
  }
  return {
    query: (text: string, parameters: unknown[]) => call({ call: "query", text, parameters }),
    async close() {
      if (ended) return;
      await call({ call: "close" });
      await worker.terminate();
    },
  };
}
