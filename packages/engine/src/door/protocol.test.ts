import fc from "fast-check";
import { expect, test } from "vitest";
import { type Answer, decodeFrame, type Envelope, encodeFrame, type Request } from "./protocol.ts";

type Message = Request | Answer;

const attachments = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 });

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.constant<Message>({ call: "describe" }),
  fc.constant<Message>({ kind: "unchanged" }),
  fc.record({ call: fc.constant("confirm" as const), ticket: fc.string({ unit: "grapheme" }) }),
  fc.record({ call: fc.constant("renew" as const), attachments }),
  fc.record({
    call: fc.constant("submit" as const),
    endpoint: fc.string(),
    body: fc.string({ unit: "grapheme" }),
    stamp: fc.option(fc.record({ name: fc.string(), value: fc.string() })),
    records: fc.array(fc.string()),
    attachments,
  }),
);

const batch = fc.array(fc.record({ id: fc.nat(), message }), { maxLength: 5 });

test("a batch is read as it was written", () => {
  fc.assert(
    fc.property(batch, (messages) => {
      expect(decodeFrame<Message>(encodeFrame(messages))).toEqual(messages);
    }),
  );
});

test("a frame inside a larger buffer is read, and the result does not share its memory", () => {
  const messages: Envelope<Request>[] = [
    { id: 1, message: { call: "renew", attachments: [Uint8Array.of(1, 2, 3)] } },
  ];
  const frame = encodeFrame(messages);
  const buffer = new Uint8Array(frame.length + 10);
  buffer.set(frame, 5);
  const read = decodeFrame<Request>(buffer.subarray(5, 5 + frame.length));
  buffer.fill(0);
  expect(read).toEqual(messages);
});

test("a frame that is cut short or has bytes after it is refused", () => {
  fc.assert(
    fc.property(
      batch,
      fc.nat(),
      fc.uint8Array({ minLength: 1, maxLength: 9 }),
      (messages, at, more) => {
        const frame = encodeFrame(messages);
        expect(() => decodeFrame(frame.subarray(0, at % frame.length))).toThrow();
        expect(() => decodeFrame(Uint8Array.of(...frame, ...more))).toThrow("wrong length");
      },
    ),
  );
});

test("any bytes are either a frame or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(() => decodeFrame(bytes)).toThrow();
    }),
  );
});

test("malformed batches are refused", () => {
  const texts = [
    "",
    "null",
    "{}",
    "7",
    "[null]",
    '[{"id":1,"message":{},"sizes":[-1]}]',
    '[{"id":1,"message":{},"sizes":[0.5]}]',
    '[{"id":1,"message":{},"sizes":[4]}]',
    '[{"id":1,"message":{},"sizes":[2]}]',
    '[{"id":1,"message":{},"sizes":["3"]}]',
    '[{"id":1,"message":{},"sizes":7}]',
    '[{"id":1,"message":{}}]',
  ];
  for (const text of texts) expect(() => decodeFrame(frameOf(text, [1, 2, 3]))).toThrow();
  const sized = '[{"id":1,"message":{},"sizes":[3]}]';
  expect(decodeFrame(frameOf(sized, [1, 2, 3]))).toEqual([
    { id: 1, message: { attachments: [Uint8Array.of(1, 2, 3)] } },
  ]);
});

function frameOf(json: string, blob: number[]): Uint8Array {
  const text = new TextEncoder().encode(json);
  const frame = new Uint8Array(8 + text.length + blob.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length - 4);
  view.setUint32(4, text.length);
  frame.set(text, 8);
  frame.set(blob, 8 + text.length);
  return frame;
}
