import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { readMigrations } from "@keyhearth/api/store/migrate";
import { release } from "@keyhearth/outbound/release";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { type Environment, runMain, startCourier, startSigner } from "../start/process.ts";
import { embeddedIn } from "./leave.ts";
import { acceptClock, releases } from "./releases.ts";

// What a release that does not exist yet has written is left alone, and the sentence names both releases.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NEWER = "9.8.7";
const BY = `was written by Keyhearth ${NEWER}, and this is ${release}, which is older; start that release again`;
/** A migration of then. */
const MIGRATE = `ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS release text;
  INSERT INTO schema_migrations VALUES (9999, '9999-later', 0, '${NEWER}');`;

let temporary: string;
let embedded: string;
beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), "keyhearth-newer-"));
  embedded = join(temporary, "embedded");
  await releases[0]?.embedded(embedded);
  await acceptClock(join(embedded, "data/signer"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** The names and bytes of all files below a folder. */
function digestOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest("hex");
}

/** What a service says that does not start. */
async function refusalOf(environment: Environment): Promise<string> {
  const service = runMain(environment);
  expect(await service.ended).toBe(1);
  const [line = "", ...more] = service.stderr().trim().split("\n");
  expect(more).toEqual([]);
  return line;
}

test("a data directory", async () => {
  const marker = join(embedded, "data/keyhearth.json");
  const before = readFileSync(marker, "utf8");
  writeFileSync(marker, JSON.stringify({ product: "keyhearth", layout: 2, release: NEWER }));
  const digest = digestOf(embedded);
  expect(await refusalOf(embeddedIn(embedded))).toBe(
    `keyhearth: the data directory ${join(embedded, "data")} ${BY}, or set KEYHEARTH_DATA_DIR to another directory; nothing was changed`,
  );
  expect(digestOf(embedded)).toBe(digest);
  writeFileSync(marker, before);
});

test("the state of an embedded signer, of a signer, and the commands of its operator", async () => {
  const state = join(embedded, "data/signer");
  const form = join(state, "form");
  writeFileSync(form, `2 ${NEWER}\n`);
  const digest = digestOf(state);
  const sentence = `the signer's state in ${state} ${BY}, or restore the state and the database from before the upgrade; nothing was changed`;
  expect(await refusalOf(embeddedIn(embedded))).toContain(sentence);
  await expect(startSigner(state)).rejects.toThrow(`keyhearth signer: ${sentence}\n`);
  await expect(acceptClock(state)).rejects.toThrow(sentence);
  expect(digestOf(state)).toBe(digest);
  rmSync(form);
});

test("the embedded database", async () => {
  const directory = join(embedded, "data/pglite");
  const later = await PGlite.create(directory);
  await later.exec(MIGRATE);
  await later.close();
  expect(await refusalOf(embeddedIn(embedded))).toBe(
    `keyhearth: the database ${BY}, or restore a backup from before the upgrade; nothing was changed`,
  );
  const again = await PGlite.create(directory);
  const { rows } = await again.query("SELECT count(*)::int AS count FROM schema_migrations");
  await again.close();
  expect(rows).toEqual([{ count: readMigrations().length + 1 }]);
});

test("the state of a courier", async () => {
  const state = mkdtempSync(join(temporary, "courier-"));
  const mail = { SMTP_URL: "smtp://127.0.0.1:9?tls=off", KEYHEARTH_MAIL_FROM: "a@example.com" };
  await (await startCourier(state, mail)).stop();
  expect(readFileSync(join(state, "form"), "utf8")).toBe(`1 ${release}\n`);
  writeFileSync(join(state, "form"), `2 ${NEWER}\n`);
  const digest = digestOf(state);
  await expect(startCourier(state, mail)).rejects.toThrow(
    `keyhearth courier: the courier's state in ${state} ${BY}, or restore the courier's key from before the upgrade into another directory; nothing was changed`,
  );
  expect(digestOf(state)).toBe(digest);
});

describe.runIf(findPostgres())("with PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
  });
  afterAll(() => postgres?.stop());

  test("the database", async () => {
    const folder = join(temporary, "processes");
    const url = await createDatabase(postgres.url, "newer");
    await releases[0]?.processes(folder, url);
    await acceptClock(join(folder, "signer"));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(MIGRATE);
    await client.end();
    const dump = () =>
      execFileSync(join(findPostgres() ?? "", "pg_dump"), [url], {
        encoding: "utf8",
        maxBuffer: 1024 ** 3,
      }).replaceAll(/^\\(un)?restrict .*\n/gm, "");
    const before = dump();
    const data = { KEYHEARTH_DATA_DIR: join(folder, "api"), DATABASE_URL: url };
    expect(await refusalOf(data)).toBe(
      `keyhearth: the database ${BY}, or restore a backup from before the upgrade; nothing was changed`,
    );
    expect(dump()).toBe(before);
  });
});
