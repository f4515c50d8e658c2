import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";

setFlagsFromString("--expose-gc");
// The flag defines it in new contexts.
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Bytes of heap that a value takes, as the mean of `count` that `make` returns. The median of three
 * measurements, since V8 may free something else in between, such as code that no longer runs.
 */
export function measureHeap(make: () => unknown, count = 8): number {
  make();
  const measured = [1, 2, 3].map(() => measureOnce(make, count));
  return measured.sort((a, b) => a - b)[1] as number; // of three
}

function measureOnce(make: () => unknown, count: number): number {
  const kept: unknown[] = [];
  const before = heapUsed();
  for (let index = 0; index < count; index++) kept.push(make());
  const after = heapUsed();
  // Reading it keeps the values until here.
  return (after - before) / kept.length;
}

export function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What a program of measurements posts. A thread has a small heap, so each collection takes milliseconds. */
export async function resultOfThread<T>(program: URL): Promise<T> {
  const thread = new Worker(program);
  const [result] = await once(thread, "message");
  await thread.terminate();
  // The caller names the type that the program exports.
  return result as T;
}
