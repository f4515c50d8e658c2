import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { keep } from "../bundle/kept.ts";
import type { Artefact, Context } from "./artefact.ts";
import { readManifest } from "./manifest.ts";

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

/** Compressing the service takes seconds, so a tarball is kept for the same files. */
async function pack(folder: string, directory: string): Promise<void> {
  const run = async (args: string[]) => {
    const env = { ...process.env, npm_config_dry_run: "false" };
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    return (await promisify(execFile)("npm", args, options)).stdout.trim();
  };
  const { name, version } = readManifest(folder);
  const file = `${String(name).replace("@", "").replace("/", "-")}-${version}.tgz`;
  // Another npm, or the Node.js that it runs on, may compress differently.
  const packer = await run(["version", "--json"]);
  const digest = digestOf(folder, packer);
  const kept = await keep(`${digest}-${file}`, async (path) => {
    const packed = await mkdtemp(join(tmpdir(), "keyhearth-packed-"));
    const args = ["--ignore-scripts", "--loglevel=error", "--pack-destination", packed];
    await run(["pack", ...args]);
    await cp(join(packed, file), path);
    await rm(packed, { recursive: true });
  });
  await cp(kept, join(directory, file));
}

function digestOf(folder: string, packer: string): string {
  const hash = createHash("sha256").update(packer);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of entries.toSorted()) {
    const bytes = readFileSync(path);
    hash
      .update(`${path.slice(folder.length)} ${statSync(path).mode} ${bytes.length}\n`)
      .update(bytes);
  }
  return hash.digest("hex");
}
