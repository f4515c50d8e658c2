import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

type Manifest = { [member: string]: unknown };

/** The parts that all published manifests take from the repository's own. */
const shared = ["license", "homepage", "repository", "bugs", "funding"];

/** What every published manifest says about the project. */
export function describeProject(root: string): Manifest {
  const own = readManifest(root);
  return Object.fromEntries(shared.map((member) => [member, own[member]]));
}

export function readManifest(folder: string): Manifest {
  return readJson(join(folder, "package.json"));
}

export function readJson(path: string) {
  return JSON.parse(readFileSync(path, "utf8"));
}

export async function writeJson(path: string, value: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
