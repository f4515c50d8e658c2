import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packPackages } from "../../scripts/bundle/packages.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const snippets = join(root, "apps/website/snippets/emulator");

const OPTIONS = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

export async function npm(folder: string, args: readonly string[]) {
  return promisify(execFile)("npm", [...args, ...OPTIONS], { cwd: folder });
}

/** An empty project with the command line and the SDK from the tarballs that a service serves. */
export type Project = { folder: string; tarball: string; remove(): Promise<void> };

export async function makeProject(): Promise<Project> {
  const [folder, packages] = await Promise.all([
    mkdtemp(join(tmpdir(), "keyhearth-emulator-")),
    packPackages(root),
  ]);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const tarballs = ["sdk", "cli"].map((name) => join(packages, `keyhearth-${name}.tgz`));
  await npm(folder, ["install", "--save-dev", ...tarballs]);
  return {
    folder,
    tarball: tarballs[1] ?? "",
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Copies what a page shows. */
export function copySnippets(name: string, folder: string) {
  cpSync(join(snippets, name), folder, { recursive: true });
}

type NamedNode = [name: string, path: string];

const OLDEST = "20.18.0";

/** The Node.js that packages promise to run on, which is downloaded once, and the pinned one. */
export async function nodes(): Promise<[oldest: NamedNode, pinned: NamedNode]> {
  return [
    [OLDEST, await download(OLDEST)],
    [process.versions.node, process.execPath],
  ];
}

async function download(wanted: string): Promise<string> {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  const folder = join(root, "node_modules/.cache/keyhearth", `node-${wanted}`);
  const path = join(folder, "node_modules", name, "bin/node");
  if (existsSync(path)) return path;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  await npm(unfinished, ["install", "--prefix", unfinished, `${name}@${wanted}`]);
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  return path;
}

export type Ended = { code: number; stdout: string; stderr: string };

/** Runs a program of the project to its end. */
export async function runIn(
  folder: string,
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 280_000 };
  const ended = await promisify(execFile)(command, args, options).catch((error: Ended) => error);
  return { code: 0, ...ended };
}

export type Running = {
  stdout(): string;
  /** Ends it as Ctrl+C does, and returns its code. */
  stop(): Promise<number | null>;
};

/** Starts a program, and waits until its output has this. */
export async function startIn(
  folder: string,
  [command = "", ...args]: readonly string[],
  { until, env = {} }: { until: RegExp; env?: NodeJS.ProcessEnv },
): Promise<Running> {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  child.stderr.on("data", (part) => {
    stderr += part;
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => until.test(stdout) && resolve());
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${stdout}${stderr}`)));
  });
  return {
    stdout: () => stdout,
    stop() {
      child.kill("SIGINT");
      return ended;
    },
  };
}
