import {
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { expect, test } from "vitest";
import { assertFits, takeBatch } from "./frames.ts";

const users = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    userId: `user ${index}`,
    userName: ",".repeat(100),
    userTags: Array.from({ length: 100 }, () => ""),
  }));

const events = (count: number, each: number): Request => ({
  call: "sign-webhooks",
  events: Array.from({ length: count }, (_, index) => ({
    eventId: `${index}`,
    users: users(each),
  })),
  attachments: [new Uint8Array()],
});

function batchesOf(messages: Request[]): Envelope<Request>[][] {
  const queue = messages.map((message, id) => ({ id, message, size: assertFits(message) }));
  const batches: Envelope<Request>[][] = [];
  while (queue.length > 0) {
    batches.push(takeBatch(queue).map(({ id, message }) => ({ id, message })));
  }
  return batches;
}

test("the signer takes every frame of calls with many values, whatever their texts say", () => {
  const messages = [
    ...Array.from({ length: 30 }, () => events(2, 100)),
    ...Array.from({ length: 9000 }, () => ({ call: "describe" }) as const),
  ];
  const batches = batchesOf(messages);
  expect(batches.length).toBeGreaterThan(2);
  for (const batch of batches) expect(decodeFrame(encodeFrame(batch))).toEqual(batch);
  expect(batches.flat()).toHaveLength(messages.length);
});

test("the signer takes every frame of calls with many small records", () => {
  const attachments = Array.from({ length: 200 }, () => new Uint8Array());
  const messages = Array.from({ length: 1000 }, () => ({ call: "confirm", attachments }) as const);
  const batches = batchesOf(messages);
  expect(batches.length).toBeGreaterThan(1);
  for (const batch of batches) expect(decodeFrame(encodeFrame(batch))).toEqual(batch);
  expect(batches.flat()).toHaveLength(messages.length);
  const tooMany = Array.from({ length: 70_000 }, () => new Uint8Array());
  expect(() => assertFits({ call: "confirm", attachments: tooMany })).toThrow(
    "records that the signer takes at once",
  );
});

test("one call of more values than a frame may have is refused, and no other", () => {
  expect(() => assertFits(events(1, 100))).not.toThrow();
  expect(() => assertFits(events(30, 100))).toThrow("that the signer takes at once");
});
