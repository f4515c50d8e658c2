import { cp } from "node:fs/promises";
import { buildPackage } from "../../packages/sdk/scripts/build.ts";

/** Writes the package as it is published. `npm test` builds it once for all files. */
export async function writePackage(directory: string): Promise<void> {
  const built = process.env.KEYHEARTH_TEST_SDK;
  if (!built) return buildPackage(directory);
  await cp(built, directory, { recursive: true });
}
