import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const NAME = "SHA256SUMS";

/** Writes the digest of every file of a release, in the form that `sha256sum --check` reads. */
export async function writeChecksums(directory: string): Promise<void> {
  const files = readdirSync(directory).filter((file) => file !== NAME);
  const lines = files.toSorted().map((file) => `${digestOf(join(directory, file))}  ${file}\n`);
  await writeFile(join(directory, NAME), lines.join(""));
}

export function digestOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
