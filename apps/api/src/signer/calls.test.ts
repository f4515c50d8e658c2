import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  decodeFrame,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
  type SignerTimes,
} from "@keyhearth/engine/core/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TryLater } from "../errors.ts";
import { inSpan, type Span } from "../observability/spans.ts";
import { type Calls, createCalls } from "./calls.ts";

const CONFIRMED: Answer = { kind: "confirmed" };
const LOST = "the connection to the signer was lost";
const SUBMISSION: Request = {
  call: "submit",
  endpoint: "sign_raw_payload",
  body: encodeUtf8("{}"),
  stamp: null,
  records: [],
  attachments: [],
};

let calls: Calls;
/** The ids of the calls in each frame that was sent. */
let frames: number[][];

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  calls = callsTo();
});

function callsTo(options?: { maxSent: number }): Calls {
  const made = createCalls((frame) => {
    frames.push(decodeFrame<Request>(frame).map(({ id }) => id));
  }, options);
  made.open();
  return made;
}

afterEach(() => {
  calls.stop();
  vi.useRealTimers();
});

/** What a call ended with: the kind of its answer, or the text of its error. */
async function callOnce(
  request: Request = { call: "describe" },
  organizationId = "",
): Promise<{ outcome: Promise<string> }> {
  const call = calls.call(request, organizationId);
  const outcome = call.then(
    ({ kind }) => kind,
    (error: Error) => error.message,
  );
  await vi.advanceTimersByTimeAsync(1);
  return { outcome };
}

/** Answers the newest frame. */
async function afterAnswer(call: Promise<Answer>): Promise<string> {
  await vi.advanceTimersByTimeAsync(1);
  answer(...(frames.at(-1) ?? []));
  return (await call).kind;
}

/** When a refused call may be tried again, or that it was sent. */
async function outcomeOf(call: Promise<Answer | string>): Promise<string> {
  const sent = vi.advanceTimersByTimeAsync(1).then(() => "sent");
  const outcome = await Promise.race([call, sent]);
  return typeof outcome === "string" ? outcome : outcome.kind;
}

function sayWhen(error: unknown): string {
  return error instanceof TryLater ? `${error.retryAfterSeconds} s` : String(error);
}

function begin(id: number, worker?: unknown) {
  const message = { kind: "begun", worker } as Extract<Answer, { kind: "begun" }>;
  calls.receive(encodeFrame([{ id, message }]));
}

function answer(...ids: number[]) {
  calls.receive(encodeFrame(ids.map((id) => ({ id, message: CONFIRMED }))));
}

test("two frames may be under way; the calls made meanwhile share the next one", async () => {
  const first = await callOnce();
  await callOnce();
  await callOnce();
  const fourth = await callOnce();
  expect(frames).toEqual([[1], [2]]);
  answer(1);
  expect(frames).toEqual([[1], [2], [3, 4]]);
  answer(2, 3, 4);
  expect(await first.outcome).toBe("confirmed");
  expect(await fourth.outcome).toBe("confirmed");
  expect(calls.depth()).toBe(0);
});

test("a signer that hung and recovered gets frames again", async () => {
  const first = await callOnce();
  const second = await callOnce();
  await vi.advanceTimersByTimeAsync(32_000);
  expect(await first.outcome).toMatch("the signer did not answer in time");
  expect(await second.outcome).toMatch("the signer did not answer in time");

  const third = await callOnce();
  answer(1, 2);
  expect(frames).toEqual([[1], [2], [3]]);
  answer(3);
  expect(await third.outcome).toBe("confirmed");
});

test("a slow call keeps nobody else from the signer", async () => {
  await callOnce();
  await callOnce();
  await callOnce();
  await vi.advanceTimersByTimeAsync(5);
  expect(frames).toEqual([[1], [2], [3]]);
});

test("a signer that hangs gets no more than it can hold", async () => {
  calls = callsTo({ maxSent: 2 });
  await callOnce();
  await callOnce();
  const third = await callOnce();
  await vi.advanceTimersByTimeAsync(32_000);
  expect(await third.outcome).toMatch("the signer did not answer in time");
  expect(frames).toEqual([[1], [2]]);

  // A call that timed out before it was sent is never sent.
  const fourth = await callOnce();
  answer(1, 2);
  expect(frames).toEqual([[1], [2], [4]]);
  answer(4);
  expect(await fourth.outcome).toBe("confirmed");
});

test("after a lost connection the next frame starts at once", async () => {
  await callOnce();
  await callOnce();
  calls.lose(LOST, null);
  calls.open();
  expect(frames).toEqual([[1], [2], [1, 2]]);
  await callOnce();
  expect(frames).toEqual([[1], [2], [1, 2], [3]]);
});

test("calls are repeated once, at the next signer", async () => {
  const first = await callOnce();
  calls.lose(LOST, null);
  await vi.advanceTimersByTimeAsync(100);
  calls.open();
  expect(frames).toEqual([[1], [1]]);
  calls.lose(LOST, null);
  expect(await first.outcome).toMatch(LOST);
});

test("without another signer the calls fail after a few seconds", async () => {
  const first = await callOnce();
  calls.lose(LOST, null);
  await vi.advanceTimersByTimeAsync(3100);
  expect(await first.outcome).toMatch(LOST);
});

