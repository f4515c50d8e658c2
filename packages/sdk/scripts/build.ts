// Writes the package as it is published to `dist/`: `npm pack ./packages/sdk/dist` packs it.

import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { writeCode } from "./published/code.ts";
import { writeDeclarations } from "./published/declarations.ts";
import { writeManifest } from "./published/manifest.ts";

/** Builds the whole package in a directory, which is emptied first. */
export async function buildPackage(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const { imported } = await writeCode(directory);
  await writeDeclarations(directory);
  await writeManifest(directory, imported);
  for (const file of ["LICENSE", "README.md"]) {
    await cp(new URL(`../${file}`, import.meta.url), `${directory}/${file}`);
  }
}

if (import.meta.main) await buildPackage(fileURLToPath(new URL("../dist", import.meta.url)));
