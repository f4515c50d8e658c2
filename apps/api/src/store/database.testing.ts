import { createHash, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { openStore, type Store } from "./connect.ts";
import { dbOver } from "./db-over.ts";
import { distribute, readDistribution } from "./distribution.ts";
import { emptyDatabase } from "./empty-database.ts";
import { migrate, readMigrations } from "./migrate.ts";
import { createStatementNames } from "./statement-names.ts";

type TestDatabase = { store: Store; drop(): Promise<void> };

/**
 * With KEYHEARTH_TEST_POSTGRES a new database of that server, with KEYHEARTH_TEST_CITUS one of a cluster of Citus, and
 * otherwise PGlite in memory. All have all tables.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const nodes = process.env.KEYHEARTH_TEST_CITUS;
  if (nodes) return createDistributed(nodes.split(","));
  const url = process.env.KEYHEARTH_TEST_POSTGRES;
  if (!url) {
    const store = await openEmbedded();
    return { store, drop: () => store.close() };
  }
  const name = newName();
  await onServer(url, `CREATE DATABASE ${name} TEMPLATE ${await migratedTemplate(url)}`);
  return openCreated([url], name);
}

const newName = () => `test_${randomUUID().replaceAll("-", "")}`;

/** A database that is on each of these servers, of which the first one is asked. */
async function openCreated(urls: string[], name: string): Promise<TestDatabase> {
  const store = await openStore({ kind: "postgres", url: secret(urlOf(String(urls[0]), name)) });
  const close = closeOnce(store);
  return {
    store: { ...store, close },
    async drop() {
      await close();
      for (const url of urls) await onServer(url, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** The nodes of Citus, the coordinator first, have a database of the same name each. */
async function createDistributed(urls: string[]): Promise<TestDatabase> {
  const template = await distributedTemplate(urls);
  const name = newName();
  for (const url of urls) await onServer(url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return openCreated(urls, name);
}

async function distributedTemplate(urls: string[]): Promise<string> {
  const template = `distributed_${migrationsDigest()}`;
  const [coordinator = "", ...workers] = urls;
  const isThere = `SELECT FROM pg_database WHERE datname = '${template}'`;
  if ((await onServer(coordinator, isThere)).length > 0) return template;
  const unfinished = newName();
  for (const url of urls) {
    await onServer(url, `CREATE DATABASE ${unfinished}`);
    await onServer(urlOf(url, unfinished), "CREATE EXTENSION citus");
  }
  const own = urlOf(coordinator, unfinished);
  const placeOf = (url: string) => `'${new URL(url).hostname}', ${new URL(url).port}`;
  await onServer(own, `SELECT citus_set_coordinator_host(${placeOf(coordinator)})`);
  for (const url of workers) await onServer(own, `SELECT citus_add_node(${placeOf(url)})`);
  const store = await openStore({ kind: "postgres", url: secret(own) });
  await migrate(store, Date.now());
  await distribute(store, (await readDistribution(store)).misplaced);
  await store.close();
  // The coordinator is last, so that all nodes have the database once it has.
  for (const url of urls.toReversed()) {
    // Citus stays connected to each of its databases, and only one without connections can be copied.
    await onServer(url, `ALTER DATABASE ${unfinished} ALLOW_CONNECTIONS false`);
    const end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity";
    await onServer(url, `${end} WHERE datname = '${unfinished}'`);
    await renameOrDrop(url, unfinished, template);
  }
  return template;
}

/** An empty database of the server after all migrations. A copy of it takes a fraction of the time that they take. */
async function migratedTemplate(url: string): Promise<string> {
  const template = `migrated_${migrationsDigest()}`;
  const found = await onServer(url, `SELECT FROM pg_database WHERE datname = '${template}'`);
  if (found.length > 0) return template;
  const unfinished = newName();
  await onServer(url, `CREATE DATABASE ${unfinished}`);
  const store = await openStore({ kind: "postgres", url: secret(urlOf(url, unfinished)) });
  await migrate(store, Date.now());
  await store.close();
  await renameOrDrop(url, unfinished, template);
  return template;
}

async function renameOrDrop(url: string, unfinished: string, template: string): Promise<void> {
  try {
    await onServer(url, `ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  } catch (error) {
    // Another process did the same.
    if ((error as { code?: unknown }).code !== "42P04") throw error;
    await onServer(url, `DROP DATABASE ${unfinished} WITH (FORCE)`);
  }
}

async function onServer(url: string, statement: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

function migrationsDigest(): string {
  const digest = createHash("sha256").update(JSON.stringify(readMigrations())).digest("hex");
  return digest.slice(0, 16);
}

type Embedded = { store: Store; nameOf: ReturnType<typeof createStatementNames> };

/** Databases in memory that were emptied, and that no test uses. */
const idle: Embedded[] = [];

/**
 * The same, but if earlier tests of this process have returned a database, that one: empty, with the same tables. What a
 * test has closed or altered is not lent again.
 */
export async function borrowTestDatabase(): Promise<TestDatabase> {
  const { KEYHEARTH_TEST_POSTGRES, KEYHEARTH_TEST_CITUS } = process.env;
  if (KEYHEARTH_TEST_POSTGRES || KEYHEARTH_TEST_CITUS) return createTestDatabase();
  const lent = idle.pop() ?? { store: await openEmbedded(), nameOf: createStatementNames() };
  let isReturned = false;
  let isSpoilt = false;
  const closeLent = closeOnce(lent.store);
  const close = () => {
    isSpoilt = true;
    return closeLent();
  };
  const run: Store["run"] = async (name, text, parameters) => {
    if (isReturned) throw new Error("the test has returned its database");
    isSpoilt ||= /\b(alter|create|drop) /i.test(text);
    return lent.store.run(name, text, parameters);
  };
  const db = dbOver((text, values) => run(lent.nameOf(text, values), text, values), close);
  return {
    store: { ...lent.store, run, db, close },
    async drop() {
      if (isReturned) return;
      isReturned = true;
      if (isSpoilt) return closeLent();
      await emptyDatabase(lent.store);
      idle.push(lent);
    },
  };
}

/** A test may close a database before it returns it. */
function closeOnce(store: Store): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= store.close();
    return closed;
  };
}

async function openEmbedded(): Promise<Store> {
  return openStore({ kind: "pglite", directory: null, snapshot: await migratedSnapshot() });
}

const cache = new URL("../../../../.cache/keyhearth/", import.meta.url);

/** A file with an empty database after all migrations. To create one takes seconds, to copy it one. */
export async function migratedSnapshot(): Promise<string> {
  const file = fileURLToPath(new URL(`test-database-${migrationsDigest()}.tar`, cache));
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

type Plan = { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** How many pages of tables and indexes the statements of the work have read. They answer nothing. */
export async function pagesRead(
  store: Store,
  work: (store: Store) => Promise<unknown>,
): Promise<number> {
  let pages = 0;
  await work({
    ...store,
    async run(_name, text, parameters) {
      const explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";
      const rows = await store.run("", `${explain} ${text}`, parameters);
      const [explained] = rows as [{ "QUERY PLAN": { Plan: Plan }[] }];
      for (const { Plan: plan } of explained["QUERY PLAN"]) {
        pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      }
      return [];
    },
  });
  return pages;
}
