import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Artefact, Context } from "./artefact.ts";

/** A package as npm publishes it, before it is packed. */
export type NpmPackage = {
  name: string;
  assemble(directory: string, context: Context): Promise<void>;
};

/** The tarball of a package. npm sorts the files in it, and gives all of them the same time. */
export function npmPackage({ name, assemble }: NpmPackage): Artefact {
  return {
    name,
    async write(directory, context) {
      const folder = await mkdtemp(join(tmpdir(), "keyhearth-pack-"));
      try {
        await assemble(folder, context);
        await pack(folder, directory);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function pack(folder: string, directory: string): Promise<void> {
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", directory];
  const env = { ...process.env, npm_config_dry_run: "false" };
  await promisify(execFile)("npm", args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
}
