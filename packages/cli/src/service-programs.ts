import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** What the package `keyhearth` runs itself, with the text for the usage. */
export const servicePrograms = [
  ["start", "run the service with its site, API, database and signer"],
  ["signer", "run the signer as a process of its own"],
  ["courier", "run the courier as a process of its own"],
  ["feedback", "show what readers said about pages of the site"],
] as const;

/**
 * Where `keyhearth` of the service is, if the service is installed in the folder of this package. Both packages have a
 * command of that name, and npm keeps the one that it installed last.
 */
export function findService(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve("keyhearth/package.json");
    return pathToFileURL(join(dirname(manifest), "bin/keyhearth.mjs")).href;
  } catch {
    return undefined;
  }
}

export function isServiceProgram(name: string | undefined): boolean {
  return servicePrograms.some(([each]) => each === name);
}
