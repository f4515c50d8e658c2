import { execFile } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Context } from "./artefact.ts";
import { artefacts } from "./artefacts.ts";
import { writeBillOfMaterials } from "./bill-of-materials.ts";
import { writeChecksums } from "./checksums.ts";
import { assertInstalled } from "./installed.ts";
import { readManifest } from "./manifest.ts";
import { writeNotes } from "./notes.ts";
import { writeProvenance } from "./provenance.ts";

/** Writes every artefact into a directory, which is emptied first, and then what describes them. */
export async function writeRelease(root: string, directory: string): Promise<void> {
  assertInstalled(root);
  const context = await contextOf(root);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const { write } of artefacts) await write(directory, context);
  await writeBillOfMaterials(directory, context);
  await writeNotes(directory, context);
  await writeProvenance(directory, context);
  await writeChecksums(directory);
}

async function contextOf(root: string): Promise<Context> {
  const args = ["log", "-1", "--format=%H %ct"];
  const { stdout } = await promisify(execFile)("git", args, { cwd: root });
  const [commit = "", epoch] = stdout.split(" ");
  return { root, version: String(readManifest(root).version), commit, epoch: Number(epoch) };
}
