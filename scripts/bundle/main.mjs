// `main.js` of every bundle.

import { OLDEST, prepareProcess } from "../setup/process.mjs";

const { node } = process.versions;
if (Number(node.split(".")[0]) < OLDEST) {
  process.stderr.write(`keyhearth: Node.js ${node} is too old, and version ${OLDEST} is needed\n`);
  process.exitCode = 1;
} else {
  prepareProcess();
  await import(new URL("program.js", import.meta.url).href);
}
