import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { RateLimited } from "../errors.ts";
import type { Store } from "../store/connect.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { deleteFullRequestCounts } from "../store/request-counts.ts";
import { createSharedRateLimit, PAUSE_MS, SHARES } from "./shared-rate-limit.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

let statements = 0;
let warnings: string[] = [];
let number = 0;

beforeEach(() => {
  statements = 0;
  warnings = [];
  number += 1;
});

/** Nothing grows back within a test. */
const slow = { perSecond: 0.001, burst: 32 };
const share = 2;

const address = "203.0.113.7";

/** Limits that count together, as if each were in a process of its own. */
function newProcesses(
  count: number,
  allowance: { perSecond: number; burst?: number; capacity?: number } = slow,
  run: Store["run"] = database.store.run,
) {
  const counting: Store["run"] = (...of) => {
    statements += 1;
    return run(...of);
  };
  return Array.from({ length: count }, () => {
    const limit = createSharedRateLimit(
      { name: `test-${number}`, ...allowance },
      {
        store: { ...database.store, run: counting },
        // The text is the last argument.
        log: { warn: (...args: unknown[]) => void warnings.push(String(args.at(-1))) },
      },
    );
    onTestFinished(() => limit.stop());
    return {
      take: (of = address) => limit.take(of, Date.now()),
      left: (of = address) => Number(limit.headers(of, Date.now())["ratelimit-remaining"]),
      stop: limit.stop,
    };
  });
}

type Process = ReturnType<typeof newProcesses>[number];

/** Takes until the limit refuses. Returns how many requests were allowed. */
function takeAll({ take }: Process, of = address): number {
  for (let taken = 0; ; taken++) {
    try {
      take(of);
    } catch (error) {
      expect(error).toBeInstanceOf(RateLimited);
      return taken;
    }
  }
}

function rowsOf(name = `test-${number}`) {
  const text = "SELECT key_hash, full_at_ms FROM request_counts WHERE limit_name = $1";
  return database.store.run("", text, [name]);
}

test("what one process allowed, another one does not allow again", async () => {
  const [first, second] = newProcesses(2) as [Process, Process];
  expect(takeAll(first)).toBe(slow.burst);
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  // The second one has not heard yet. It hears when it has spent a share.
  for (let i = 0; i < share; i++) second.take();
  await expect.poll(() => second.left()).toBe(0);
  expect(takeAll(second)).toBe(0);
});

test("requests that alternate get one allowance, and at most a share more from each process", async () => {
  const processes = newProcesses(4);
  const toldMs = async () => Number((await rowsOf())[0]?.full_at_ms ?? 0);
  let allowed = 0;
  for (let turn = 0; turn < 100 && processes.some(({ left }) => left() > 0); turn++) {
    const { take, left } = processes[turn % 4] as Process;
    if (left() < share) continue;
    const before = await toldMs();
    for (let i = 0; i < share; i++) take();
    allowed += share;
    await expect.poll(toldMs).toBeGreaterThan(before);
  }
  expect(allowed).toBeGreaterThanOrEqual(slow.burst);
  expect(allowed).toBeLessThanOrEqual(slow.burst + 4 * share);
});

test("a burst at every process at once is allowed at most once by each, and must then be earned", async () => {
  // On a busy machine a report takes long, and until then a process knows of no other.
  let longestMs = 0;
  const timed = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const begunAt = performance.now();
    const result = await work();
    longestMs = Math.max(longestMs, performance.now() - begunAt);
    return result;
  };
  const allowance = { perSecond: 64, burst: 64 };
  const processes = newProcesses(3, allowance, (...of) => timed(() => database.store.run(...of)));
  const startedAt = performance.now();
  for (const process of processes) expect(takeAll(process)).toBeGreaterThanOrEqual(64);
  // All three report within a pause. Each hears of the others when it reports again.
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  let allowed = 3 * 64;
  while (performance.now() - startedAt < 2000) {
    for (const process of processes) allowed += takeAll(process);
    await timed(() => new Promise((resolve) => setTimeout(resolve, 10)));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const late = ((PAUSE_MS + longestMs) / 1000) * 64 + 64 / SHARES + 64 / 4;
  expect(allowed).toBeLessThanOrEqual(Math.max(3 * 64, 64 + seconds * 64) + 3 * late);
  expect(allowed).toBeGreaterThanOrEqual(3 * 64);
});

test("says how long a debt takes", async () => {
  const allowance = { perSecond: 1, burst: 32 };
  const [first, second] = newProcesses(2, allowance) as [Process, Process];
  takeAll(first);
  takeAll(second);
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  const retryAfter = () => {
    try {
      second.take();
      first.take();
    } catch (error) {
      return error instanceof RateLimited ? error.retryAfterSeconds : 0;
    }
    return 0;
  };
  await expect.poll(retryAfter).toBeGreaterThan(28);
  expect(retryAfter()).toBeLessThanOrEqual(34);
});

