import { concatBytes, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTestCore, documentWith, newPerson, userOf } from "./core.testing.ts";
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
    body: fc.uint8Array({ maxLength: 50 }),
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
    { id: 2, message: submission(encodeUtf8("{}")) },
  ];
  const frame = encodeFrame(messages);
  const buffer = new Uint8Array(frame.length + 10);
  buffer.set(frame, 5);
  const read = decodeFrame<Request>(buffer.subarray(5, 5 + frame.length));
  buffer.fill(0);
  expect(read).toEqual(messages);
});

test("a frame of very many empty attachments is refused before it takes memory", () => {
  const attachments = Array.from({ length: 70_000 }, () => new Uint8Array());
  const frame = encodeFrame([{ id: 1, message: { call: "renew", attachments } }]);
  expect(() => decodeFrame(frame)).toThrow("too many bodies and attachments");
});

test("a frame of very many values or calls is refused before it takes memory", () => {
  for (const values of ["[],".repeat(300_000), "{},".repeat(300_000), "[".repeat(300_000)]) {
    const frame = frameOf(`[{"id":1,"message":{"call":"describe","more":[${values}0]}}]`, []);
    expect(() => decodeFrame(frame)).toThrow("too many values");
  }
  const names = Array.from({ length: 140_000 }, (_, index) => `"${index}":0`);
  const named = frameOf(`[{"id":1,"message":{"call":"describe",${names.join()}}}]`, []);
  expect(() => decodeFrame(named)).toThrow("too many values");
  const calls = Array.from({ length: 8193 }, (_, id) => ({
    id,
    message: { call: "describe" } as const,
  }));
  expect(() => decodeFrame(encodeFrame(calls))).toThrow("too many calls");
  expect(decodeFrame(encodeFrame(calls.slice(1)))).toHaveLength(8192);
});

test("what a text has is no value, however it is written", () => {
  const ticket = ',[{:"\\'.repeat(100_000);
  const messages: Envelope<Request>[] = [
    { id: 1, message: { call: "confirm", ticket } },
    { id: 2, message: { call: "confirm", ticket: `${ticket}\\` } },
  ];
  expect(decodeFrame<Request>(encodeFrame(messages))).toEqual(messages);
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
    '[{"id":1,"message":{"attachments":[]},"sizes":[3]}]',
    '[{"id":1,"message":{},"bodySize":-1}]',
    '[{"id":1,"message":{},"bodySize":0.5}]',
    '[{"id":1,"message":{},"bodySize":4}]',
    '[{"id":1,"message":{},"bodySize":2}]',
    '[{"id":1,"message":{},"bodySize":"3"}]',
    '[{"id":1,"message":{},"bodySize":null}]',
    '[{"id":1,"message":{},"bodySize":[3]}]',
    '[{"id":1,"message":{},"bodySize":3,"sizes":[3]}]',
    '[{"id":1,"message":{"body":"{}"},"bodySize":3}]',
    '[{"id":1,"message":{"body":"{}"},"sizes":[3]}]',
  ];
  for (const text of texts) expect(() => decodeFrame(frameOf(text, [1, 2, 3]))).toThrow();
  const sized = '[{"id":1,"message":{},"sizes":[3]}]';
  expect(decodeFrame(frameOf(sized, [1, 2, 3]))).toEqual([
    { id: 1, message: { attachments: [Uint8Array.of(1, 2, 3)] } },
  ]);
});

test("a body is bytes of the frame, before the attachments, and no part of its JSON", () => {
  const body = encodeUtf8('{"note":"\u00fc"}');
  const message = { ...submission(body), attachments: [Uint8Array.of(1), Uint8Array.of(2)] };
  const frame = encodeFrame([{ id: 1, message }]);
  expect(frame.subarray(frame.length - body.length - 2)).toEqual(
    concatBytes(body, Uint8Array.of(1, 2)),
  );
  const json = JSON.parse(Buffer.from(frame.subarray(8, -body.length - 2)).toString());
  expect(json).toMatchObject([{ bodySize: body.length, sizes: [1, 1] }]);
  expect(json[0].message).not.toHaveProperty("body");
  // It would mean something else than the bytes that are stamped.
  const inJson = '[{"id":1,"message":{"call":"submit","body":"{}"}}]';
  expect(() => decodeFrame(frameOf(inJson, []))).toThrow("a body in its JSON");
});

test("the core refuses a body that is no text, and a submission without a body", () => {
  const core = createTestCore();
  const ada = newPerson();
  const document = core.notarized(
    documentWith({
      users: [userOf(ada)],
      rootQuorum: { threshold: 1, userIds: [ada.userId] },
    }),
  );
  const good = encodeUtf8(core.bodyOf({ type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: {} }));
  const stamp = { name: "X-Stamp", value: "e30" };
  const text = (endpoint: string, body: Uint8Array) => {
    const answer = core.askStamped(stamp, { endpoint, body }, [document]);
    return answer.kind === "error" ? answer.error.message : answer.kind;
  };
  for (const endpoint of ["create_wallet", "create_organization"]) {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xe2, 0x82]]) {
      const body = concatBytes(good.subarray(0, 10), Uint8Array.from(bytes), good.subarray(10));
      expect(text(endpoint, body)).toBe("bad request body: it is not valid UTF-8");
    }
    // A byte order mark is a part of the text.
    const marked = concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), good);
    for (const body of [marked, new Uint8Array(0), undefined as unknown as Uint8Array]) {
      expect(text(endpoint, body)).toMatch(/^bad request body: it is not JSON/);
    }
  }
});

function submission(body: Uint8Array): Request {
  const stamp = { name: "X-Stamp", value: "e30" };
  return { call: "submit", endpoint: "create_wallet", body, stamp, records: [], attachments: [] };
}

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
