import {
  type Answer,
  decodeFrame,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/door/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Calls, createCalls } from "./calls.ts";

const CONFIRMED: Answer = { kind: "confirmed" };

let calls: Calls;
/** The ids of the calls in each frame that was sent. */
let frames: number[][];

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  calls = createCalls((frame) => {
    frames.push(decodeFrame<Request>(frame).map(({ id }) => id));
  });
});

afterEach(() => {
  calls.stop();
  vi.useRealTimers();
});

/** What a call ended with: the kind of its answer, or the text of its error. */
async function callOnce(): Promise<{ outcome: Promise<string> }> {
  const call = calls.call({ call: "describe" });
  const outcome = call.then(
    ({ kind }) => kind,
    (error: Error) => error.message,
  );
  await vi.advanceTimersByTimeAsync(1);
  return { outcome };
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

test("a call that times out before it is sent is never sent", async () => {
  await callOnce();
  await callOnce();
  const third = await callOnce();
  await vi.advanceTimersByTimeAsync(32_000);
  expect(await third.outcome).toMatch("the signer did not answer in time");

  const fourth = await callOnce();
  answer(1, 2);
  expect(frames).toEqual([[1], [2], [4]]);
  answer(4);
  expect(await fourth.outcome).toBe("confirmed");
});

test("a lost connection ends every call, and the next frame starts at once", async () => {
  const first = await callOnce();
  await callOnce();
  calls.fail("the connection to the signer was lost");
  expect(await first.outcome).toMatch("the connection to the signer was lost");

  await callOnce();
  expect(frames).toEqual([[1], [2], [3]]);
  // Answers of the old connection free no room for a third frame.
  answer(1, 2);
  await callOnce();
  await callOnce();
  expect(frames).toEqual([[1], [2], [3], [4]]);
});
