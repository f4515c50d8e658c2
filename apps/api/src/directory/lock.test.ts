import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StartError } from "../config/start-error.ts";
import { lockDataDirectory } from "./lock.ts";

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "keyhearth-lock-")), "data");
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  rmSync(join(directory, ".."), { recursive: true, force: true });
});

/** A process that locks the directory, prints the result and runs until it is killed. */
function startHolder(waitUntilMs = 0) {
  const script = `
    import { lockDataDirectory } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    while (Date.now() < ${waitUntilMs});
    try {
      lockDataDirectory(${JSON.stringify(directory)});
      console.log("locked");
      setInterval(() => {}, 1000);
    } catch (error) {
      console.log(error.name + ": " + error.message);
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const said = new Promise<string>((resolve) => {
    child.stdout.once("data", (data: Buffer) => resolve(data.toString().trim()));
  });
  return { child, said };
}

const lockFiles = () => readdirSync(directory).filter((name) => name.includes(".lock."));

test("a new directory is created, marked, and free again after release", () => {
  const lock = lockDataDirectory(directory);
  expect(readdirSync(directory).toSorted()).toEqual(["keyhearth.json", "keyhearth.lock.1"]);
  lock.release();
  lock.release();
  expect(readdirSync(directory)).toEqual(["keyhearth.json"]);
  lockDataDirectory(directory).release();
});

test("a second lock in the same process is refused", () => {
  const lock = lockDataDirectory(directory);
  expect(() => lockDataDirectory(directory)).toThrow(
    new StartError(
      `the data directory ${directory} is already in use by this process; stop it, set KEYHEARTH_DATA_DIR to another directory, or let the processes share a PostgreSQL database (DATABASE_URL) and a signer process (KEYHEARTH_SIGNER)`,
    ),
  );
  lock.release();
});

test("a second process is refused, and takes over after the first is killed", async () => {
  const first = startHolder();
  expect(await first.said).toBe("locked");
  expect(() => lockDataDirectory(directory)).toThrow(`in use by process ${first.child.pid};`);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const lock = lockDataDirectory(directory);
  expect(lockFiles()).toEqual(["keyhearth.lock.2"]);
  lock.release();
});

test("of many processes that race for a dead process's directory, exactly one wins", async () => {
  mkdirSync(directory);
  writeOwner(1, { id: "dead", pid: 2 ** 22 + 1, startTime: "1" });
  const startAtMs = Date.now() + 700;
  const said = await Promise.all(
    Array.from({ length: 6 }, () => startHolder(startAtMs)).map((holder) => holder.said),
  );
  expect(said.filter((line) => line === "locked")).toHaveLength(1);
  expect(said.filter((line) => line.startsWith("StartError: the data directory"))).toHaveLength(5);
  expect(lockFiles()).toHaveLength(1);
});

test("another process with the id of the dead one does not hold the lock", () => {
  mkdirSync(directory);
  writeOwner(7, { id: "old", pid: process.pid, startTime: "1" });
  const lock = lockDataDirectory(directory);
  expect(lockFiles()).toEqual(["keyhearth.lock.8"]);
  lock.release();
});

test.each([{ pidNamespace: "pid:[1]" }, { bootId: "another" }])(
  "a process that cannot be seen (%o) holds the lock while it touches its file",
  async (elsewhere) => {
    mkdirSync(directory);
    writeOwner(1, { id: "far", pid: process.pid, ...elsewhere });
    const path = join(directory, "keyhearth.lock.1");
    const script = `setInterval(() => fs.utimesSync(${JSON.stringify(path)}, new Date(), new Date()), 50)`;
    const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    children.push(child);
    expect(() => lockDataDirectory(directory)).toThrow(
      `in use by process ${process.pid} of another container or machine;`,
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    lockDataDirectory(directory, { patienceMs: 300 }).release();
  },
);

test("the holder touches its file", async () => {
  const lock = lockDataDirectory(directory);
  const path = join(directory, "keyhearth.lock.1");
  utimesSync(path, 1, 1);
  await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(1000);
  lock.release();
});

test("a lock file that was never finished does not hold the directory forever", () => {
  mkdirSync(directory);
  writeFileSync(join(directory, "keyhearth.lock.1"), "");
  lockDataDirectory(directory).release();
});

test("a late release does not take the lock away from its next holder", () => {
  const first = lockDataDirectory(directory);
  rmSync(join(directory, "keyhearth.lock.1"));
  const second = lockDataDirectory(directory);
  first.release();
  expect(lockFiles()).toEqual(["keyhearth.lock.1"]);
  second.release();
});

test("a directory that belongs to something else is refused and left as it was", () => {
  mkdirSync(directory);
  writeFileSync(join(directory, "thesis.tex"), "");
  expect(() => lockDataDirectory(directory)).toThrow(/not Keyhearth's \(such as `thesis\.tex`\)/);
  expect(readdirSync(directory)).toEqual(["thesis.tex"]);
});

test("a directory that only the signer has used before is accepted", () => {
  mkdirSync(join(directory, "signer"), { recursive: true });
  lockDataDirectory(directory).release();
});

test.each([
  ["not JSON", /not written by Keyhearth/],
  ['{"product":"other","layout":1}', /not written by Keyhearth/],
  ['{"product":"keyhearth","layout":2}', /written by a newer release of Keyhearth, and this is/],
  ['{"product":"keyhearth","layout":2,"release":"9.8.7"}', /written by Keyhearth 9\.8\.7, and/],
])("a marker %s is refused", (marker, message) => {
  mkdirSync(directory);
  writeFileSync(join(directory, "keyhearth.json"), marker);
  expect(() => lockDataDirectory(directory)).toThrow(message);
  expect(lockFiles()).toEqual([]);
});

test("a file instead of the directory is refused", () => {
  writeFileSync(directory, "");
  expect(() => lockDataDirectory(directory)).toThrow(StartError);
  expect(() => lockDataDirectory(join(directory, "below"))).toThrow(/is not a directory/);
});

test("a directory of another user is refused", () => {
  mkdirSync(directory, { mode: 0o500 });
  asNobody(() => {
    expect(() => lockDataDirectory(directory)).toThrow(/cannot be read and written by this user/);
  });
});

/** The mode of a directory does not stop root, and in many containers root runs the tests. */
function asNobody(run: () => void) {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    run();
  } finally {
    process.seteuid?.(0);
  }
}

/** A process of this boot and this container that is dead, unless `owner` says otherwise. */
function writeOwner(number: number, owner: object) {
  const here = {
    bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    pidNamespace: readlinkSync("/proc/self/ns/pid"),
  };
  writeFileSync(join(directory, `keyhearth.lock.${number}`), JSON.stringify({ ...here, ...owner }));
}
