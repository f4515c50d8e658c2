// Starts a program of this repository: `node scripts/launch.mjs service|signer|courier|feedback [arguments]`. It is plain
// JavaScript, so that a Node.js which cannot run TypeScript prints a sentence and not a stack.

import { onParentGone } from "./setup/parent.mjs";

/** @type {Record<string, URL>} */
const programs = {
  service: new URL("../apps/api/src/main.ts", import.meta.url),
  courier: new URL("../apps/courier/src/main.ts", import.meta.url),
  feedback: new URL("../apps/api/src/feedback/main.ts", import.meta.url),
  signer: new URL("../apps/signer/src/main.ts", import.meta.url),
};
const OLDEST = 24;

const [, , name = ""] = process.argv;
const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
const { node } = process.versions;

if (program === undefined) {
  fail("usage: npm start, npm run signer, npm run courier or npm run feedback");
} else if (Number(node.split(".")[0]) < OLDEST) {
  fail(
    `Node.js ${node} is too old, and version ${OLDEST} is needed: use npm start or npm run signer, which run on the version that npm installs here`,
  );
} else {
  shareArenas();
  // As if npm's signal had come here: the program finishes what is under way.
  onParentGone(() => process.kill(process.pid, "SIGTERM"));
  process.argv.splice(2, 1);
  await import(program.href);
}

/**
 * With glibc, each thread of a service would get memory from an arena of its own, which keeps what the
 * thread gave back: 70 MB. It reads this setting only at its start, so the process replaces itself.
 */
function shareArenas() {
  const { platform, env, execPath, execArgv, argv, channel, execve } = process;
  // A process that Node.js watches would lose its channel.
  if (platform !== "linux" || env.MALLOC_ARENA_MAX !== undefined || channel || !execve) return;
  execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: "2" });
}

/** @param {string} sentence */
function fail(sentence) {
  process.stderr.write(`keyhearth: ${sentence}\n`);
  process.exitCode = 1;
}
