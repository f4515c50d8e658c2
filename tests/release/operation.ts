import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { canMakeDisks, enlargeDisk, fillDisk, makeDisk, unmountDisks } from "../start/disk.ts";
import { isLong, testInLongForm } from "../start/long-form.ts";
import {
  clientOf,
  type Environment,
  type RootKey,
  readRootKey,
  run,
  until,
} from "../start/process.ts";
import { sign } from "../start/sign.ts";
import { embeddedIn, readWorld } from "../upgrade/leave.ts";
import { releases } from "../upgrade/releases.ts";
import { sign as signAgain } from "../upgrade/world.ts";
import {
  type Installation,
  keyhearth,
  outcomeOf,
  root,
  startInstalled,
  startInstalledSigner,
} from "./installation.ts";

/** Tests that start programs wait for them most of the time, so they run beside each other. */
const TIMEOUT = { timeout: 120_000, concurrent: true };

/** What the API's data directory has beside the database and the signer's state. */
const API_KEYS = ["courier-key", "root-api-key.json"];

/** Starts the signer as the unit file for other systems than Debian does, with its directories in one folder. */
async function startUnit(installation: Installation, name: string, state: string) {
  const path = join(root, `apps/website/snippets/self-hosting/keyhearth-${name}.service`);
  const [, command = ""] = /^ExecStart=(.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
  const [node, ...args] = command
    .replace("/opt/keyhearth", installation.project)
    .replaceAll(/\/(var\/lib|run)\/[a-z-]+/g, state)
    .split(" ");
  expect(node).toBe(join(installation.project, "node_modules/.bin/node"));
  const started = run(args, {}, { folder: installation.project });
  installation.running.push(started);
  await until(started, () => started.stdout().includes("listening"));
  const given = readFileSync(`/proc/${started.child.pid}/cmdline`, "utf8").split("\0");
  // The smaller heap of the unit counts, because the last flag does.
  const sizes = given.filter((each) => each.startsWith("--heap-growing-percent="));
  expect(sizes.at(-1)).toBe(args.find((each) => each.startsWith("--heap-growing-percent=")));
  return { ...started, socket: join(state, "signer.sock") };
}

/** What an operator does with an installation, by the scripts and the commands of the pages. */
export function testOperation(installed: () => Installation) {
  const place = (name: string) => join(installed().temporary, name);

  /** Runs a script of the page about backups where the package is installed, as the page says. */
  async function script(name: string, args: string[], environment: Environment = {}) {
    const path = join(root, "apps/website/snippets/self-hosting", name);
    const tools = [findPostgres() ?? "", process.env.PATH];
    const { stdout } = await promisify(execFile)("sh", [path, ...args], {
      cwd: installed().project,
      env: { HOME: process.env.HOME, ...environment, PATH: tools.join(delimiter) },
    });
    return stdout;
  }

  function copyKeys(from: string, to: string) {
    mkdirSync(to, { recursive: true });
    for (const name of API_KEYS) copyFileSync(join(from, name), join(to, name));
  }

  const now = () => new Date().toISOString();

  // An installation from a clone is restored each time, by the same scripts.
  testInLongForm(
    "the embedded database and the keys are restored where only the copies are",
    TIMEOUT,
    async () => {
      const data = place("backed-up");
      const before = await startInstalled(installed(), { KEYHEARTH_DATA_DIR: data });
      const signed = await sign(before.url, readRootKey(data));
      await expect(script("back-up-embedded.sh", [data, place("database.tar")])).rejects.toThrow(
        "stop the service",
      );
      expect(await before.stop()).toBe(0);
      await script("back-up-embedded.sh", [data, place("database.tar")]);
      const shown = JSON.parse(
        await script("back-up-keys.sh", [join(data, "signer"), place("keys")]),
      );
      copyKeys(data, place("keys"));

      const machine = place("restored");
      copyKeys(place("keys"), machine);
      await script("restore-keys.sh", [join(machine, "signer"), place("keys"), now()]);
      await script("restore-embedded.sh", [machine, place("database.tar")]);
      const after = await startInstalled(installed(), { KEYHEARTH_DATA_DIR: machine });
      const known = await (await fetch(`${after.url}/.well-known/keyhearth.json`)).json();
      expect(known.signerPublicKey).toBe(shown.signerPublicKey);
      expect(await sign(after.url, readRootKey(machine), signed.address)).toEqual(signed);
      // Organizations change again.
      const client = clientOf(after, readRootKey(machine));
      await client.createUserTag({ userTagName: "Finance", userIds: [] });
      expect(await after.stop()).toBe(0);
    },
  );

  const postgresTest = test.runIf(findPostgres());
  // A dump of PostgreSQL and the copy of the keys are restored by the same scripts in tests/self-hosting/backup, always.
  const outcome = isLong ? "restored" : "copied";
  postgresTest(`a separate signer signs, and what it knows is ${outcome}`, TIMEOUT, async () => {
    const postgres = await startPostgres({ fsync: false });
    try {
      await signSeparately(postgres.url);
    } finally {
      await postgres.stop();
    }
  });

  async function signSeparately(server: string) {
    const [data, state] = [place("api"), place("signer-state")];
    const database = await createDatabase(server, "keyhearth");
    const created = await startInstalledSigner(installed(), state, ["--create"]);
    await created.stop();
    const signer = await startUnit(installed(), "signer", state);
    const service = await startInstalled(installed(), {
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: database,
      KEYHEARTH_SIGNER: `unix:${signer.socket}`,
    });
    const key = readRootKey(data);
    const signed = await sign(service.url, key);
    expect(existsSync(join(data, "signer"))).toBe(false);
    await script("back-up-keys.sh", [state, place("signer-keys")]);
    await script("back-up-postgres.sh", [place("database.dump")], { DATABASE_URL: database });
    expect(existsSync(place("database.dump"))).toBe(true);
    await service.stop();
    await signer.stop();
    if (isLong) await restoreSeparateSigner(server, { data, key, signed });
  }

  type Copied = { data: string; key: RootKey; signed: Awaited<ReturnType<typeof sign>> };

  /** Nothing of the machine is left. */
  async function restoreSeparateSigner(server: string, { data, key, signed }: Copied) {
    copyKeys(data, place("new-api"));
    const restored = await createDatabase(server, "restored");
    await script("restore-postgres.sh", [place("database.dump")], { DATABASE_URL: restored });
    await script("restore-keys.sh", [place("new-state"), place("signer-keys"), now()]);
    const again = await startInstalledSigner(installed(), place("new-state"));
    const { url } = await startInstalled(installed(), {
      KEYHEARTH_DATA_DIR: place("new-api"),
      DATABASE_URL: restored,
      KEYHEARTH_SIGNER: `unix:${again.socket}`,
    });
    expect(await sign(url, key, signed.address)).toEqual(signed);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  }

  const [earlier] = releases;
  testInLongForm(`what ${earlier?.version} left signs as it did then`, TIMEOUT, async () => {
    const folder = place("earlier");
    await earlier?.embedded(folder);
    const world = readWorld(folder);
    const state = join(folder, "data/signer");
    const args = ["signer", "accept-clock", now(), "--state", state];
    expect(await outcomeOf(keyhearth(installed(), args))).toMatchObject({ code: 0 });
    const service = await startInstalled(installed(), embeddedIn(folder));
    const client = clientOf(service, world.root);
    expect(world.signed.length).toBeGreaterThan(2);
    for (const signed of world.signed) expect(await signAgain(client, signed)).toEqual(signed);
    expect(service.stdout()).not.toContain("created");
    expect(await service.stop()).toBe(0);
  });

  test.runIf(canMakeDisks && isLong)(
    "a full disk is one sentence, and nothing is lost",
    TIMEOUT,
    async () => {
      const disk = makeDisk(8);
      try {
        const data = join(disk, "data");
        const environment = { KEYHEARTH_DATA_DIR: data };
        const start = () => startInstalled(installed(), environment);
        const refused = () => outcomeOf(keyhearth(installed(), ["start"], environment));
        const sentence = {
          code: 1,
          stderr: expect.stringMatching(/^keyhearth: .+ is full; free .+\n$/),
        };
        expect(await refused()).toMatchObject(sentence);
        enlargeDisk(disk, 160);
        const first = await start();
        const signed = await sign(first.url, readRootKey(data));
        await first.stop();

        const full = fillDisk(disk);
        expect(await refused()).toMatchObject(sentence);
        full.free();
        const second = await start();
        expect(await sign(second.url, readRootKey(data), signed.address)).toEqual(signed);
        await second.stop();
      } finally {
        unmountDisks();
      }
    },
  );

  test.runIf(isLong)("Node.js 18 gets one sentence", { timeout: 300_000 }, async () => {
    const folder = place("node-18");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const packages = [`node-${process.platform}-${process.arch}@18.20.8`];
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", ...packages], {
      cwd: folder,
    });
    const old = join(folder, "node_modules", packages[0]?.split("@")[0] ?? "", "bin/node");
    const bin = join(installed().project, "node_modules/keyhearth/bin/keyhearth.mjs");
    const outcome = promisify(execFile)(old, [bin, "start"]);
    await expect(outcome).rejects.toMatchObject({
      code: 1,
      stderr:
        "keyhearth: Node.js 18.20.8 is too old: install Node.js 20.18 or newer from https://nodejs.org\n",
    });
    expect(readFileSync(join(folder, "package.json"), "utf8")).toContain("18.20.8");
  });
}
