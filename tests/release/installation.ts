import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packPackages, programsDigest } from "../../scripts/bundle/packages.ts";
import type { Context } from "../../scripts/release/artefact.ts";
import { commandLinePackage } from "../../scripts/release/command-line-package.ts";
import { npmPackage } from "../../scripts/release/npm-package.ts";
import { sdkPackage } from "../../scripts/release/sdk-package.ts";
import { servicePackage } from "../../scripts/release/service-package.ts";
import { isLong } from "../start/long-form.ts";
import {
  type Environment,
  type Process,
  run,
  type Service,
  serviceOf,
  until,
} from "../start/process.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
export const context: Context = { root, version, commit: "0".repeat(40), epoch: 1_700_000_000 };

/** The packages of a release, and what a user has who installed the service. All tests of a file share one. */
export type Installation = {
  /** Where the tarballs are, and where tests make their folders. */
  temporary: string;
  /** Where `npm install` ran. */
  project: string;
  /** What was started from it, which ends with it. */
  running: Process[];
};

export const tarballOf = ({ temporary }: Installation, name: string) =>
  join(temporary, `${name}-${version}.tgz`);

const OPTIONS = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

export async function install(folder: string, packages: string[]) {
  await promisify(execFile)("npm", ["install", ...OPTIONS, ...packages], { cwd: folder });
}

/**
 * Packs and installs. In the long form the first try is killed while npm writes, as a lost connection or a closed lid ends
 * it.
 */
export async function makeInstallation(): Promise<Installation> {
  const temporary = await mkdtemp(join(tmpdir(), "keyhearth-release-"));
  const others = isLong ? packOthers : copyOthers;
  await Promise.all([npmPackage(servicePackage).write(temporary, context), others(temporary)]);
  const project = join(temporary, "project");
  await mkdir(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  const installation: Installation = { temporary, project, running: [] };
  const wanted = ["keyhearth", "keyhearth-sdk"].map((name) => tarballOf(installation, name));
  if (isLong) await interrupt(project, wanted);
  await install(project, wanted);
  return installation;
}

/** Packed later and elsewhere than those that the service serves, which are compared with them. */
async function packOthers(folder: string) {
  const packages = [sdkPackage, commandLinePackage(programsDigest)];
  await Promise.all(packages.map((each) => npmPackage(each).write(folder, context)));
}

/** The service's own, which were packed once for all tests. */
async function copyOthers(folder: string) {
  const packages = await packPackages(root);
  for (const name of ["keyhearth-sdk", "keyhearth-cli"]) {
    await copyFile(join(packages, `${name}.tgz`), join(folder, `${name}-${version}.tgz`));
  }
}

/** Kills npm, with everything that it started, once it has begun to unpack. */
async function interrupt(folder: string, packages: string[]) {
  const args = ["install", ...OPTIONS, ...packages];
  const child: ChildProcess = spawn("npm", args, { cwd: folder, stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const isUnpacking = () => existsSync(join(folder, "node_modules/keyhearth"));
  while (!isUnpacking()) {
    if (child.exitCode !== null) throw new Error("npm ended before it could be interrupted");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await ended;
}

export async function removeInstallation({ temporary, running }: Installation) {
  await Promise.all(running.map((each) => each.stop()));
  await rm(temporary, { recursive: true, force: true });
}

/** Runs `keyhearth` of the installation in a folder. */
export function keyhearth(
  { project, running }: Installation,
  args: string[],
  environment: Environment = {},
  folder = project,
): Process {
  const bin = join(project, "node_modules/keyhearth/bin/keyhearth.mjs");
  const settings = { HOST: "127.0.0.1", PORT: "0", KEYHEARTH_LOG_LEVEL: "warn" };
  const started = run([bin, ...args], { ...settings, ...environment }, { folder });
  running.push(started);
  return started;
}

/** Runs `keyhearth start`, and waits until it is ready. */
export async function startInstalled(
  installation: Installation,
  environment: Environment = {},
  folder?: string,
): Promise<Omit<Service, "readyAfterMs">> {
  const started = keyhearth(installation, ["start"], environment, folder);
  await until(started, () => started.stdout().includes("Stop it with"));
  return serviceOf(started);
}

/** Runs `keyhearth signer`, and waits until its socket can be used. */
export async function startInstalledSigner(
  installation: Installation,
  state: string,
  args: string[] = [],
): Promise<Process & { socket: string }> {
  const started = keyhearth(installation, ["signer", "--state", state, ...args]);
  await until(started, () => started.stdout().includes("listening"));
  return { ...started, socket: join(state, "signer.sock") };
}

/** A program that ends by itself. */
export async function outcomeOf(started: Process) {
  return { code: await started.ended, stdout: started.stdout(), stderr: started.stderr() };
}
