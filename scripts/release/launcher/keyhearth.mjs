#!/usr/bin/env node
// `keyhearth` of the package with the service. It runs on whichever Node.js the host has: commands for files run there, and
// programs on the Node.js that is installed beside them.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allocation, flags } from "../../setup/allocation.mjs";
import { onParentGone } from "../../setup/parent.mjs";
import { OLDEST } from "../../setup/process.mjs";
import { findPinnedNode } from "./pinned-node.mjs";

/** @type {Record<string, string>} */
const programs = {
  start: "service/program.js",
  signer: "signer/program.js",
  courier: "service/courier.js",
  feedback: "service/feedback.js",
  distribute: "service/distribute.js",
};

const [, , name = "", ...args] = process.argv;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 18)) {
  fail(
    `Node.js ${process.versions.node} is too old: install Node.js 20.18 or newer from https://nodejs.org`,
  );
} else if (Object.hasOwn(programs, name)) {
  runProgram(programs[name] ?? "");
} else {
  await import(new URL("../cli/main.js", import.meta.url).href);
}

/** @param {string} program */
function runProgram(program) {
  const here = dirname(fileURLToPath(import.meta.url));
  // The host's own, on a platform that has no other.
  const node = findPinnedNode(dirname(here)) ?? (major >= OLDEST ? process.execPath : undefined);
  if (node === undefined) {
    return fail(
      `npm did not install Node.js for ${process.platform}-${process.arch}: install Node.js ${OLDEST} or newer from https://nodejs.org, or this package again without --omit=optional`,
    );
  }
  const variables = process.platform === "linux" ? allocation : {};
  const env = { ...variables, ...process.env };
  // A flag that was given counts, because the last one does.
  const command = [
    ...flags,
    ...process.execArgv,
    join(here, "program.mjs"),
    join(here, "..", program),
    ...args,
  ];
  // A process that can replace itself passes nothing on: signals reach the program directly.
  if (major >= OLDEST && process.execve) process.execve(node, [node, ...command], env);
  const child = spawn(node, command, { stdio: "inherit", env });
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) {
    process.on(signal, () => child.kill(signal));
  }
  // A terminal sends its own to the child too.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  onParentGone(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    // What a shell reports for a process that a signal ended.
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
  });
}

/** @param {string} sentence */
function fail(sentence) {
  process.stderr.write(`keyhearth: ${sentence}\n`);
  process.exitCode = 1;
}
