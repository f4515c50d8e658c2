import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Context } from "./artefact.ts";
import { artefacts } from "./artefacts.ts";
import { readManifest } from "./manifest.ts";

/** Writes every artefact to `dist/release/`, which is emptied first. */
export async function writeRelease(root: string): Promise<void> {
  const directory = join(root, "dist/release");
  const context = await contextOf(root);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const { name, write } of artefacts) {
    process.stdout.write(`${name} ${context.version}\n`);
    await write(directory, context);
  }
}

async function contextOf(root: string): Promise<Context> {
  const { stdout } = await promisify(execFile)("git", ["log", "-1", "--format=%ct"], { cwd: root });
  return { root, version: String(readManifest(root).version), epoch: Number(stdout) };
}
