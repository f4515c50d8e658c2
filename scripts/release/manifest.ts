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

/** Who maintains the packages, and where they live. The address is set in the repository's manifest and nowhere else. */
export function maintenanceOf(root: string): { maintainer: string; homepage: string } {
  const { author, homepage } = readManifest(root);
  const { name, email } = { ...(author as { name?: string; email?: string }) };
  if (!name || !email || typeof homepage !== "string") {
    throw new Error("package.json needs author.name, author.email and homepage");
  }
  return { maintainer: `${name} <${email}>`, homepage };
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
