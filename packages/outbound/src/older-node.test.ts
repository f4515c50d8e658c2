import { afterEach, expect, test } from "vitest";
import { deferred } from "./deferred.ts";
import { threadMs } from "./thread-time.ts";

const { threadCpuUsage } = process;
afterEach(() => void Object.assign(process, { threadCpuUsage }));

test("a deferred promise is settled from outside, and only once", async () => {
  const first = deferred<number>();
  first.resolve(1);
  first.resolve(2);
  first.reject(new Error("late"));
  expect(await first.promise).toBe(1);
  const second = deferred<number>();
  second.reject(new Error("refused"));
  await expect(second.promise).rejects.toThrow("refused");
});

test("the time of a thread grows with its work, also where only that of the process is known", () => {
  for (const isOld of [false, true]) {
    if (isOld) Object.assign(process, { threadCpuUsage: undefined });
    const before = threadMs();
    const until = performance.now() + 50;
    while (performance.now() < until) JSON.parse("[1]");
    expect(threadMs() - before).toBeGreaterThan(1);
  }
});
