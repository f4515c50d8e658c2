import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Asks, QueryJob } from "./messages.ts";
import { CACHES, createReader, type Reader, type ReaderOptions } from "./reader.ts";

const entry = new URL("../reader-thread.testing.ts", import.meta.url);

let reader: Reader;
/** The families in the order in which they were answered. */
let answered: string[];

beforeEach(() => {
  answered = [];
});

afterEach(() => reader.stop());

function open(options: ReaderOptions = {}) {
  reader = createReader({ entry, atOnce: 1, ...options });
}

const user = { userId: "ada" } as QueryJob["caller"]["user"];

function jobOf(name: string, request: unknown): QueryJob {
  const document = { organizationId: "o", version: 1, digest: "", bytes: new Uint8Array() };
  const caller = { organizationId: "o", organizationName: "o", user };
  return { kind: "query", name, request, document, caller, nowMs: 0 };
}

function asksWith(read: Asks["read"]): Asks {
  const never = () => Promise.reject(new Error("nobody asks for this"));
  return {
    read,
    withResult: never,
    receiptKey: never,
    identityOf: never,
    shownPending: never,
    warn: never,
  };
}

const noRows = asksWith(async () => []);

async function run(family: string, name: string, request: unknown = null, asks = noRows) {
  const answer: unknown = await reader.run(family, jobOf(name, request), asks);
  answered.push(family);
  return answer;
}

const tooMuch = { code: "RESOURCE_EXHAUSTED", reason: "LIMIT_EXCEEDED" };

test("the caches of the threads of all workers together are those of one", async () => {
  const boundsOf = async (workers: number) => {
    open({ workers });
    const bounds = (await run("family", "bounds")) as typeof CACHES;
    await reader.stop();
    return Object.values(bounds);
  };
  const [alone, ofFour] = [await boundsOf(1), await boundsOf(4)];
  expect(alone).toEqual(Object.values(CACHES));
  expect(ofFour.map(({ max }) => 4 * max)).toEqual(alone.map(({ max }) => max));
});

test("the family whose answers took the least lately is served next", async () => {
  open();
  await run("busy", "take", 500);
  await run("other", "take", 5);
  const all = [1, 2, 3].flatMap(() => [run("busy", "take", 500), run("other", "take", 5)]);
  await Promise.all(all);
  expect(answered.slice(2)).toEqual(["busy", "other", "other", "other", "busy", "busy"]);
});

test("what an answer took counts whole when it ends, however long it was under way", async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  try {
    open();
    const slow = run("busy", "take", 500);
    nowMs += 10_000;
    await slow;
    await run("other", "take", 100);
    const all = ["first", "busy", "other"].map((family) => run(family, "take", 1));
    await Promise.all(all);
  } finally {
    clock.mockRestore();
  }
  expect(answered.slice(2)).toEqual(["first", "other", "busy"]);
});

test("a family has one answer under way, and the others' are made beside it", async () => {
  open({ atOnce: 4, mostMs: 1000 });
  const hanging = [1, 2].map(() => run("busy", "hang"));
  const refused = Promise.allSettled(hanging);
  await Promise.all(["a", "b", "c", "d"].map((family) => run(family, "take", 1)));
  expect(answered).toEqual(["a", "b", "c", "d"]);
  expect(reader.depth()).toBe(2);
  expect((await refused).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
}, 15_000);

test("an answer that takes too long is given up, and those beside it are made again", async () => {
  open({ atOnce: 2, mostMs: 2000 });
  const hanging = expect(run("busy", "hang")).rejects.toMatchObject(tooMuch);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // Under way when the thread ends: its rows come later.
  let reads = 0;
  const slow = asksWith(async () => {
    reads += 1;
    if (reads === 1) await new Promise(() => {});
    return [{ one: 1 }];
  });
  const other = run("other", "ask", null, slow);
  await hanging;
  expect(await other).toEqual([{ one: 1 }]);
  expect(reads).toBe(2);
}, 15_000);

test("what ends the thread twice is refused, and the others are answered by the next one", async () => {
  open();
  const killer = expect(run("busy", "die")).rejects.toMatchObject(tooMuch);
  const others = [1, 2].map(() => run("other", "take", 1));
  await killer;
  expect(await Promise.all(others)).toEqual(["taken", "taken"]);
}, 15_000);

test("an error of what the answer needs arrives as it was thrown", async () => {
  open();
  const error = Object.assign(new Error("Connection terminated"), { code: "57P01" });
  const failing = asksWith(() => Promise.reject(error));
  await expect(run("one", "ask", null, failing)).rejects.toBe(error);
});

test("bytes arrive whole, also if they are a part of a larger buffer", async () => {
  open();
  const record = Buffer.from("abcdefgh").subarray(2, 5);
  const rows = asksWith(async () => [{ record, whole: new Uint8Array([1, 2]), size: 3 }]);
  expect(await run("one", "ask", null, rows)).toEqual([
    { record: new Uint8Array([99, 100, 101]), whole: new Uint8Array([1, 2]), size: 3 },
  ]);
});

test("the thread ends when nobody needs it, and another one starts for the next answer", async () => {
  open({ idleMs: 20 });
  expect(await run("one", "take", 1)).toBe("taken");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await run("one", "take", 1)).toBe("taken");
});
