// What every program that an operator starts does first, from the sources and in a bundle.

import { setFlagsFromString } from "node:v8";
import { allocation, flags } from "./allocation.mjs";
import { onParentGone } from "./parent.mjs";

/** The oldest Node.js that runs TypeScript. */
export const OLDEST = 24;

export function prepareProcess() {
  applySettings();
  // As if npm's signal had come here: the program finishes what is under way.
  onParentGone(() => process.kill(process.pid, "SIGTERM"));
}

/**
 * V8 and glibc read some settings only when a process starts, so the process replaces itself. A flag or a variable
 * that is given stays as it is.
 */
function applySettings() {
  const { platform, env, execPath, execArgv, argv, channel, execve } = process;
  const given = new Set(execArgv.map(nameOf));
  const missing = flags.filter((flag) => !given.has(nameOf(flag)));
  // A process that Node.js watches would lose its channel.
  if (channel || !execve) {
    for (const flag of missing) setFlagsFromString(flag);
    return;
  }
  const variables = platform === "linux" ? allocation : {};
  const isSet = Object.keys(variables).every((name) => env[name] !== undefined);
  if (isSet && missing.length === 0) return;
  const args = [...execArgv, ...missing, ...argv.slice(1)];
  execve(execPath, [execPath, ...args], { ...variables, ...env });
}

/**
 * V8 also accepts underscores, and a prefix that negates.
 *
 * @param {string} flag
 */
function nameOf(flag) {
  const [name = ""] = flag.replaceAll("_", "-").split("=");
  return name.replace(/^--(no-?)?/, "");
}
