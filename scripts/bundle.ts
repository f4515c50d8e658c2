// Writes programs as bundles below `dist/`: `node scripts/bundle.ts signer|api|courier`.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programs } from "./bundle/programs.ts";
import { writeBundle } from "./bundle/write.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const name of process.argv.slice(2)) {
  const program = programs.find((each) => each.name === name);
  if (!program) throw new Error(`no bundle is called ${name}`);
  await writeBundle(root, program, join(root, "dist", name));
}
