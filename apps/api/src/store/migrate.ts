import { readdirSync, readFileSync } from "node:fs";
import { newerThanThis, release } from "@keyhearth/outbound/release";
import { StartError } from "../config/start-error.ts";
import type { Store } from "./connect.ts";

/**
 * Applies the numbered files of `migrations/` that the database does not have yet, forward only.
 * Each runs as one script together with the row that says that it ran. If two processes start at
 * once, the second one fails on the key of that row, waits and finds the work done.
 */
export async function migrate(
  store: Pick<Store, "run"> & Partial<Pick<Store, "isDistributed">>,
  nowMs: number,
): Promise<{ applied: string[] }> {
  await retryRace(() =>
    store.run(
      "",
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         number integer PRIMARY KEY, name text NOT NULL, applied_at_ms bigint NOT NULL)`,
      [],
    ),
  );
  const files = readMigrations();
  const newest = files.at(-1)?.number ?? 0;
  const before = await findNewest(store);
  if (before.number > newest) throw migratedByNewer(before.release);
  if (before.number < newest) {
    await retryRace(() =>
      store.run("", "ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS release text", []),
    );
  }
  const known = await readApplied(store);
  const applied: string[] = [];
  for (const { number, name, sql } of files) {
    if (known.has(number)) continue;
    for (let attempt = 0; ; attempt++) {
      try {
        // Several statements in one message are one transaction. The row comes first, so that a
        // second process waits on its key until this one has committed.
        const row = `INSERT INTO schema_migrations VALUES (${number}, '${name}', ${nowMs}, '${release}');\n`;
        const text = row + sql;
        await store.run("", store.isDistributed ? asOneStatement(text) : text, []);
        applied.push(name);
        break;
      } catch (error) {
        if (attempt >= 5 || !isRace(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
        if ((await readApplied(store)).has(number)) break;
      }
    }
  }
  const after = await findNewest(store);
  if (after.number > newest) throw migratedByNewer(after.release);
  if ([...known.values()].includes(PACKED_MS)) {
    const set = `UPDATE schema_migrations SET applied_at_ms = ${nowMs} WHERE applied_at_ms = ${PACKED_MS}`;
    await store.run("", set, []);
  }
  return { applied };
}

/** Refuses a database whose tables a newer release has changed. For what only looks: one without tables is none. */
export async function assertNotNewer(store: Pick<Store, "run">): Promise<void> {
  const newest = readMigrations().at(-1)?.number ?? 0;
  const found = await findNewest(store).catch(() => null);
  if (found && found.number > newest) throw migratedByNewer(found.release);
}

/**
 * The same as a block that runs one after the other. Citus sends the text of a change to other nodes, and with several
 * statements in one message that would be all of them.
 */
export function asOneStatement(sql: string): string {
  const statements = splitStatements(sql).map((each) => `EXECUTE $statement$${each}$statement$;`);
  // On Citus, what changed on every node is followed by other changes only if each is done by itself.
  const first = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential';";
  return `DO $block$ BEGIN ${first} ${statements.join("\n")} END $block$`;
}

/** In migrations, a semicolon at the end of a line ends a statement, and lines of comments have nothing else. */
export function splitStatements(sql: string): string[] {
  const lines = sql.split("\n").filter((line) => !/^\s*--/.test(line));
  return lines
    .join("\n")
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** When migrations ran that are in a packed database, until its first start says when they arrived. */
export const PACKED_MS = 0;

/** The newest migration that the database has. Releases before 0.2.0 did not write their names. */
async function findNewest(store: Pick<Store, "run">) {
  const [row] = await store.run(
    "",
    `SELECT number, to_jsonb(m) ->> 'release' AS release FROM schema_migrations AS m
     ORDER BY number DESC LIMIT 1`,
    [],
  );
  return { number: Number(row?.number ?? 0), release: row?.release ? String(row.release) : null };
}

function migratedByNewer(by: string | null): StartError {
  return new StartError(
    `the database ${newerThanThis(by)}; start that release again, or restore a backup from before the upgrade; nothing was changed`,
  );
}

/** In the order in which they are applied. */
export function readMigrations(): { number: number; name: string; sql: string }[] {
  const directory = new URL("./migrations/", import.meta.url);
  return readdirSync(directory)
    .filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(0, -4),
      sql: readFileSync(new URL(file, directory), "utf8"),
    }));
}

/** The numbers of what the database has, and when it got each. */
async function readApplied(store: Pick<Store, "run">): Promise<Map<number, number>> {
  const rows = await store.run("", "SELECT number, applied_at_ms FROM schema_migrations", []);
  return new Map(rows.map((row) => [Number(row.number), Number(row.applied_at_ms)]));
}

async function retryRace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRace(error)) throw error;
    return work();
  }
}

/** Two processes created the same object at once: unique key, duplicate object, serialization. */
function isRace(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["23505", "42P07", "42710", "40001", "40P01", "XX000"].includes(code);
}
