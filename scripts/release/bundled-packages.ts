import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Locked } from "../bundle/lock.ts";
import { readJson, writeJson } from "./manifest.ts";

/** In the package itself, with what it loads: npm would install the implementation that nothing loads, with seven packages. */
export const BUNDLED = ["secp256k1", "node-gyp-build"];

/** What `secp256k1` needs only where it is compiled, and that implementation. */
const LEFT_OUT = ["elliptic", "node-addon-api"];

/**
 * Puts `secp256k1` into the package as it is installed here. npm reads a shrinkwrap, and what it leaves out, only from a
 * registry, and most people install a file. What has builds in packages of their own cannot be in it.
 * Returns the lock of what is in the package, and of what npm installs beside it.
 */
export async function bundlePackages(
  root: string,
  directory: string,
  locked: Locked,
): Promise<Locked> {
  for (const name of BUNDLED) {
    const place = `node_modules/${name}`;
    cpSync(join(root, place), join(directory, place), { recursive: true });
    const { version } = readJson(join(directory, place, "package.json"));
    if (version !== locked[place]?.version) {
      throw new Error(`${place} is ${version}, and the lock has ${locked[place]?.version}`);
    }
  }
  await withoutBuild(join(directory, "node_modules/secp256k1"));
  const left = Object.entries(locked).filter(([place]) => !LEFT_OUT.includes(nameOf(place)));
  return Object.fromEntries(
    left.map(([place, entry]) => {
      if (!BUNDLED.includes(nameOf(place))) return [place, entry];
      const { hasInstallScript, dependencies, ...rest } = entry;
      const loaded = dependencies && { dependencies: withoutLeftOut(dependencies) };
      return [place, { ...rest, ...loaded, inBundle: true }];
    }),
  );
}

const nameOf = (place: string) => place.replace(/^node_modules\//, "");

function withoutLeftOut(dependencies: Record<string, string>): Record<string, string> {
  const kept = Object.entries(dependencies).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries(kept);
}

/** Its builds for each platform are there, so nothing is compiled, and npm asks nobody to allow it. */
async function withoutBuild(folder: string): Promise<void> {
  const { scripts, gypfile, dependencies, ...manifest } = readJson(join(folder, "package.json"));
  await writeJson(join(folder, "package.json"), {
    ...manifest,
    dependencies: withoutLeftOut(dependencies),
  });
  for (const each of ["binding.gyp", "src"]) {
    rmSync(join(folder, each), { recursive: true, force: true });
  }
}
