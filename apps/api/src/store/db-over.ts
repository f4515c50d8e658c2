import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Database } from "./schema.ts";

export type Rows = Record<string, unknown>[];

/** Runs a statement that reads. */
export type Read = (text: string, values: unknown[]) => Promise<Rows>;

/** The query builder over a function that runs a statement, wherever the database is. */
export function dbOver(
  run: (text: string, parameters: unknown[]) => Promise<Rows>,
  close: () => Promise<void>,
): Kysely<Database> {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const rows = await run(sql, [...parameters]);
      return { rows: rows as R[] };
    },
    streamQuery() {
      throw new Error("the database does not stream");
    },
  };
  const refused = () => Promise.reject(new Error("commits are single statements"));
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refused,
    commitTransaction: refused,
    rollbackTransaction: refused,
    destroy: close,
  };
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
