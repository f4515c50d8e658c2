import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { debianVersionOf } from "../../scripts/release/debian/control.ts";
import { debianPackages } from "../../scripts/release/debian/packages.ts";
import { hasDpkg, writeDebianPackage, writeDebianPackages } from "../../scripts/release/debian.ts";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { isLong } from "../start/long-form.ts";
import { readRootKey } from "../start/process.ts";
import { sign } from "../start/sign.ts";
import { debianRootMissing, idOf, makeDebianRoot, runIn, startUnit } from "./debian-root.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-debian-test-"));
const epoch = 1_790_000_000;
const hasTools = process.platform === "linux" && process.arch === "x64" && hasDpkg();
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const units = ["keyhearth-signer", "keyhearth-courier", "keyhearth"];

test("a release candidate sorts before its release", () => {
  expect(debianVersionOf("1.0.0-rc.1")).toBe("1.0.0~rc.1");
  expect(debianVersionOf("1.0.0")).toBe("1.0.0");
});

describe.runIf(hasTools)("the package of the signer", () => {
  const [signer] = debianPackages;
  const paths: string[] = [];
  const field = (name: string) =>
    execFileSync("dpkg-deb", ["--field", paths[0] ?? "", name], { encoding: "utf8" }).trim();

  beforeAll(async () => {
    if (!signer) throw new Error("no package");
    for (const folder of ["first", "second"]) {
      const directory = join(temporary, folder);
      const release = { root, directory, version: "0.1.0", epoch, compression: "none" } as const;
      paths.push(await writeDebianPackage(signer, release));
    }
  }, 120_000);

  test("has the same bytes in another folder", () => {
    const [first, second] = paths.map((path) => readFileSync(path));
    expect(first && second && first.equals(second)).toBe(true);
    expect(field("Version")).toBe("0.1.0");
    const { author } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(field("Maintainer")).toBe(`${author.name} <${author.email}>`);
  });

  test("has files of root only, and nothing that others can write", () => {
    const listed = execFileSync("sh", ["-c", 'dpkg-deb -c "$0"', paths[0] ?? ""], {
      encoding: "utf8",
      maxBuffer: 1 << 24,
    });
    const lines = listed.trim().split("\n");
    expect(lines.filter((line) => !/^[-d]rwx?|^[-d]rw-/.test(line))).toEqual([]);
    expect(lines.filter((line) => !/^.{5}-..-. root\/root /.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes("/etc/")).map((line) => line.slice(0, 10))).toEqual(
      ["drwxr-xr-x", "drwx------", "-rw-------"],
    );
    const packages = new Set(
      lines.flatMap((line) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/$/.exec(line)?.[1] ?? []),
    );
    expect(packages.size).toBeGreaterThan(1);
    expect(packages.size).toBeLessThanOrEqual(10);
    const prebuilds = lines.filter((line) => line.includes("/prebuilds/"));
    expect(prebuilds.filter((line) => !/prebuilds\/(linux-x64\/|$)/.test(line))).toEqual([]);
  });
});

const missing = debianRootMissing() ?? (findPostgres() ? null : "no PostgreSQL was found");
const canInstall = isLong && hasTools && missing === null;
if (isLong && missing !== null) console.log(`the packages are not installed: ${missing}`);

