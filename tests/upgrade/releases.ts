import { execFile } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { flags } from "../../scripts/setup/allocation.mjs";
import {
  run,
  serviceOf,
  startCourier,
  startService,
  startSigner,
  until,
} from "../start/process.ts";
import type { Contents } from "./contents.ts";
import { leaveEmbedded, leaveProcesses, type Programs, restoreDump } from "./leave.ts";
import { unpackFolder } from "./pack.ts";

/** An earlier release: what it left, or its programs, which leave it now. */
export type Release = {
  version: string;
  /** Puts what it left into an empty folder. */
  embedded(folder: string): Promise<void>;
  processes(folder: string, databaseUrl: string): Promise<void>;
  /** Null for a fixture. */
  install: ((folder: string) => Promise<Programs>) | null;
};

/** The programs that are checked out. */
export const present: Programs = { startService, startSigner, startCourier };

const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));

/** A folder with tarballs of releases, such as `keyhearth-0.2.0.tgz`. They are too large to be kept here. */
const tarballs = process.env.KEYHEARTH_UPGRADE_FROM;

export const releases: readonly Release[] = [
  ...readdirSync(fixtures).map(fixtureOf),
  ...(tarballs ? globSync("keyhearth-[0-9]*.tgz", { cwd: tarballs }) : []).map(tarballOf),
];

function fixtureOf(version: string): Release {
  const unpack = (name: string, folder: string) => {
    mkdirSync(folder, { recursive: true });
    unpackFolder(join(fixtures, version, `${name}.tar.br`), folder);
  };
  return {
    version,
    install: null,
    embedded: async (folder) => unpack("embedded", folder),
    async processes(folder, databaseUrl) {
      unpack("processes", folder);
      restoreDump(folder, databaseUrl);
    },
  };
}

function tarballOf(file: string): Release {
  const install = (folder: string) => installTarball(join(tarballs ?? "", file), folder);
  return {
    version: basename(file, ".tgz").replace("keyhearth-", ""),
    install,
    embedded: async (folder) => leaveEmbedded(await install(folder), folder),
    processes: async (folder, url) => leaveProcesses(await install(folder), folder, url),
  };
}

async function installTarball(tarball: string, folder: string): Promise<Programs> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", [...args, tarball], { cwd: folder });
  const bin = join(folder, "node_modules/keyhearth/bin/keyhearth.mjs");
  const settings = { HOST: "127.0.0.1", PORT: "0", KEYHEARTH_LOG_LEVEL: "warn" };
  const listening = async (name: string, state: string, environment: Record<string, string>) => {
    const socket = join(state, `${name}.sock`);
    const create = name === "signer" ? ["--create"] : [];
    const command = [bin, name, "--state", state, "--socket", socket, ...create];
    const started = run(command, environment, { folder });
    await until(started, () => started.stdout().includes("listening"));
    return { ...started, socket };
  };
  return {
    async startService(environment) {
      const started = run([bin, "start"], { ...settings, ...environment }, { folder });
      await until(started, () => started.stdout().includes("Stop it with"));
      return { ...serviceOf(started), readyAfterMs: 0 };
    },
    startSigner: (state) => listening("signer", state, {}),
    startCourier: (state, environment) => listening("courier", state, environment),
  };
}

/** What the newest fixture has. */
export function newestContents(): { version: string; contents: Contents } {
  const version = readdirSync(fixtures).toSorted(compareVersions).at(-1) ?? "";
  const text = readFileSync(join(fixtures, version, "contents.json"), "utf8");
  return { version, contents: JSON.parse(text) };
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/**
 * A fixture may be older than the thirty days for which a signer believes its machine, or newer than the machine. Its
 * operator says that the clock is right.
 */
export async function acceptClock(state: string) {
  const main = fileURLToPath(new URL("../../apps/signer/src/main.ts", import.meta.url));
  const command = [...flags, main, "accept-clock", new Date().toISOString(), "--state", state];
  await promisify(execFile)(process.execPath, command);
}
