import type { Kysely } from "kysely";
import { openPglite } from "./pglite.ts";
import type { PgliteStart } from "./pglite-thread.ts";
import { openPostgres, type PostgresPlace } from "./postgres.ts";
import type { Database } from "./schema.ts";
import type { Standbys } from "./standbys.ts";

/** Reads use the query builder; the commit and the sealer write their own statements. */
export type Db = Kysely<Database>;

export type Store = {
  kind: "pglite" | "postgres";
  db: Db;
  /** Runs one statement. Each connection plans the same text only once. */
  run(name: string, text: string, parameters: unknown[]): Promise<Record<string, unknown>[]>;
  /** Whether Citus may have rows on other nodes. Then a statement reads and locks rows of one kind of place at a time. */
  isDistributed: boolean;
  /** How many statements can run at once. */
  connections: number;
  /** Where another thread can read by itself. Null for the embedded database, which has one thread. */
  place: PostgresPlace | null;
  /** Null if only the primary is asked. */
  standbys: Standbys | null;
  /**
   * Throws if the database does not answer, can only be read, or could not write when it was last asked to. It
   * waits for no statement of others, if the database can run several at once.
   */
  probe(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseConfig =
  | ({ kind: "pglite" } & PgliteStart)
  | ({ kind: "postgres" } & Pick<PostgresPlace, "url"> & Partial<PostgresPlace>);

/** @param name what the server calls the connections, unless the URL names them */
export async function openStore(config: DatabaseConfig, name?: string): Promise<Store> {
  if (config.kind === "pglite") return openPglite(config);
  const { url, isPooled = false, standbyUrl = null } = config;
  return openPostgres({ url, isPooled, standbyUrl }, name);
}
