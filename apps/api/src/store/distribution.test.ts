import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isConflict } from "./conflict.ts";
import type { Store } from "./connect.ts";
import { borrowTestDatabase } from "./database.testing.ts";
import { distribute, places, readDistribution } from "./distribution.ts";
import { asOneStatement, readMigrations, splitStatements } from "./migrate.ts";

// What Citus would refuse, where no build of it is there to say so. `tests/citus` runs a cluster.

let database: Awaited<ReturnType<typeof borrowTestDatabase>>;
let run: Store["run"];

beforeAll(async () => {
  database = await borrowTestDatabase();
  ({ run } = database.store);
});

afterAll(() => database.drop());

test("every table of the migrations has a place", async () => {
  const rows = await run("", "SELECT tablename FROM pg_tables WHERE schemaname = 'public'", []);
  expect(Object.keys(places).toSorted()).toEqual(rows.map((row) => row.tablename).toSorted());
});

test("a unique key has the column by which its table is distributed", async () => {
  const keys = await run(
    "",
    `SELECT c.relname AS table, i.indexrelid::regclass::text AS key,
       ARRAY(SELECT a.attname::text FROM pg_attribute a
         WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`,
    [],
  );
  expect(keys.length).toBeGreaterThan(20);
  const without = keys.filter(({ table, columns }) => {
    const place = places[String(table)];
    return typeof place === "object" && !(columns as string[]).includes(place.by);
  });
  expect(without.map(({ key }) => key)).toEqual([]);
});

/** Statements that lock rows or are recursive, although their table is distributed and no organization is named. */
const exceptions: Record<string, string> = {
  "outbox.ts organizations": "for plain PostgreSQL alone: on Citus the messages are found first",
  "code-sends.ts nothing": "a part of texts about code_sends, which are on the coordinator",
};

test("only rows of one organization, or of the coordinator, are locked or read by recursion", () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = globSync("**/*.ts", { cwd: folder }).filter(
    (name) => !/\.(test|testing)\.ts$/.test(name),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(`${folder}${file}`, "utf8");
    const locks = [...text.matchAll(/\bFOR (?:UPDATE|SHARE)\b/g)].map(({ index }) =>
      // The table is the last one before the lock.
      ({ file, part: text.slice(Math.max(0, index - 700), index), isLast: true }),
    );
    const recursions = [...text.matchAll(/\bWITH RECURSIVE\b/g)].map(({ index }) => ({
      file,
      part: text.slice(index, index + 700),
      isLast: false,
    }));
    return [...locks, ...recursions];
  });
  expect(found.length).toBeGreaterThan(15);
  const refused = found.flatMap(({ file, part, isLast }) => {
    const tables = [...part.matchAll(/\b(?:FROM|JOIN|UPDATE) (\w+)/g)].filter(([, name = ""]) =>
      Object.hasOwn(places, name),
    );
    const [match = "", table = "nothing"] = (isLast ? tables.at(-1) : tables[0]) ?? [];
    if (places[table] === "coordinator") return [];
    if (match !== "" && /organization_id = (\$\d|\$\{)/.test(part.slice(part.lastIndexOf(match))))
      return [];
    return `${file} ${table}` in exceptions ? [] : [`${file} ${table}`];
  });
  expect(refused).toEqual([]);
});

test("a migration is one block where Citus would send several statements as one", async () => {
  for (const { name, sql } of readMigrations()) {
    const kinds = splitStatements(sql).map(
      (each) => /^(CREATE|ALTER|UPDATE|INSERT|DROP|SET LOCAL)\b/.exec(each)?.[1],
    );
    expect({ name, kinds }).toEqual({ name, kinds: kinds.map(() => expect.any(String)) });
  }
  const { sql } = readMigrations().find(({ name }) => name.startsWith("0005")) ?? { sql: "" };
  expect(splitStatements(sql).length).toBe(8);
  expect(splitStatements("-- one; two\nSELECT ';\nx';\n\nSELECT 2")).toEqual([
    "SELECT '",
    "x'",
    "SELECT 2",
  ]);
  expect(asOneStatement("SELECT 1;\nSELECT 2;")).toBe(
    "DO $block$ BEGIN SET LOCAL citus.multi_shard_modify_mode TO 'sequential'; EXECUTE $statement$SELECT 1$statement$;\nEXECUTE $statement$SELECT 2$statement$; END $block$",
  );
});

test.skipIf(process.env.KEYHEARTH_TEST_CITUS)("a database without Citus is told so", async () => {
  await expect(readDistribution({ run })).rejects.toThrow(/is PostgreSQL without Citus/);
});

test("tables are moved by one message, and nothing is sent if nothing moves", async () => {
  const sent: string[] = [];
  const record: Store["run"] = async (_, text) => {
    sent.push(text);
    return [];
  };
  await distribute({ run: record }, [
    { table: "webhook_targets", place: "coordinator", hasRows: false },
  ]);
  expect(sent).toEqual([]);
  await distribute({ run: record }, [
    { table: "organizations", place: { by: "organization_id" }, hasRows: false },
    { table: "wallets", place: { by: "organization_id" }, hasRows: false },
    { table: "lookups", place: { by: "value_hash" }, hasRows: true },
    { table: "installation", place: "everywhere", hasRows: false },
  ]);
  expect(sent.join().split(";\n").slice(1)).toEqual([
    "SELECT create_distributed_table('organizations', 'organization_id', colocate_with => 'none')",
    "SELECT create_distributed_table('wallets', 'organization_id', colocate_with => 'organizations')",
    "SELECT create_distributed_table('lookups', 'value_hash', colocate_with => 'none')",
    "SELECT create_reference_table('installation')",
  ]);
});

test.each([
  ["23505", "any", true],
  ["XX000", 'duplicate key value violates unique constraint "wallets_pkey_102024"', true],
  ["XX000", "cache lookup failed", false],
  ["57P01", 'duplicate key value violates unique constraint "a"', false],
])("%s %s: a conflict is %s", (code, message, expected) => {
  expect(isConflict(Object.assign(new Error(message), { code }))).toBe(expected);
});
