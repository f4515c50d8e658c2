// Runs one step of the setup. It prints a line at the start, the elapsed time, and a line at the end.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { onParentGone } from "./parent.mjs";

/**
 * An error that the user can do something about: one sentence, shown after the output of a program.
 */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} [output]
   */
  constructor(message, output = "") {
    super(message);
    this.output = output;
  }
}

/**
 * @typedef {object} Step
 * @property {string} label what is done, as the reader should see it
 * @property {string} command
 * @property {string[]} args
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 */

/**
 * Resolves with exit code and output. The caller decides what a failure means.
 * @param {Step} step
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run({ label, command, args, cwd, env }) {
  const started = performance.now();
  const stopProgress = showProgress(label, started);
  const { code, output } = await collect(command, args, { cwd, env });
  stopProgress();
  console.log(`  ${code === 0 ? "done" : "fail"}  ${label} (${elapsed(started)})`);
  return { code, output };
}

/**
 * The same, but silent, for quick checks.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function collect(command, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const chunks = [];
    // In a group of its own, so that what npm starts ends with it.
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: hasGroups,
    });
    running.add(child);
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => {
      running.delete(child);
      resolve({ code: 127, output: String(error.message) });
    });
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}

const hasGroups = process.platform !== "win32";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** An interrupted setup leaves nothing running: neither by Ctrl+C, nor by a signal to npm. */
export function endWithParent() {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => end(signal));
  }
  onParentGone(() => end("SIGTERM"));
}

/** @param {NodeJS.Signals} signal */
function end(signal) {
  for (const child of running) {
    try {
      if (child.pid !== undefined) process.kill(hasGroups ? -child.pid : child.pid, signal);
    } catch {
      // It has just ended.
    }
  }
  process.exit(128 + constants.signals[signal]);
}

/**
 * Shows a running clock on a terminal, and prints a line now and then to a log file.
 * @param {string} label
 * @param {number} started
 */
function showProgress(label, started) {
  if (!process.stdout.isTTY) {
    console.log(`  ....  ${label}`);
    const timer = setInterval(() => console.log(`  ....  ${label} (${elapsed(started)})`), 15_000);
    return () => clearInterval(timer);
  }
  const draw = () => process.stdout.write(`\r\x1b[2K  ....  ${label} (${elapsed(started)})`);
  draw();
  const timer = setInterval(draw, 1000);
  return () => {
    clearInterval(timer);
    process.stdout.write("\r\x1b[2K");
  };
}

/** @param {number} started */
function elapsed(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