test("what changes the signer's memory is not repeated", async () => {
  const confirmation = await callOnce({ call: "confirm", ticket: "one" });
  calls.lose(LOST, null);
  expect(await confirmation.outcome).toMatch(LOST);
});

test("the calls of the organization that killed the signer fail, those of others do not", async () => {
  const killer = await callOnce(SUBMISSION, "killer");
  const other = await callOnce(SUBMISSION, "other");
  calls.lose(LOST, "killer");
  expect(await killer.outcome).toMatch(LOST);
  calls.open();
  expect(frames).toEqual([[1], [2], [2]]);
  answer(2);
  expect(await other.outcome).toBe("confirmed");
});

test("an organization is refused from the second death on, each time for longer", async () => {
  const outcomes: string[] = [];
  for (let death = 0; death < 4; death++) {
    calls.lose(LOST, "killer");
    calls.open();
    outcomes.push(await outcomeOf(calls.call({ call: "describe" }, "killer").catch(sayWhen)));
    expect(await afterAnswer(calls.call({ call: "describe" }, "other"))).toBe("confirmed");
  }
  expect(outcomes).toEqual(["sent", "10 s", "40 s", "160 s"]);
  await vi.advanceTimersByTimeAsync(161_000);
  expect(await afterAnswer(calls.call({ call: "describe" }, "killer"))).toBe("confirmed");
});

test("a refused organization can still confirm what it committed", async () => {
  calls.lose(LOST, "killer");
  calls.lose(LOST, "killer");
  calls.open();
  const confirmation: Request = { call: "confirm", ticket: "one" };
  expect(await afterAnswer(calls.call(confirmation, "killer"))).toBe("confirmed");
});

test("a signer that was silent for long died of the call that it had begun", async () => {
  await callOnce(SUBMISSION, "quick");
  await callOnce(SUBMISSION, "slow");
  begin(1);
  expect(calls.suspect()).toBe(null);
  answer(1);
  begin(2);
  await vi.advanceTimersByTimeAsync(10);
  expect(calls.suspect()).toBe(null);
  await vi.advanceTimersByTimeAsync(20);
  expect(calls.suspect()).toBe("slow");
  answer(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.suspect()).toBe(null);
});

test("of calls that workers of the signer have at the same time, the one that was begun first is to blame", async () => {
  for (const organizationId of ["first", "second", "quick"]) {
    await callOnce(SUBMISSION, organizationId);
  }
  begin(1, 2);
  await vi.advanceTimersByTimeAsync(10);
  begin(2, 1);
  expect(calls.suspect()).toBe(null);
  await vi.advanceTimersByTimeAsync(30);
  // Others are answered until the end.
  answer(3);
  expect(calls.suspect()).toBe("first");
  answer(1);
  expect(calls.suspect()).toBe("second");
  // It waits for somebody else.
  begin(0, 1);
  expect(calls.suspect()).toBe(null);
  // Nobody else has so many workers, and a text is none.
  for (const worker of [9, -1, 1.5, "1"]) begin(2, worker);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.suspect()).toBe(null);
});

test("an organization whose call was answered did not kill the signer by the next one, which it has not begun", async () => {
  await callOnce(SUBMISSION, "busy");
  begin(1);
  answer(1);
  await callOnce(SUBMISSION, "busy");
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.suspect()).toBe(null);
  begin(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls.suspect()).toBe("busy");
});

test("many large calls share no frame, and one that fits no frame fails alone", async () => {
  const large = (): Request => ({ call: "renew", attachments: [new Uint8Array(20 * 1024 * 1024)] });
  const tooLarge: Request = { call: "renew", attachments: [new Uint8Array(MAX_FRAME_BYTES)] };
  const outcomes = [large(), tooLarge, large()].map((request) => calls.call(request));
  await expect(outcomes[1]).rejects.toThrow("larger than the 67108864 bytes");
  await vi.advanceTimersByTimeAsync(1);
  expect(frames).toEqual([[1], [2]]);
  answer(1, 2);
  expect(await Promise.all([outcomes[0], outcomes[2]])).toEqual([CONFIRMED, CONFIRMED]);
});

test.each([
  [[0.4, 12.5], { "keyhearth.signer.queue_ms": 0.4, "keyhearth.signer.work_ms": 12.5 }],
  [[0.4], {}],
  [[-1, 2], {}],
  [["1", 2], {}],
  [[1, 1e12], {}],
  [{ length: 2 }, {}],
  [undefined, {}],
])("the signer's times %j are noted in the call's span, or ignored", async (tookMs, expected) => {
  const noted: object[] = [];
  const span: Span = {
    ids: { traceId: "", spanId: "" },
    child: () => span,
    set: (attributes) => void noted.push(attributes),
    end() {},
  };
  const { outcome } = await inSpan(span, () => callOnce());
  const [[id = 0] = []] = frames;
  calls.receive(encodeFrame([{ id, tookMs: tookMs as SignerTimes, message: CONFIRMED }]));
  expect(await outcome).toBe("confirmed");
  expect(Object.assign({}, ...noted)).toEqual({ "keyhearth.signer.call": "describe", ...expected });
});
