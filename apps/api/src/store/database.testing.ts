import { randomUUID } from "node:crypto";
import pg from "pg";
import { openStore, type Store } from "./connect.ts";

/** With KEYHEARTH_TEST_POSTGRES a new database of that server, otherwise PGlite in memory. */
export async function createTestDatabase(): Promise<{ store: Store; drop(): Promise<void> }> {
  const url = process.env.KEYHEARTH_TEST_POSTGRES;
  if (!url) {
    const store = await openStore({ kind: "pglite", directory: null });
    return { store, drop: () => store.close() };
  }
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  const store = await openStore({ kind: "postgres", url: own.href });
  return {
    store,
    async drop() {
      await store.close();
      const last = new pg.Client({ connectionString: url });
      await last.connect();
      await last.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await last.end();
    },
  };
}
