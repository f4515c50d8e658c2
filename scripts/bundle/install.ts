import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locked } from "./lock.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Installs what a bundle locks, as `npm ci` would, but from what is installed here. */
export function installLocked(folder: string, target = folder) {
  const lock: { packages: Locked } = readJson(join(folder, "package-lock.json"));
  for (const [place, { name, version, optional }] of Object.entries(lock.packages)) {
    if (place === "") continue;
    const source = join(root, name === undefined ? place : `node_modules/${name}`);
    // Packages for other platforms.
    if (optional && !existsSync(source)) continue;
    const found = readJson(join(source, "package.json")).version;
    if (found !== version) throw new Error(`${source} is ${found}, and the lock has ${version}`);
    cpSync(source, join(target, place), { recursive: true });
  }
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, "utf8"));
}
