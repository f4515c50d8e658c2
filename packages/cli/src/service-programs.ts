import { existsSync } from "node:fs";

/** What the package `keyhearth` runs itself, with the text for the usage. */
export const servicePrograms = [
  ["start", "run the service with its site, API, database and signer"],
  ["signer", "run the signer as a process of its own"],
  ["courier", "run the courier as a process of its own"],
  ["feedback", "show what readers said about pages of the site"],
  ["distribute", "distribute the tables over the nodes of a Citus cluster"],
] as const;

/**
 * Where `keyhearth` of the service is, if the service is installed beside this package. Both packages have a command of that
 * name, and npm keeps the one that it installed last. A search would go on in folders above, which may belong to others.
 *
 * @param bundle the address of the program in `node_modules/@keyhearth/cli/dist`
 */
export function findService(bundle: string): string | undefined {
  if (!new URL("../../../", bundle).pathname.endsWith("/node_modules/")) return undefined;
  const service = new URL("../../../keyhearth/bin/keyhearth.mjs", bundle);
  return existsSync(service) ? service.href : undefined;
}

export function isServiceProgram(name: string | undefined): boolean {
  return servicePrograms.some(([each]) => each === name);
}
