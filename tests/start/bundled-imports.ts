import { join } from "node:path";

const folder = process.env.KEYHEARTH_TEST_IMPORTS;

/**
 * What a program of the pages is given on its command line, so that it loads one bundle and not hundreds of modules. `npm
 * test` makes it once. That the packages can be installed and imported is what tests/sdk/install, tests/release/install
 * and tests/snippets/program-archive show.
 */
export const asBundled: readonly string[] = folder
  ? ["--import", join(folder, "register.mjs")]
  : [];
