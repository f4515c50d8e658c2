import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { filesInTar } from "@keyhearth/api/store/files-in-tar";
import { migrate, PACKED_MS, readMigrations } from "@keyhearth/api/store/migrate";
import { unpackDatabase } from "@keyhearth/api/store/packed-database";
import { openPglite } from "@keyhearth/api/store/pglite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFirstDatabase, packFirstDatabase } from "../../scripts/bundle/first-database.ts";

// A first start of an installed service begins with a packed database. It has to be what a database is that the service
// creates and migrates, and the same for everybody.

const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-first-database-test-"));
const NOW_MS = 1_800_000_000_000;

type Opened = Awaited<ReturnType<typeof openPglite>>;
let path: string;
let archive: Buffer;
let packed: Opened;
let migrated: Opened;
let modes: unknown[];
let segments: number[];

beforeAll(async () => {
  path = await packFirstDatabase(root);
  archive = brotliDecompressSync(readFileSync(path));
  const directory = join(temporary, "packed");
  mkdirSync(directory, { mode: 0o700 });
  await unpackDatabase(path, directory);
  // As it was unpacked: the database changes some of its files when it opens.
  modes = globSync("**/*", { cwd: directory }).map((name) => {
    const found = statSync(join(directory, name));
    return [found.isDirectory() ? "folder" : "file", found.mode & 0o777];
  });
  segments = globSync("pg_wal/0*", { cwd: directory }).map(
    (name) => statSync(join(directory, name)).size,
  );
  packed = await openPglite({ directory });
  migrated = await openPglite({ directory: join(temporary, "migrated") });
  await migrate(migrated, NOW_MS);
}, 120_000);
afterAll(async () => {
  await packed?.close();
  await migrated?.close();
  rmSync(temporary, { recursive: true, force: true });
});

/** Everything of the schema, and what the cluster has besides. */
const parts: Record<string, string> = {
  columns: `SELECT table_name, ordinal_position, column_name, data_type, udt_name, is_nullable, column_default,
      collation_name, is_generated, generation_expression
    FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
  indexes:
    "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
  constraints: `SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  tables: `SELECT relname, relkind::text, relpersistence::text, reloptions::text, relacl::text
    FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
  storage: `SELECT attrelid::regclass::text AS of, attname, attstorage::text, attcompression::text
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0 ORDER BY 1, 2`,
  functions: `SELECT proname, pg_get_functiondef(oid) AS text FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace ORDER BY 1, 2`,
  triggers: "SELECT tgname, pg_get_triggerdef(oid) AS text FROM pg_trigger ORDER BY 1, 2",
  extensions: "SELECT extname, extversion FROM pg_extension ORDER BY 1",
  roles: "SELECT rolname, rolsuper, rolpassword FROM pg_authid ORDER BY 1",
  databases: "SELECT datname, encoding, datcollate, datctype FROM pg_database ORDER BY 1",
  settings: "SELECT name, setting FROM pg_file_settings ORDER BY 1, 2",
};

test.each(Object.entries(parts))(
  "it has the same %s as a database that was migrated",
  async (name, text) => {
    const rows = await packed.run("", text, []);
    expect(rows).toEqual(await migrated.run("", text, []));
    if (!["functions", "triggers"].includes(name)) expect(rows).not.toEqual([]);
  },
);

test("it has the same migrations, and nothing else in any table", async () => {
  const select = "SELECT number, name FROM schema_migrations ORDER BY number";
  const rows = await packed.run("", select, []);
  expect(rows).toEqual(await migrated.run("", select, []));
  expect(rows).toEqual(readMigrations().map(({ number, name }) => ({ number, name })));
  const tables = await packed.run(
    "",
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    [],
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { tablename } of tables) {
    const found = await packed.run("", `SELECT * FROM ${tablename}`, []);
    expect([tablename, found.length]).toEqual([
      tablename,
      tablename === "schema_migrations" ? rows.length : 0,
    ]);
  }
});

test("the first start says when the migrations arrived, and the next one does not change that", async () => {
  const times = () => packed.run("", "SELECT DISTINCT applied_at_ms FROM schema_migrations", []);
  expect(await times()).toEqual([{ applied_at_ms: PACKED_MS }]);
  expect(await migrate(packed, NOW_MS)).toEqual({ applied: [] });
  expect(await times()).toEqual([{ applied_at_ms: NOW_MS }]);
  await migrate(packed, NOW_MS + 1);
  expect(await times()).toEqual([{ applied_at_ms: NOW_MS }]);
});

test("its files are for their owner alone, and its log has whole segments", () => {
  const kinds = new Set(modes.map((each) => JSON.stringify(each)));
  expect([...kinds].toSorted()).toEqual(['["file",384]', '["folder",448]']);
  expect(segments).toEqual([16 * 1024 * 1024]);
});

test("a start unpacks eleven megabytes at most, which are those of one database", () => {
  expect(archive.length).toBeLessThan(11_000_000);
  const names = [...filesInTar(archive)].map(({ name }) => name);
  expect(names.filter((name) => /^base\/\d+\/$/.test(name))).toEqual(["base/5/"]);
});

test("in memory, where its log begins with a page, it is written to far beyond a segment", async () => {
  const database = await openPglite({ directory: null, snapshot: path });
  try {
    const run = (text: string) => database.run("", text, []);
    await run(
      "CREATE TABLE large (bytes text); ALTER TABLE large ALTER bytes SET STORAGE EXTERNAL",
    );
    for (let i = 0; i < 3; i++) {
      await run(
        "INSERT INTO large SELECT repeat(md5(n::text), 4096) FROM generate_series(1, 100) AS n",
      );
      await run("CHECKPOINT");
    }
    const log = await run("SELECT pg_current_wal_lsn() > '0/4000000' AS is_far");
    expect(log).toEqual([{ is_far: true }]);
    const [sum] = await run("SELECT count(*) AS rows, sum(length(bytes)) AS bytes FROM large");
    expect([Number(sum?.rows), Number(sum?.bytes)]).toEqual([300, 300 * 131_072]);
  } finally {
    await database.close();
  }
}, 120_000);

test("it is the same each time that it is made, so it says nothing about who made it", async () => {
  expect(Buffer.compare(await createFirstDatabase(root), archive)).toBe(0);
}, 120_000);
