import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { remembering, whenIdle } from "./prefetch.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("each argument is computed once", () => {
  const compute = vi.fn((text: string) => text.length);
  const lengthOf = remembering(compute);
  expect([lengthOf("abc"), lengthOf("a"), lengthOf("abc")]).toEqual([3, 1, 3]);
  expect(compute.mock.calls).toEqual([["abc"], ["a"]]);
});

test("work is done when the browser is idle, in order, for one argument at a time", () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (work: () => void) => idle.push(work));
  const done: string[] = [];
  const work = whenIdle((argument) => done.push(argument));
  for (const argument of ["a", "b", "c"]) work(argument);
  expect(done).toEqual([]);
  for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
    expect(idle).toHaveLength(1);
    idle.shift()?.();
    expect(done).toEqual(expected);
  }
  expect(idle).toHaveLength(0);
  work("d");
  expect(idle).toHaveLength(1);
});

test("work that is asked for meanwhile is scheduled once", () => {
  const done: string[] = [];
  const work = whenIdle((argument) => {
    done.push(argument);
    if (argument === "a") work("b");
  });
  work("a");
  vi.runAllTimers();
  expect(done).toEqual(["a", "b"]);
});

test("a failure does not keep the rest from being done", () => {
  const done: string[] = [];
  const work = whenIdle((argument) => {
    if (argument === "a") throw new Error("no such page");
    done.push(argument);
  });
  work("a");
  work("b");
  expect(() => vi.runAllTimers()).toThrow("no such page");
  vi.runAllTimers();
  expect(done).toEqual(["b"]);
});
