import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// The flag defines it in new contexts.
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of heap that a value takes, as the mean of several that `make` returns. */
export function measureHeap(make: () => unknown, count = 8): number {
  make();
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
