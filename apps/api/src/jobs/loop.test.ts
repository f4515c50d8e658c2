import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { type Job, startLoop } from "./loop.ts";

const HOUR_MS = 60 * 60 * 1000;

function startCounted(job: Partial<Job> = {}) {
  const counted = { rounds: 0, failures: [] as unknown[] };
  const loop = startLoop({
    everyMs: HOUR_MS,
    firstMs: 0,
    round: async () => (++counted.rounds < 3 ? "again" : "idle"),
    logFailure: (error) => counted.failures.push(error),
    ...job,
  });
  return { counted, loop };
}

test("rounds follow each other while there is more, and then wait for a wake", async () => {
  const { counted, loop } = startCounted();
  await vi.waitFor(() => expect(counted.rounds).toBe(3));
  await wait(20);
  expect(counted.rounds).toBe(3);
  loop.wake();
  await vi.waitFor(() => expect(counted.rounds).toBe(4));
  await loop.stop();
  loop.wake();
  await wait(5);
  expect(counted.rounds).toBe(4);
});

test("a wake during a round is not lost", async () => {
  let rounds = 0;
  const { loop } = startCounted({
    async round() {
      rounds += 1;
      await wait(5);
      return "idle";
    },
  });
  await wait(0);
  loop.wake();
  await vi.waitFor(() => expect(rounds).toBe(2));
  await loop.stop();
});

test("several wakes are served by one round, and a wake does not end a rest", async () => {
  let rounds = 0;
  const { loop } = startCounted({
    gatherMs: 30,
    async round() {
      rounds += 1;
      await wait(rounds === 2 ? 100 : 1);
      return rounds === 2 ? "rest" : "idle";
    },
  });
  await vi.waitFor(() => expect(rounds).toBe(1));
  await wait(10);
  for (let i = 0; i < 5; i++) loop.wake();
  await vi.waitFor(() => expect(rounds).toBe(2));
  await wait(150);
  loop.wake();
  await wait(30);
  expect(rounds).toBe(2);
  await vi.waitFor(() => expect(rounds).toBe(3), { timeout: 5000 });
  await loop.stop();
});

test("a failure is logged once until a round succeeds, and failing rounds come less often", async () => {
  let rounds = 0;
  let isFailing = true;
  const failure = new Error("the database is down");
  const { counted, loop } = startCounted({
    everyMs: 10,
    async round() {
      rounds += 1;
      if (isFailing) throw failure;
      return "idle";
    },
  });
  await vi.waitFor(() => expect(rounds).toBe(4));
  expect(counted.failures).toEqual([failure]);
  isFailing = false;
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(6));
  isFailing = true;
  await vi.waitFor(() => expect(counted.failures).toEqual([failure, failure]));
  await loop.stop();
});

test("stop waits for the current round and for no pause", async () => {
  let isDone = false;
  const { loop } = startCounted({
    async round() {
      await wait(20);
      isDone = true;
      return "idle";
    },
  });
  await loop.stop();
  expect(isDone).toBe(true);
  const { counted, loop: waiting } = startCounted({ firstMs: HOUR_MS });
  await waiting.stop();
  expect(counted.rounds).toBe(0);
});
