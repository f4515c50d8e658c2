import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartError } from "../config/start-error.ts";
import { hasEmbeddedDatabase } from "../store/pglite-directory.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { lockDataDirectory } from "./lock.ts";

let temporary: string;
let directory: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "keyhearth-data-"));
  directory = join(temporary, "data");
});

afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
/** Not by the mode of mkdir, which the umask of this process changes. */
function makeWith(mode: number, path = directory) {
  mkdirSync(path);
  chmodSync(path, mode);
}

test.each([
  [0o777, "710"],
  [0o755, "710"],
  [0o750, "710"],
  [0o2770, "710"],
  [0o700, "700"],
])("a directory that was there with mode %o is closed to other users", (mode, expected) => {
  makeWith(mode);
  prepareDataDirectory(directory);
  expect(modeOf(directory)).toBe(expected);
  chmodSync(directory, mode);
  lockDataDirectory(directory).release();
  expect(modeOf(directory)).toBe(expected);
});

test("so is an embedded database, whose files PGlite gives to everybody", () => {
  const database = join(directory, "pglite");
  prepareDataDirectory(directory);
  makeWith(0o777, database);
  writeFileSync(join(database, "PG_VERSION"), "18\n");
  expect(hasEmbeddedDatabase(database)).toBe(true);
  expect(modeOf(database)).toBe("700");
});

test("a directory of somebody else keeps its mode, and is refused", () => {
  makeWith(0o777);
  writeFileSync(join(directory, "thesis.tex"), "");
  expect(() => prepareDataDirectory(directory)).toThrow(/not Keyhearth's \(such as `thesis.tex`\)/);
  expect(modeOf(directory)).toBe("777");
});

test("a directory that has lost its marker is refused with the name of what is missing", () => {
  prepareDataDirectory(directory);
  for (const name of ["pglite", "signer"]) mkdirSync(join(directory, name));
  rmSync(join(directory, "keyhearth.json"));
  expect(() => prepareDataDirectory(directory)).toThrow(
    new StartError(
      `the data directory ${directory} has lost its file keyhearth.json; restore the file from a backup, or set KEYHEARTH_DATA_DIR to another directory`,
    ),
  );
});

test("a directory that all users share is refused in one sentence", () => {
  makeWith(0o1777);
  expect(() => prepareDataDirectory(directory)).toThrow(
    new StartError(
      `the data directory ${directory} is for all users to share (its mode has the sticky bit); use a directory below it`,
    ),
  );
  expect(modeOf(directory)).toBe("1777");
});

const SOMEBODY = 64_009;
test.runIf(process.getuid?.() === 0)(
  "a directory or a link that belongs to another user is refused in one sentence",
  () => {
    makeWith(0o700);
    chownSync(directory, SOMEBODY, SOMEBODY);
    const refused = new RegExp(
      `^the data directory \\S+ belongs to user ${SOMEBODY}, .+ runs as user 0; change its owner`,
    );
    expect(() => prepareDataDirectory(directory)).toThrow(refused);
    expect(existsSync(join(directory, "keyhearth.json"))).toBe(false);

    chownSync(directory, 0, 0);
    const link = join(temporary, "link");
    symlinkSync(directory, link);
    prepareDataDirectory(link);
    lchownSync(link, SOMEBODY, SOMEBODY);
    expect(() => prepareDataDirectory(link)).toThrow(`is a link of user ${SOMEBODY}, who could`);

    const database = join(directory, "pglite");
    makeWith(0o700, database);
    writeFileSync(join(database, "PG_VERSION"), "18\n");
    chownSync(database, SOMEBODY, SOMEBODY);
    expect(() => hasEmbeddedDatabase(database)).toThrow(
      `the embedded database in ${database} belongs to user ${SOMEBODY}`,
    );
  },
);

test.each(["root-api-key.json", "courier-key", "mailbox-token"])(
  "a new directory into which somebody has put %s is accepted, and the file is left as it is",
  (name) => {
    mkdirSync(directory);
    writeFileSync(join(directory, name), "from a backup", { mode: 0o600 });
    prepareDataDirectory(directory);
    expect(existsSync(join(directory, "keyhearth.json"))).toBe(true);
    expect(statSync(join(directory, name)).size).toBe("from a backup".length);
  },
);

test.each(["keyhearth.json", "keyhearth.lock.1"])(
  "a FIFO or a huge file as %s is one sentence that names it",
  (name) => {
    prepareDataDirectory(directory);
    const path = join(directory, name);
    rmSync(path, { force: true });
    execFileSync("mkfifo", ["-m", "600", path]);
    const start = () => lockDataDirectory(directory, { patienceMs: 0 }).release();
    expect(start).toThrow(new StartError(`${path} is not a file; restore the file from a backup`));
    rmSync(path);
    writeFileSync(path, "");
    truncateSync(path, 1900 * 1024 * 1024);
    expect(start).toThrow(/ has more than 65536 bytes/);
  },
);
