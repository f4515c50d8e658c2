import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Answer, Envelope, Request } from "@keyhearth/engine/core/protocol";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Caller,
  createFairQueue,
  type FairQueue,
  type Handled,
  type Limits,
} from "./fair-queue.ts";

const SUBMISSION: Request = {
  call: "submit",
  endpoint: "sign_raw_payload",
  body: encodeUtf8("{}"),
  stamp: null,
  records: [],
  attachments: [],
};

const WAITS = encodeUtf8("waits");

/** How long the calls of each organization take. */
let costs: Record<string, number>;
let atMs: number;
let served: { organizationId: string; atMs: number }[];
let answers: Envelope<Answer>[];
let begun: string;
let turns: FairQueue;
let lastId: number;

const caller: Caller = {
  rest() {
    begun = "";
  },
  begin({ organizationId }) {
    begun = organizationId;
    served.push({ organizationId, atMs });
  },
  answer: (answer) => void answers.push(answer),
  flush: () => {},
};

beforeEach(() => {
  vi.useFakeTimers();
  costs = {};
  atMs = 0;
  served = [];
  answers = [];
  lastId = 0;
  turns = turnsWith();
});

afterEach(() => {
  turns.stop();
  vi.useRealTimers();
});

function turnsWith(requests?: Limits, confirmations?: Limits): FairQueue {
  return createFairQueue({
    handle() {
      atMs += costs[begun] ?? 0.2;
      return { kind: "unchanged" };
    },
    now: () => atMs,
    spent: () => atMs,
    limits: {
      ...(requests && { requests }),
      ...(confirmations && { documents: confirmations, tickets: confirmations }),
    },
  });
}

function add(
  organizationId: string,
  count = 1,
  request: Request = SUBMISSION,
  familyId = organizationId,
) {
  for (let i = 0; i < count; i++) {
    lastId += 1;
    turns.add({ id: lastId, organizationId, familyId, request, bytes: 1000, caller });
  }
}

/** Lets the time go on that timers and slices wait for. */
async function pass(milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed++) {
    await vi.advanceTimersByTimeAsync(1);
    atMs = Math.max(atMs + 0.01, passed);
  }
}

const order = () => served.map(({ organizationId }) => organizationId).join(" ");

