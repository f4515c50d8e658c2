import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Locked } from "../bundle/lock.ts";
import { readJson } from "./manifest.ts";
import { Refusal } from "./publishing.ts";

/**
 * Refuses a tree in which another package is installed than the lock has. A folder of a workspace that is missing would
 * otherwise put the root's version of a package into a release, and into its bill of materials.
 */
export function assertInstalled(root: string): void {
  const { packages }: { packages: Locked } = readJson(join(root, "package-lock.json"));
  for (const [place, { version, optional, link }] of Object.entries(packages)) {
    if (!place.includes("node_modules/") || link) continue;
    const manifest = join(root, place, "package.json");
    if (optional && !existsSync(manifest)) continue;
    const found = existsSync(manifest) ? readJson(manifest).version : "missing";
    if (found === version) continue;
    throw new Refusal(`${place} is ${found}, and package-lock.json has ${version}: run npm ci`);
  }
}