describe.runIf(canInstall)("installed in a fresh Debian", () => {
  const machine = join(temporary, "machine");
  // Compressing takes minutes, and does not change what is installed.
  const release = { root, epoch, compression: "none" } as const;
  let first: string[];

  function install(paths: string[]) {
    for (const path of paths) cpSync(path, join(machine, "tmp", basename(path)));
    runIn(machine, ["dpkg", "--install", ...paths.map((path) => `/tmp/${basename(path)}`)]);
  }

  beforeAll(async () => {
    chmodSync(temporary, 0o755);
    makeDebianRoot(machine);
    const directory = join(temporary, "release");
    first = await writeDebianPackages({ ...release, directory, version: "0.1.0" });
    install(first);
  }, 900_000);

  test("both packages have the same bytes in another folder", { timeout: 600_000 }, async () => {
    const directory = join(temporary, "again");
    const again = await writeDebianPackages({ ...release, directory, version: "0.1.0" });
    const same = first.map((path, i) => readFileSync(path).equals(readFileSync(again[i] ?? "")));
    expect(same).toEqual([true, true]);
  });

  test("the commands are on PATH, and the users have their directories", () => {
    for (const command of ["keyhearth", "keyhearth-signer", "keyhearth-courier"]) {
      expect(runIn(machine, [command, "--version"])).toBe("0.1.0\n");
    }
    for (const program of ["signer", "courier", "api", "feedback", "distribute"]) {
      const help = runIn(machine, [`keyhearth-${program}`, "--help"]);
      expect(help).toMatch(new RegExp(`^usage: keyhearth-${program}`, "i"));
      expect(help).not.toMatch(/\bnpm (run|start)\b/);
    }
    for (const user of units) {
      expect(statSync(join(machine, "var/lib", user))).toMatchObject({
        uid: idOf(machine, "passwd", user),
        gid: idOf(machine, "group", user),
      });
      expect(statSync(join(machine, "var/lib", user)).mode & 0o777).toBe(0o700);
    }
    expect(runIn(machine, ["dpkg", "--verify", "keyhearth", "keyhearth-signer"])).toBe("");
  });

  test.runIf(spawnSync("systemd-analyze", ["--version"]).status === 0)(
    "systemd finds no mistake in the units",
    () => {
      const paths = units.map((unit) => `/usr/lib/systemd/system/${unit}.service`);
      // A minimal Debian does not have the targets that the units name.
      const args = ["verify", `--root=${machine}`, "--man=no", "--recursive-errors=no", ...paths];
      const { stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
      expect(stderr.split("\n").filter((line) => line.includes("keyhearth"))).toEqual([]);
    },
  );

  test("signs, is upgraded and signs again, and keeps its state when it is purged", {
    timeout: 900_000,
  }, async () => {
    const postgres = await startPostgres({ fsync: false });
    onTestFinished(() => postgres.stop());
    const database = await createDatabase(postgres.url, "keyhearth");
    const created = startUnit(machine, "keyhearth-signer", { args: ["--create"] });
    await created.waitFor(/"listening"/);
    await created.stop();

    const before = await use(database);
    const directory = join(temporary, "next");
    install(await writeDebianPackages({ ...release, directory, version: "0.1.1" }));
    expect(runIn(machine, ["keyhearth-signer", "--version"])).toBe("0.1.1\n");
    const after = await use(database, before.address);
    expect(after.r).toBe(before.r);

    const rootKey = readFileSync(join(machine, "var/lib/keyhearth-signer/root-key"));
    runIn(machine, ["dpkg", "--purge", "keyhearth", "keyhearth-signer"]);
    expect(existsSync(join(machine, "usr/lib/keyhearth-signer"))).toBe(false);
    expect(existsSync(join(machine, "etc/keyhearth"))).toBe(false);
    expect(readFileSync(join(machine, "var/lib/keyhearth-signer/root-key"))).toEqual(rootKey);
    expect(existsSync(join(machine, "var/lib/keyhearth/root-api-key.json"))).toBe(true);
    expect(existsSync(join(machine, "var/lib/keyhearth-courier/courier-key"))).toBe(true);
  });

  /** Starts the three units and signs, with a new wallet if no address is given. */
  async function use(database: string, address?: string) {
    const started = ["keyhearth-signer", "keyhearth-courier"].map((unit) =>
      startUnit(machine, unit),
    );
    try {
      for (const each of started) await each.waitFor(/"listening"/);
      const changed = { PORT: "0", DATABASE_URL: database };
      const api = startUnit(machine, "keyhearth", { changed });
      started.unshift(api);
      await api.waitFor(/Stop it with/);
      const [, port] = /^ {2}Site +http:\/\/\S+:(\d+)$/m.exec(api.output()) ?? [];
      const url = `http://127.0.0.1:${port}`;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/concepts/wallets`)).status).toBe(200);
      const key = readRootKey(join(machine, "var/lib/keyhearth"));
      return await sign(url, key, address);
    } finally {
      for (const each of started) await each.stop();
    }
  }
});
