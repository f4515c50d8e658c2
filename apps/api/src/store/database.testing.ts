import { createHash, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { openStore, type Store } from "./connect.ts";
import { migrate, readMigrations } from "./migrate.ts";

/** With KEYHEARTH_TEST_POSTGRES a new database of that server, otherwise PGlite in memory. Both have all tables. */
export async function createTestDatabase(): Promise<{ store: Store; drop(): Promise<void> }> {
  const url = process.env.KEYHEARTH_TEST_POSTGRES;
  if (!url) {
    const store = await openStore({
      kind: "pglite",
      directory: null,
      snapshot: await migratedSnapshot(),
    });
    return { store, drop: () => store.close() };
  }
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  const store = await openStore({ kind: "postgres", url: secret(own.href) });
  await migrate(store, Date.now());
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

const cache = new URL("../../../../.cache/keyhearth/", import.meta.url);

/** A file with an empty database after all migrations. To create one takes seconds, to copy it one. */
export async function migratedSnapshot(): Promise<string> {
  const digest = createHash("sha256").update(JSON.stringify(readMigrations())).digest("hex");
  const file = fileURLToPath(new URL(`test-database-${digest.slice(0, 16)}.tar`, cache));
  if (existsSync(file)) return file;
  const database = await PGlite.create();
  await migrate(
    {
      async run(_name, text, parameters) {
        if (parameters.length > 0) return (await database.query<Row>(text, parameters)).rows;
        return (await database.exec(text)).at(-1)?.rows ?? [];
      },
    },
    Date.now(),
  );
  const dump = await database.dumpDataDir("none");
  await database.close();
  mkdirSync(cache, { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, Buffer.from(await dump.arrayBuffer()));
  try {
    linkSync(unfinished, file);
  } catch (error) {
    // Another process did the same, and somebody may be reading its file.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished);
  }
  return file;
}

type Row = Record<string, unknown>;