test("requests wait for no statement, and many of them share one", async () => {
  const [process] = newProcesses(1, { perSecond: 1_000_000 }) as [Process];
  const startedAt = performance.now();
  let taken = 0;
  while (performance.now() - startedAt < 500) {
    for (let i = 0; i < 2000; i++) process.take(`10.0.0.${i % 250}`);
    taken += 2000;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await process.stop();
  expect(taken).toBeGreaterThan(10_000);
  expect(statements).toBeLessThanOrEqual((performance.now() - startedAt) / PAUSE_MS + 1);
});

test("keys that are used little are not told", async () => {
  const [process] = newProcesses(1) as [Process];
  for (let i = 0; i < 1000; i++) process.take(`10.0.${i >> 8}.${i & 255}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(statements).toBe(0);
});

test("without the database each process counts alone, and tells later", async () => {
  let isDown = true;
  const [process, other] = newProcesses(2, slow, async (...of) => {
    if (isDown) throw new Error("the database is down");
    return database.store.run(...of);
  }) as [Process, Process];
  expect(takeAll(process)).toBe(slow.burst);
  await expect.poll(() => warnings).toHaveLength(1);
  expect(process.left()).toBe(0);
  expect(takeAll(process)).toBe(0);
  isDown = false;
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  for (let i = 0; i < share; i++) other.take();
  await expect.poll(() => other.left()).toBe(0);
  expect(warnings).toEqual(["processes count requests alone for the moment"]);
});

test("a database that hangs holds up nothing, and takes one connection", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const [process] = newProcesses(1, slow, () => promise) as [Process];
  expect(takeAll(process)).toBe(slow.burst);
  await expect.poll(() => statements).toBe(1);
  for (let i = 0; i < 100; i++) expect(takeAll(process, `10.0.0.${i}`)).toBe(slow.burst);
  await new Promise((resolve) => setTimeout(resolve, 2 * PAUSE_MS));
  expect(statements).toBe(1);
  reject(new Error("the connection ended"));
});

test("what was spent long ago is not charged now, however late it is reported", async () => {
  let isDown = true;
  const allowance = { perSecond: 100, burst: 100 };
  const [process] = newProcesses(1, allowance, async (...of) => {
    if (isDown) throw new Error("the database is down");
    return database.store.run(...of);
  }) as [Process];
  takeAll(process);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  isDown = false;
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  expect(process.left()).toBeGreaterThan(90);
});

test("keys and rows are bounded: the quietest keys are forgotten, full allowances are deleted", async () => {
  const [process] = newProcesses(1, { ...slow, capacity: 3 }) as [Process];
  for (let i = 0; i < 10; i++) for (let j = 0; j < share; j++) process.take(`10.0.0.${i}`);
  await expect.poll(async () => (await rowsOf()).length).toBe(3);
  const rows = await rowsOf();
  for (const { key_hash } of rows) expect(String(key_hash)).toMatch(/^[0-9a-f]{64}$/);

  await deleteFullRequestCounts(database.store, 100);
  expect(await rowsOf()).toHaveLength(3);
  const age = "UPDATE request_counts SET full_at_ms = full_at_ms - $2 WHERE limit_name = $1";
  await database.store.run("", age, [`test-${number}`, 1e9]);
  await deleteFullRequestCounts(database.store, 2);
  expect(await rowsOf()).toHaveLength(1);
  await deleteFullRequestCounts(database.store, 2);
  expect(await rowsOf()).toHaveLength(0);
});

test("limits of different names, keys and IPv6 networks count apart", async () => {
  const [first, second] = newProcesses(2) as [Process, Process];
  takeAll(first, "2001:db8:0:7::1");
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  for (let i = 0; i < share; i++) second.take("2001:db8:0:7:ffff::2");
  await expect.poll(() => second.left("2001:db8:0:7::3")).toBe(0);
  expect(takeAll(second, "2001:db8:0:8::1")).toBe(slow.burst);
  number += 1;
  const [other] = newProcesses(1) as [Process];
  expect(takeAll(other, "2001:db8:0:7::1")).toBe(slow.burst);
});

test("a debt ends after eleven refills at most, whatever a clock did", async () => {
  const [process] = newProcesses(1, { perSecond: 160, burst: 32 }) as [Process];
  for (let i = 0; i < share; i++) process.take();
  await expect.poll(async () => (await rowsOf()).length).toBe(1);
  const ahead = "UPDATE request_counts SET full_at_ms = full_at_ms + $2 WHERE limit_name = $1";
  await database.store.run("", ahead, [`test-${number}`, 3_600_000]);
  for (let i = 0; i < share; i++) process.take();
  await expect.poll(() => process.left()).toBe(0);
  await expect.poll(() => process.left()).toBeGreaterThan(0);
});
