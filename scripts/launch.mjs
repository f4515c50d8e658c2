// Starts a program of this repository: `node scripts/launch.mjs service|signer|courier|feedback|distribute [arguments]`. It is plain
// JavaScript, so that a Node.js which cannot run TypeScript prints a sentence and not a stack.

import { OLDEST, prepareProcess } from "./setup/process.mjs";

/** @type {Record<string, URL>} */
const programs = {
  service: new URL("../apps/api/src/main.ts", import.meta.url),
  courier: new URL("../apps/courier/src/main.ts", import.meta.url),
  feedback: new URL("../apps/api/src/feedback/main.ts", import.meta.url),
  distribute: new URL("../apps/api/src/distribute/main.ts", import.meta.url),
  signer: new URL("../apps/signer/src/main.ts", import.meta.url),
};

const [, , name = ""] = process.argv;
const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
const { node } = process.versions;

if (program === undefined) {
  fail("usage: npm start, npm run signer, npm run courier, npm run feedback or npm run distribute");
} else if (Number(node.split(".")[0]) < OLDEST) {
  fail(
    `Node.js ${node} is too old, and version ${OLDEST} is needed: use npm start or npm run signer, which run on the version that npm installs here`,
  );
} else {
  prepareProcess();
  process.argv.splice(2, 1);
  await import(program.href);
}

/** @param {string} sentence */
function fail(sentence) {
  process.stderr.write(`keyhearth: ${sentence}\n`);
  process.exitCode = 1;
}
