import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { createDoor } from "@keyhearth/signer/door/door";
import { listenOnSocket } from "@keyhearth/signer/door/socket";
import { openSigner, type Signer } from "@keyhearth/signer/signer";
import { afterAll, beforeAll, expect, test } from "vitest";

// The signer's real socket, attacked by somebody who may connect to it.

const directory = mkdtempSync(join(tmpdir(), "keyhearth-attack-"));
const path = join(directory, "signer.sock");
const events: { event: string; [member: string]: unknown }[] = [];
let signer: Signer;
let server: Awaited<ReturnType<typeof listenOnSocket>>;

beforeAll(async () => {
  const log = (event: { event: string }) => void events.push(event);
  signer = openSigner({ stateDirectory: join(directory, "state"), mayCreate: true, log });
  server = await listenOnSocket(path, createDoor(signer.handle, log), log);
});

afterAll(async () => {
  await server?.close();
  signer?.close();
  rmSync(directory, { recursive: true, force: true });
});

test.each([
  ["a length beyond the limit", u32(MAX_FRAME_BYTES), "frame too large"],
  ["the greatest length there is", Buffer.alloc(64, 0xff), "frame too large"],
  ["an empty frame", u32(0), "malformed frame"],
  ["a frame too short for its lengths", frame(Buffer.from([1, 2])), "malformed frame"],
  ["a text longer than its frame", frame(u32(4000), "[]"), "malformed frame"],
  ["text that is not JSON", json("{"), "malformed frame"],
  ["text that is not UTF-8", frame(u32(2), Buffer.from([0xc3, 0x28])), "malformed frame"],
  ["JSON that is not a batch", json('{"id":1}'), "malformed frame"],
  ["a batch of nothing", json("[null]"), "malformed frame"],
  ["a call without a message", json('[{"id":1}]'), "malformed frame"],
  [
    "a call without a number",
    json('[{"id":"one","message":{"call":"describe"}}]'),
    "malformed frame",
  ],
  ["an attachment beyond the frame", attachment(9), "malformed frame"],
  ["an attachment of a negative size", attachment(-1), "malformed frame"],
  ["an attachment of half a byte", attachment(0.5), "malformed frame"],
  ["sizes that are not a list", json('[{"id":1,"message":{},"sizes":7}]'), "malformed frame"],
  ["a body beyond the frame", json('[{"id":1,"message":{},"bodySize":9}]'), "malformed frame"],
  [
    "a body in the text of the frame",
    json('[{"id":1,"message":{"call":"submit","body":"{}"}}]'),
    "malformed frame",
  ],
  ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\n\r\n"), "frame too large"],
])("%s cuts the connection, and the signer goes on", async (_name, bytes, reason) => {
  const logged = events.length;
  const socket = connect(path);
  let answered = 0;
  socket.on("data", (chunk) => {
    answered += chunk.length;
  });
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  expect(answered).toBe(0);
  expect(events.slice(logged)).toContainEqual(
    expect.objectContaining({ event: "connection cut", reason }),
  );
  expect(await speak([{ id: 1, message: { call: "describe" } }])).toMatchObject([
    { id: 1, message: { kind: "description" } },
  ]);
});

test("a refused call does not affect the others in its frame", async () => {
  const unknown = { call: "export" } as unknown as Request;
  const answers = await speak([
    { id: 7, message: unknown },
    { id: 8, message: { call: "describe" } },
    { id: 9, message: { call: "confirm", ticket: "1" } },
  ]);
  // A confirmation may go before other calls.
  expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([
    { id: 7, message: { kind: "error", error: { reason: "RECORD_REFUSED" } } },
    { id: 8, message: { kind: "description" } },
    { id: 9, message: { kind: "error", error: { reason: "CONFLICT" } } },
  ]);
});

test("a call whose name is deeply nested, or long, is refused and logged in short", async () => {
  const logged = events.length;
  const nested = "[".repeat(5000) + "]".repeat(5000);
  for (const name of [nested, JSON.stringify("x".repeat(1_000_000))]) {
    const socket = connect(path);
    socket.write(json(`[{"id":1,"message":{"call":${name}}}]`));
    await once(socket, "data");
    socket.destroy();
  }
  const refused = events.slice(logged).filter(({ event }) => event === "refused");
  expect(refused.map(({ call }) => call)).toEqual(["unknown", "x".repeat(40)]);
  expect(JSON.stringify(refused).length).toBeLessThan(10_000);
});

test("half a frame does not hold up anyone else", async () => {
  const slow = connect(path);
  await once(slow, "connect");
  slow.write(u32(1000));
  expect(await speak([{ id: 1, message: { call: "describe" } }])).toHaveLength(1);
  slow.destroy();
});

/** Sends one frame and reads the answers to all of its calls. They may come in several frames. */
async function speak(batch: Envelope<Request>[]): Promise<Envelope<Answer>[]> {
  const socket = connect(path);
  socket.write(encodeFrame(batch));
  const answers: Envelope<Answer>[] = [];
  const read = createFrameReader((bytes) => void answers.push(...decodeFrame<Answer>(bytes)));
  for await (const chunk of socket) {
    read(chunk);
    if (answers.length >= batch.length) break;
  }
  socket.destroy();
  return answers;
}

function frame(...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([u32(body.length), body]);
}

function json(text: string): Buffer {
  return frame(u32(Buffer.byteLength(text)), text);
}

function attachment(size: number): Buffer {
  return json(`[{"id":1,"message":{"call":"renew"},"sizes":[${size}]}]`);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
