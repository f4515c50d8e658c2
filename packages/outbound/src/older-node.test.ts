import { afterEach, expect, test, vi } from "vitest";
import { deferred } from "./deferred.ts";
import { threadMs } from "./thread-time.ts";

afterEach(() => vi.restoreAllMocks());

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
    if (isOld) vi.spyOn(process, "threadCpuUsage", "get").mockReturnValue(undefined as never);
    const before = threadMs();
    const until = performance.now() + 50;
    while (performance.now() < until) JSON.parse("[1]");
    expect(threadMs() - before).toBeGreaterThan(1);
  }
});
