import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { expect, test } from "vitest";
import type { Call, FairQueue } from "../turns/fair-queue.ts";
import { serveConnection } from "./serve.ts";

function open() {
  const calls: Call[] = [];
  const answers: Envelope<Answer>[] = [];
  const turns: FairQueue = { add: (call) => void calls.push(call), depth: () => 0, stop() {} };
  const send = (frame: Uint8Array) => void answers.push(...decodeFrame<Answer>(frame));
  return { calls, answers, connection: serveConnection(turns, send, { begin() {}, rest() {} }) };
}

/** What the signer thinks that it holds for a call. */
function chargeOf(message: object, hints: object = {}): number {
  const { calls, connection } = open();
  connection.receive(encodeFrame([{ id: 1, ...hints, message: message as Request }]));
  return calls[0]?.bytes ?? 0;
}

test("a call is charged for the names of its members and for each attachment, even an empty one", () => {
  const plain = chargeOf({ call: "renew", attachments: [] });
  const name = "n".repeat(100_000);
  expect(chargeOf({ call: "renew", attachments: [], [name]: 1 }) - plain).toBeGreaterThan(200_000);
  const many = Array.from({ length: 1000 }, () => new Uint8Array());
  expect(chargeOf({ call: "renew", attachments: many }) - plain).toBeGreaterThan(200_000);
});

test("a hint that is too long to name an organization is none, so nothing of it is kept", () => {
  const hint = "0".repeat(36);
  for (const [given, kept] of [
    [hint, hint],
    [`${hint}0`, ""],
    ["x".repeat(1_000_000), ""],
  ]) {
    const { calls, connection } = open();
    const frame = [
      { id: 1, organizationId: given, familyId: given, message: { call: "describe" } },
    ];
    connection.receive(encodeFrame(frame as Envelope<Request>[]));
    expect(calls).toMatchObject([{ organizationId: kept, familyId: kept }]);
  }
});

test("an answer that cannot be written is an error, and those beside it are sent", () => {
  const { calls, answers, connection } = open();
  const messages = [1, 2, 3].map((id) => ({ id, message: { call: "describe" } as Request }));
  connection.receive(encodeFrame(messages));
  let deep: unknown = [];
  for (let i = 0; i < 10_000; i++) deep = [deep];
  const given: Answer[] = [
    { kind: "confirmed" },
    { kind: "need", digests: deep as string[] },
    { kind: "need", digests: ["a"] },
  ];
  for (const [i, { id, caller }] of calls.entries()) {
    caller.answer({ id, message: given[i] as Answer });
  }
  calls[0]?.caller.flush();
  expect(answers).toMatchObject([
    { id: 1, message: given[0] },
    { id: 2, message: { kind: "error", error: { code: "INTERNAL" } } },
    { id: 3, message: given[2] },
  ]);
});

test("a body of a few bytes does not keep the chunk in which it came", () => {
  const { calls, connection } = open();
  const message = { call: "submit", body: encodeUtf8("{}"), records: [], attachments: [] };
  const frame = encodeFrame([{ id: 1, message: message as unknown as Request }]);
  connection.receive(Buffer.concat([frame, Buffer.alloc(60_000)]).subarray(0, frame.length));
  const [call] = calls;
  if (call?.request.call !== "submit") throw new Error("no submission");
  expect(call.request.body.buffer.byteLength).toBe(2);
});
