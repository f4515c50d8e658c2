// `keyhearth-ready URL` of an image, for health checks: succeeds if the URL answers with success. `unix:PATH` succeeds if
// the socket takes a connection.

import { connect } from "node:net";

const WAIT_MS = 5000;
const [, , target = ""] = process.argv;

const problem = target.startsWith("unix:")
  ? await connectTo(target.slice("unix:".length))
  : await ask(target);
if (problem !== null) {
  process.stderr.write(`keyhearth-ready: ${target} is not ready: ${problem}\n`);
  process.exitCode = 1;
}

/** @param {string} path */
function connectTo(path) {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (/** @type {string | null} */ outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(WAIT_MS, () => end("no answer"));
    socket.on("connect", () => end(null));
    socket.on("error", (error) => end(error.message));
  });
}

/** @param {string} url */
async function ask(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) });
    return answer.ok ? null : await answer.text();
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error);
    return cause instanceof Error ? cause.message : message;
  }
}
