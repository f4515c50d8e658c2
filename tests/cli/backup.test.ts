import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { startService } from "../start/process.ts";
import { newPerson, type Person } from "./cli.ts";
import { pathWithPrograms, scriptOf } from "./programs.ts";

// Copies that the scripts of the page make of a real service, and copies that lack something.

let person: Person;
let path: string;
let keys: string;
let database: string;

beforeAll(async () => {
  person = await newPerson();
  path = pathWithPrograms(person.folder);

  const data = await newDataDirectory("backup-check");
  const service = await startService({ KEYHEARTH_DATA_DIR: data });
  const [url, key] = [service.url, join(data, "root-api-key.json")];
  await person.json(["profile", "add", "backed-up", "--url", url, "--key", key]);
  await service.stop();
  keys = join(person.folder, "secrets");
  database = join(person.folder, "database.tar");
  const run = (name: string, args: string[]) =>
    execFileSync("sh", [scriptOf(name), ...args], { env: { PATH: path }, stdio: "pipe" });
  run("back-up-keys.sh", [join(data, "signer"), keys]);
  cpSync(join(data, "courier-key"), join(keys, "courier-key"));
  run("back-up-embedded.sh", [data, database]);
  rmSync(data, { recursive: true, force: true });
});

const check = (args: string[], status = 0) =>
  person.json(["backup", "check", ...args, "--profile", "backed-up"], status, {
    env: { PATH: path },
  });

test("copies of a service are complete, open, and have the pinned keys", async () => {
  const { findings } = await check([keys, database]);
  expect(
    findings.map(({ check, status }: { check: string; status: string }) => [check, status]),
  ).toEqual([
    ["keys", "ok"],
    ["root key", "ok"],
    ["pinned keys", "ok"],
    ["database", "ok"],
  ]);
});

test("what is missing, damaged, open to others or of another signer is named", async () => {
  const copy = (name: string) => {
    const folder = join(person.folder, name);
    cpSync(keys, folder, { recursive: true });
    return folder;
  };
  const partial = copy("partial");
  rmSync(join(partial, "keyring"));
  rmSync(join(partial, "courier-key"));
  const lacks = await check([partial, "/none"], 1);
  expect(lacks.findings).toMatchObject([
    { check: "keys", status: "error", message: expect.stringContaining("has no keyring") },
    { check: "courier-key", status: "warning" },
    { check: "database", status: "error", message: "cannot read /none: there is no such file" },
  ]);
  const damaged = copy("damaged");
  const keyring = readFileSync(join(damaged, "keyring"));
  keyring.writeUInt8(keyring.readUInt8(keyring.length - 3) ^ 1, keyring.length - 3);
  writeFileSync(join(damaged, "keyring"), keyring);
  expect((await check([damaged, database], 1)).findings).toContainEqual(
    expect.objectContaining({
      check: "root key",
      status: "error",
      message: expect.stringContaining("the signer does not open the copy"),
    }),
  );
  const open = copy("open");
  chmodSync(join(open, "root-key"), 0o644);
  expect((await check([open, database], 1)).findings[0].message).toContain("others may read");

  const { KEYHEARTH_URL: url = "", KEYHEARTH_ROOT_KEY: key = "" } = person.env;
  await person.json(["profile", "add", "other", "--url", url, "--key", key]);
  const args = ["backup", "check", keys, database, "--profile", "other"];
  const other = await person.run(args, { env: { PATH: path } });
  expect(other.status).toBe(1);
  expect(other.stdout).toContain("the copy is of another signer than that of the profile other");

  const cut = join(person.folder, "cut.tar");
  execFileSync("tar", ["-cf", cut, "-C", keys, "keyring"]);
  expect((await check([keys, cut], 1)).findings.at(-1).message).toContain(
    "lacks pglite/PG_VERSION",
  );
});

test.runIf(findPostgres())("a dump of PostgreSQL is read, and an empty one refused", async () => {
  const postgres = await startPostgres();
  try {
    const url = await createDatabase(postgres.url, "empty");
    const dump = join(person.folder, "empty.dump");
    const env = { PATH: path, DATABASE_URL: url };
    execFileSync("sh", [scriptOf("back-up-postgres.sh"), dump], { env, stdio: "pipe" });
    expect((await check([keys, dump], 1)).findings.at(-1).message).toContain(
      "is a dump without data",
    );
  } finally {
    await postgres.stop();
  }
});
