// Makes the fixture of the release that is checked out: `node tests/upgrade/make-fixture.ts`. Run it at each release.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { createDatabase, startPostgres } from "../postgres/start.ts";
import { contentsOf } from "./contents.ts";
import { leaveEmbedded, leaveProcesses } from "./leave.ts";
import { packFolder } from "./pack.ts";
import { present } from "./releases.ts";

const { version } = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"),
);
const fixture = fileURLToPath(new URL(`fixtures/${version}`, import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-fixture-"));
const [embedded, processes] = [join(temporary, "embedded"), join(temporary, "processes")];
const postgres = await startPostgres({ fsync: false });
try {
  rmSync(fixture, { recursive: true, force: true });
  for (const folder of [fixture, embedded, processes]) mkdirSync(folder, { recursive: true });
  await leaveEmbedded(present, embedded);
  await dropOldLog(join(embedded, "data/pglite"));
  const databaseUrl = await createDatabase(postgres.url, "fixture");
  await leaveProcesses(present, processes, databaseUrl);
  const contents = await contentsOf(databaseUrl);
  writeFileSync(join(fixture, "contents.json"), `${JSON.stringify(contents, null, 2)}\n`);
  for (const [name, folder] of Object.entries({ embedded, processes })) {
    const packed = await packFolder(folder);
    writeFileSync(join(fixture, `${name}.tar.br`), packed);
    process.stdout.write(`${name}.tar.br has ${packed.length} bytes\n`);
  }
} finally {
  await postgres.stop();
  rmSync(temporary, { recursive: true, force: true });
}

/** The log of what the database's files already have would be more than half of the fixture. */
async function dropOldLog(directory: string) {
  const database = await PGlite.create(directory);
  await database.exec("SET wal_recycle = off; SELECT pg_switch_wal(); CHECKPOINT;");
  await database.exec("CHECKPOINT");
  await database.close();
}
