import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "./artefact.ts";

/** Writes what the changelog says about the version. */
export async function writeNotes(directory: string, { root, version }: Context): Promise<void> {
  const section = sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  await writeFile(join(directory, `CHANGES-${version}.md`), section);
}

export function sectionOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((each) => each.startsWith(`## ${version} - `));
  if (section) return `${section.trim()}\n`;
  throw new Error(
    `CHANGELOG.md has no section of ${version}: run node scripts/changelog.ts --release=${version}`,
  );
}

/** The version of the newest section. */
export function newestVersion(changelog: string): string | undefined {
  return /^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/m.exec(changelog)?.[1];
}
