// Signs for one organization, one request after the other, and reports how long each took. It runs in
// a thread of its own, so that the fuzzer's own work does not count.

import { randomBytes } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { signing, submit } from "../start/post.ts";
import type { RootKey } from "../start/process.ts";

const { url, key, signWith } = workerData as { url: string; key: RootKey; signWith: string };

for (;;) {
  const startedAt = performance.now();
  const reply = await submit({ url }, key, signing(key, signWith)).catch(() => undefined);
  // While the service restarts there is nothing to measure.
  if (reply?.status === 200) parentPort?.postMessage(performance.now() - startedAt);
  await new Promise((resolve) => setTimeout(resolve, 30 + (randomBytes(1)[0] ?? 0) / 10));
}
