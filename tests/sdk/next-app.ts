import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { linkPackages, root, run } from "./install.ts";

export type NextApp = { url: string; stop(): Promise<void> };

const bin = join(root, "node_modules/next/dist/bin/next");
const libraries = ["next", "@next/env", "@swc/helpers", "react", "react-dom"];

/**
 * Builds an app of Next.js beside a project that has the SDK, with what is installed there, and serves it.
 * The values of the environment are those that readers put into `.env.local`.
 */
export async function startNextApp(
  installed: string,
  sources: string,
  environment: Record<string, string>,
): Promise<NextApp> {
  const project = join(dirname(installed), "next-app");
  const packages = join(project, "node_modules");
  await cp(join(installed, "node_modules"), packages, { recursive: true });
  for (const name of libraries) await rm(join(packages, name), { force: true });
  await linkPackages(project, libraries);
  await writeFile(join(project, "package.json"), '{ "private": true }');
  for (const file of await readdir(sources, { recursive: true })) {
    if (/\.tsx?$/.test(file)) await strip(join(sources, file), join(project, file));
  }
  const env = { NEXT_TELEMETRY_DISABLED: "1", ...environment };
  await run(process.execPath, [bin, "build"], project, env);
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [bin, "start", "-p", "0", "-H", "127.0.0.1"], {
    cwd: project,
    env: { PATH, HOME, ...env },
    stdio: "pipe",
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    // Passkeys belong to a domain name.
    url: `http://localhost:${await portOf(child)}`,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** This version of Next.js cannot load our TypeScript. `npm run check` checks the types of these files. */
async function strip(source: string, target: string): Promise<void> {
  const { code } = await transform(await readFile(source, "utf8"), {
    loader: "tsx",
    jsx: "preserve",
    target: "es2022",
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target.replace(/\.ts(x?)$/, ".js$1"), code);
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const look = (chunk: Buffer) => {
      output += chunk.toString();
      const [, port] = /Local: +http:\/\/\S+:(\d+)/.exec(output) ?? [];
      if (port) resolve(port);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("close", () => reject(new Error(`Next.js ended:\n${output}`)));
  });
}
