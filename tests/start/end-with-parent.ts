// Loaded before a product that the files of a test process share. No file knows that it is the last
// one, so the product ends when its input closes, which happens however the test process ends.

import { rmSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const directory = process.env.KEYHEARTH_DATA_DIR;

// Threads load this file too.
if (isMainThread && directory) {
  process.stdin.resume().once("close", () => process.kill(process.pid, "SIGTERM"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
}