const refusal = {
  kind: "error",
  error: { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" },
};

test("an organization with many calls does not make one with few wait", async () => {
  add("many", 100);
  add("few", 2);
  await pass(50);
  expect(order()).toMatch(/^many few (many )?few/);
  expect(served).toHaveLength(102);
});

test("organizations share the time, not the number of calls", async () => {
  costs = { slow: 2, quick: 0.5 };
  add("slow", 100);
  add("quick", 100);
  await pass(1);
  for (let i = 0; i < 15; i++) await vi.advanceTimersByTimeAsync(1);
  const count = (name: string) => served.filter((one) => one.organizationId === name).length;
  const ratio = count("quick") / count("slow");
  expect(served.length).toBeGreaterThan(20);
  expect(ratio).toBeGreaterThan(3);
  expect(ratio).toBeLessThan(5);
});

test("new calls are seen between slices", async () => {
  costs = { busy: 3 };
  add("busy", 50);
  await vi.advanceTimersByTimeAsync(1);
  const before = served.length;
  expect(before).toBeLessThan(5);
  add("late");
  await vi.advanceTimersByTimeAsync(1);
  expect(served[before]?.organizationId).toBe("late");
});

test("heavy calls rest for a multiple of their time while others are about", async () => {
  costs = { heavy: 50 };
  add("heavy", 20);
  add("light");
  for (let i = 0; i < 2000; i++) {
    await vi.advanceTimersByTimeAsync(1);
    atMs += 1;
    if (i % 10 === 0) add("light");
  }
  const heavyMs = served.filter((one) => one.organizationId === "heavy").length * 50;
  expect(heavyMs / atMs).toBeGreaterThan(0.1);
  expect(heavyMs / atMs).toBeLessThan(0.25);
});

test.each([
  { cpuMs: 400, wallMs: 4000, how: "a tenth of the time" },
  { cpuMs: 4000, wallMs: 4000, how: "all the time" },
])(
  "a heavy call rests for a multiple of how long others waited, if it had the processor $how",
  async ({ cpuMs, wallMs }) => {
    let spentMs = 0;
    turns = createFairQueue({
      handle() {
        const isHeavy = begun.startsWith("heavy");
        atMs += isHeavy ? wallMs : 0.5;
        spentMs += isHeavy ? cpuMs : 0.5;
        return { kind: "unchanged" };
      },
      now: () => atMs,
      spent: () => spentMs,
    });
    const wait = async (ms: number) => {
      atMs += ms;
      await vi.advanceTimersByTimeAsync(ms);
    };
    add("light");
    await wait(1);
    add("heavy", 1, SUBMISSION, "family");
    await wait(1);
    add("heavy", 1, SUBMISSION, "family");
    add("heavy sister", 1, SUBMISSION, "family");
    // 15 of the 16 seconds of its rest.
    for (let i = 0; i < 300; i++) {
      add("light");
      await wait(50);
    }
    expect(order().match(/heavy/g)).toHaveLength(1);
    for (let i = 0; i < 30; i++) {
      add("light");
      await wait(50);
    }
    expect(order().match(/heavy/g)).toHaveLength(2);
  },
);

test("a short rest after another's call does not end a longer one", async () => {
  costs = { long: 1000, short: 30 };
  add("light");
  await pass(1);
  add("long", 2);
  await pass(1);
  atMs += 10;
  add("light");
  await vi.advanceTimersByTimeAsync(1);
  add("short");
  await vi.advanceTimersByTimeAsync(1);
  for (let i = 0; i < 60; i++) {
    add("light");
    atMs += 50;
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(order().match(/long/g)).toHaveLength(1);
  expect(order()).toContain("short");
});

test("alone, an organization with heavy calls does not rest", async () => {
  costs = { heavy: 50 };
  add("heavy", 20);
  for (let i = 0; i < 40; i++) await vi.advanceTimersByTimeAsync(1);
  expect(served).toHaveLength(20);
  expect(atMs).toBe(1000);
});

test("many calls of one organization are refused, and the others are not", async () => {
  turns = turnsWith({ calls: 3, bytes: 1e6, totalCalls: 5, totalBytes: 1e6 });
  add("many", 4);
  expect(answers).toEqual([
    {
      id: 4,
      message: {
        kind: "error",
        error: expect.objectContaining({ code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" }),
      },
    },
  ]);
  // The signer is full for those who have something waiting.
  add("others", 3);
  expect(answers.map(({ id }) => id)).toEqual([4, 7]);
  add("new");
  expect(answers).toHaveLength(2);
  expect(turns.depth()).toBe(6);
});

test("many bytes of one organization are refused", async () => {
  turns = turnsWith({ calls: 100, bytes: 2500, totalCalls: 100, totalBytes: 1e6 });
  add("large", 3);
  expect(answers.map(({ id }) => id)).toEqual([3]);
});

test("requests that fill their places take none of those for confirmations", async () => {
  turns = turnsWith({ calls: 1, bytes: 1e6, totalCalls: 1, totalBytes: 1e6 });
  add("many", 2);
  add("many", 5, { call: "confirm", ticket: "one" });
  add("many", 5, { call: "confirm", attachments: [] });
  expect(answers.map(({ id }) => id)).toEqual([2]);
});

test("as many tickets can be confirmed at once as are open, and no more calls that look like it", () => {
  add("many", 4096, { call: "confirm", ticket: "0123456789abcdef-4096" });
  expect(answers).toEqual([]);
  add("many", 1, { call: "confirm", ticket: "0123456789abcdef-4097" });
  expect(answers).toMatchObject([{ id: 4097, message: refusal }]);
});

test.each<[string, Request]>([
  ["requests", SUBMISSION],
  ["confirmations of documents", { call: "confirm", attachments: [] }],
  ["confirmations of tickets", { call: "confirm", ticket: "one" }],
  ["confirmations by a text that is no ticket", { call: "confirm", ticket: "long".repeat(100) }],
  [
    "segments",
    {
      call: "attest",
      organizationId: "many",
      previous: null,
      leaves: [],
      documentVersion: 1,
      documentDigest: "",
    },
  ],
  ["renewals", { call: "renew", attachments: [] }],
  ["webhooks", { call: "sign-webhooks", events: [], attachments: [] }],
  ["descriptions", { call: "describe" }],
  ["calls that do not exist", { call: "export" } as unknown as Request],
])(
  "too many %s are refused: of one organization, of all, and of the host itself",
  async (_name, request) => {
    const limits = { calls: 3, bytes: 1e6, totalCalls: 5, totalBytes: 1e6 };
    for (const organizationId of ["many", ""]) {
      turns.stop();
      answers = [];
      lastId = 0;
      turns = turnsWith(limits, limits);
      add(organizationId, 4, request);
      expect(answers).toMatchObject([{ id: 4, message: refusal }]);
      add("others", 3, request);
      // Those who have nothing waiting get a place until twice as many wait.
      for (let i = 0; i < 5; i++) add(`another ${i}`, 1, request);
      expect(answers.map(({ id }) => id)).toEqual([4, 7]);
      add("the last", 1, request);
      expect(answers.map(({ id }) => id)).toEqual([4, 7, 13]);
      await pass(50);
      expect(turns.depth()).toBe(0);
      // Each place is free again.
      add(organizationId, 3, request);
      expect(answers).toHaveLength(13);
    }
  },
);

test("many bytes are refused, whatever they ask for", () => {
  const limits = { calls: 100, bytes: 2500, totalCalls: 100, totalBytes: 4500 };
  turns = turnsWith(limits, limits);
  const requests: Request[] = [{ call: "describe" }, { call: "confirm", attachments: [] }];
  for (const request of requests) {
    answers = [];
    add("large", 3, request);
    add("others", 3, request);
    expect(answers).toHaveLength(2);
    add("another", 1, request);
    expect(answers).toHaveLength(2);
  }
});

test("calls that wait for others hold up nobody, also not their organization, however many they are", async () => {
  const waits: ((resume: () => Answer) => void)[] = [];
  turns = createFairQueue({
    handle(request) {
      atMs += 0.2;
      if (request.call !== "submit" || request.body !== WAITS) return { kind: "unchanged" };
      return { kind: "waiting", work: new Promise((resolve) => waits.push(resolve)) };
    },
    now: () => atMs,
    spent: () => atMs,
  });
  add("one", 256, { ...SUBMISSION, body: WAITS });
  add("one");
  add("two");
  await pass(100);
  expect(waits).toHaveLength(256);
  expect(answers.map(({ id }) => id).toSorted()).toEqual([257, 258]);
  for (const resolve of waits) resolve(() => ({ kind: "unchanged" }));
  await pass(100);
  expect(answers).toHaveLength(258);
});

test("a call that waits for something pauses its organization, and nobody else", async () => {
  const waits: ((resume: () => Answer) => void)[] = [];
  turns = createFairQueue({
    handle(request) {
      atMs += 0.2;
      if (request.call !== "submit" || request.body !== WAITS) return { kind: "unchanged" };
      return new Promise((resolve) => waits.push(resolve));
    },
    now: () => atMs,
    spent: () => atMs,
  });
  const answered: string[] = [];
  const addNamed = (name: string, organizationId: string, request: Request = SUBMISSION) =>
    turns.add({
      id: 0,
      organizationId,
      familyId: organizationId,
      request,
      bytes: 1000,
      caller: { ...caller, answer: () => void answered.push(name) },
    });
  addNamed("first", "one", { ...SUBMISSION, body: WAITS });
  addNamed("second", "one");
  addNamed("of another", "two");
  addNamed("confirmation", "one", { call: "confirm", ticket: "t" });
  await pass(20);
  expect(answered.toSorted()).toEqual(["confirmation", "of another"]);
  for (const resolve of waits) resolve(() => ({ kind: "unchanged" }));
  await pass(20);
  expect(answered.slice(2)).toEqual(["first", "second"]);
});

test("a call whose waiting took this thread long rests like any heavy call", async () => {
  turns = createFairQueue({
    handle() {
      if (begun !== "heavy") return { kind: "unchanged" };
      return Promise.resolve().then(() => {
        atMs += 50;
        return () => ({ kind: "unchanged" as const });
      });
    },
    now: () => atMs,
    spent: () => atMs,
  });
  add("heavy", 20);
  add("light");
  for (let i = 0; i < 2000; i++) {
    await vi.advanceTimersByTimeAsync(1);
    atMs += 1;
    if (i % 10 === 0) add("light");
  }
  // Each call is served twice: before it waits, and after.
  const heavyMs = (served.filter((one) => one.organizationId === "heavy").length * 50) / 2;
  expect(heavyMs / atMs).toBeGreaterThan(0.1);
  expect(heavyMs / atMs).toBeLessThan(0.25);
});

test("what a call waits for may fail, and its answer is an error", async () => {
  turns = createFairQueue({
    handle: () => Promise.reject(new Error("no library")),
    now: () => atMs,
    spent: () => atMs,
  });
  add("one");
  await pass(5);
  expect(answers).toEqual([
    {
      id: 1,
      tookMs: [0, 0],
      message: { kind: "error", error: expect.objectContaining({ code: "INTERNAL" }) },
    },
  ]);
});

test("an answer says how long its call waited for its turn, and how long it took", async () => {
  costs = { one: 3.12, other: 0.26 };
  add("one");
  add("other");
  await pass(10);
  expect(answers.map(({ tookMs }) => tookMs)).toEqual([
    [0, 3.1],
    [3.1, 0.3],
  ]);
});

test("nothing goes on after the turns were stopped", async () => {
  let goOn: (resume: () => Answer) => void = () => {};
  turns = createFairQueue({
    handle: () =>
      new Promise((resolve) => {
        goOn = resolve;
      }),
    now: () => atMs,
    spent: () => atMs,
  });
  add("one");
  await pass(5);
  turns.stop();
  goOn(() => ({ kind: "unchanged" }));
  await pass(5);
  expect(answers).toEqual([]);
});

test("many organizations of a family have no more turns than one, and no more places", async () => {
  for (let i = 0; i < 60; i++) {
    costs[`sub ${i}`] = 50;
    add(`sub ${i}`, 1, SUBMISSION, "family");
  }
  add("other");
  await pass(20);
  expect(order()).toMatch(/^sub 0 other/);
  for (let i = 0; i < 5; i++) {
    const before = served.length;
    add("other");
    await pass(atMs + 30);
    // At most one heavy call is under way, and the family rests after it, organizations without a call too.
    const since = served.slice(before).map(({ organizationId }) => organizationId);
    expect(since.indexOf("other")).toBeLessThanOrEqual(1);
  }
});

test("a family that waits with one organization gets no place for another while the signer is full", async () => {
  turns.stop();
  turns = turnsWith({ calls: 10, bytes: 1e9, totalCalls: 3, totalBytes: 1e9 });
  for (const name of ["a", "b", "c", "d"]) add(name, 1, SUBMISSION, "family");
  add("other");
  expect(answers.map(({ id }) => id)).toEqual([4]);
  await pass(50);
  expect(order()).toContain("other");
});

test("the question whether the signer is ready is answered before what heavy families ask for", async () => {
  costs.heavy = 50;
  add("heavy", 3);
  add("", 1, { call: "describe" });
  await pass(20);
  expect(answers[1]?.id).toBe(lastId);
});

describe("calls of several workers", () => {
  /** What each worker has, in order, and how it says that it is done. */
  let given: Map<number, { organizationId: string; done: (tookMs?: number) => void }[]>;
  let announced: string[];

  const watching: Caller = {
    ...caller,
    begin: ({ organizationId }, worker) => void announced.push(`${organizationId} at ${worker}`),
    rest: (worker) => void announced.push(`rest at ${worker}`),
  };

  beforeEach(() => {
    given = new Map([
      [1, []],
      [2, []],
    ]);
    announced = [];
    turns.stop();
    turns = createFairQueue({
      workers: 2,
      // The name ends with the worker.
      workerFor: ({ call }, organizationId) =>
        call === "confirm" ? 0 : Number(organizationId.at(-1)),
      handle({ call }, { organizationId }): Handled {
        if (call === "confirm") return { kind: "confirmed" };
        const { promise, resolve } = Promise.withResolvers<number>();
        const done = (tookMs = 0.2) => resolve(tookMs);
        given.get(Number(organizationId.at(-1)))?.push({ organizationId, done });
        const work = promise.then((tookMs) => ({
          tookMs,
          handled: { kind: "unchanged" } as const,
        }));
        return { kind: "elsewhere", work };
      },
      now: () => atMs,
      spent: () => atMs,
      limits: { requests: { calls: 4, bytes: 1e6, totalCalls: 6, totalBytes: 1e6 } },
    });
  });

  const at = (worker: number) => given.get(worker)?.map(({ organizationId }) => organizationId);

  async function finish(worker: number, tookMs?: number) {
    given.get(worker)?.shift()?.done(tookMs);
    await pass(2);
  }

  function ask(organizationId: string, familyId = organizationId) {
    lastId += 1;
    const call = { id: lastId, organizationId, familyId, request: SUBMISSION, bytes: 1000 };
    turns.add({ ...call, caller: watching });
  }

  test("are with all workers at once, and each has about a slice of them", async () => {
    for (const name of ["a1", "a1", "b2"]) ask(name);
    await pass(2);
    expect([at(1), at(2)]).toEqual([["a1", "a1"], ["b2"]]);
    expect(answers).toEqual([]);
    await finish(1, 3);
    // The one that waits there may take as long, so a third one would wait for too long.
    for (const _ of [1, 2]) ask("a1");
    await pass(2);
    expect(at(1)).toEqual(["a1", "a1"]);
    expect(answers.map(({ id }) => id)).toEqual([1]);
  });

  test("that take longer than a slice are with a worker one by one", async () => {
    ask("a1");
    await pass(2);
    await finish(1, 10);
    for (const _ of [1, 2]) ask("a1");
    ask("c1");
    await pass(2);
    expect(at(1)).toHaveLength(2);
    expect(at(1)?.at(0)).toBe("c1");
    await finish(1);
    expect(at(1)).toEqual(["a1"]);
  });

  test("of one family count together, whichever worker has them", async () => {
    ask("child1", "family");
    await pass(2);
    await finish(1, 20);
    // Both wait behind another call.
    ask("busy2");
    await pass(2);
    ask("child2", "family");
    ask("other2");
    await pass(2);
    await finish(2);
    expect(at(2)?.at(0)).toBe("other2");
  });

  test("share the places of one signer", async () => {
    for (const name of ["a1", "b2", "a1", "b2", "a1", "b2"]) ask(name);
    ask("a1");
    ask("b2");
    await pass(2);
    expect(answers.map(({ message }) => message)).toMatchObject([refusal, refusal]);
  });

  test("that are heavy rest at their own worker, and others go on at each", async () => {
    ask("light1");
    await pass(2);
    await finish(1);
    ask("heavy1");
    await pass(2);
    atMs += 50;
    await finish(1, 50);
    ask("heavy1");
    ask("heavy2", "other");
    await pass(2);
    expect([at(1), at(2)]).toEqual([[], ["heavy2"]]);
    ask("light1");
    await pass(2);
    expect(at(1)).toEqual(["light1"]);
  });

  test("are confirmed while a worker is busy", async () => {
    ask("a1");
    await pass(2);
    add("a1", 1, { call: "confirm", ticket: "1" });
    await pass(2);
    expect(answers).toEqual([expect.objectContaining({ message: { kind: "confirmed" } })]);
  });

  test("that take long are announced with their worker, and others are not", async () => {
    ask("quick1");
    await pass(2);
    await finish(1);
    ask("long2");
    await pass(40);
    expect(announced).toEqual(["long2 at 2"]);
    await finish(2, 20);
    expect(announced).toEqual(["long2 at 2", "rest at 2"]);
  });

  test("that wait behind a long one at their worker are not announced", async () => {
    for (const name of ["long2", "next2", "last2"]) ask(name);
    await pass(40);
    expect(at(2)).toEqual(["long2", "next2", "last2"]);
    expect(announced).toEqual(["long2 at 2"]);
    await finish(2);
    expect(announced).toEqual(["long2 at 2", "rest at 2"]);
    atMs += 20;
    await pass(20);
    expect(announced.slice(2)).toEqual(["next2 at 2"]);
  });
});
