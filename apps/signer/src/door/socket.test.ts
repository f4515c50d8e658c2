import { linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSigner, type Signer } from "../signer.ts";
import { SignerStateError } from "../state/state-error.ts";
import type { Handled } from "../turns/fair-queue.ts";
import { createDoor, type Log } from "./door.ts";
import { type Listener, listenOnSocket } from "./socket.ts";

let directory: string;
let path: string;
let signer: Signer;
let server: Listener | undefined;
let events: { event: string; [member: string]: unknown }[];
let clients: Socket[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-socket-"));
  path = join(directory, "signer.sock");
  events = [];
  clients = [];
  signer = openSigner({ stateDirectory: join(directory, "state"), mayCreate: true, log: () => {} });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await server?.close();
  server = undefined;
  signer.close();
  rmSync(directory, { recursive: true });
});

function listenWith(handle: (request: Request) => Handled, log: Log = () => {}) {
  return listenOnSocket(path, createDoor(handle, log), log);
}

async function listen() {
  server = await listenWith(signer.handle, (event) => void events.push(event));
}

/** A connection that collects its answers. */
async function connect() {
  const socket = createConnection(path);
  clients.push(socket);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const answers: Envelope<Answer>[] = [];
  let pending: Uint8Array = new Uint8Array();
  let wake = () => {};
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4) {
      const size = Buffer.from(pending).readUInt32BE(0) + 4;
      if (pending.length < size) return;
      // How long each took is another matter.
      for (const { tookMs: _, ...answer } of decodeFrame<Answer>(pending.subarray(0, size))) {
        answers.push(answer);
      }
      pending = pending.subarray(size);
      wake();
    }
  });
  socket.on("error", () => {});
  const closed = new Promise<"closed">((resolve) => socket.once("close", () => resolve("closed")));
  return {
    socket,
    closed,
    async answers(count: number) {
      while (answers.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return answers.splice(0, count);
    },
  };
}

function frameOf(...ids: number[]): Uint8Array {
  const message: Request = { call: "describe" };
  return encodeFrame(ids.map((id) => ({ id, message })));
}

const description = expect.objectContaining({ kind: "description" });

test("two clients are answered, each on its own connection", async () => {
  await listen();
  const [one, two] = [await connect(), await connect()];
  one.socket.write(frameOf(1, 2));
  two.socket.write(frameOf(1));
  expect(await one.answers(2)).toEqual([
    { id: 1, message: description },
    { id: 2, message: description },
  ]);
  expect(await two.answers(1)).toEqual([{ id: 1, message: description }]);
});

test("frames may come in pieces, and several in one", async () => {
  await listen();
  const { socket, answers } = await connect();
  const bytes = Buffer.concat([frameOf(1), frameOf(2), frameOf(3)]);
  for (let at = 0; at < bytes.length; at += 7) {
    socket.write(bytes.subarray(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await answers(3)).map(({ id }) => id)).toEqual([1, 2, 3]);
  socket.write(bytes);
  expect((await answers(3)).map(({ id }) => id)).toEqual([1, 2, 3]);
});

test("a large batch is answered in order", async () => {
  await listen();
  const { socket, answers } = await connect();
  const ids = Array.from({ length: 50 }, (_, i) => i);
  socket.write(frameOf(...ids));
  expect((await answers(50)).map(({ id }) => id)).toEqual(ids);
});

test("the host learns whose call is handled next, before it is handled", async () => {
  let wasHeard = false;
  server = await listenWith(
    () => {
      // The thread is busy here, so the announcement has left before.
      const endAt = performance.now() + 50;
      while (performance.now() < endAt);
      wasHeard = true;
      return { kind: "unchanged" };
    },
    () => {},
  );
  const { socket, answers } = await connect();
  const message: Request = { call: "describe" };
  socket.write(
    encodeFrame([
      { id: 1, organizationId: "one", message },
      { id: 2, organizationId: "two", message },
      { id: 3, message },
    ]),
  );
  const kinds = (await answers(5)).map(({ id, message: { kind } }) => `${id} ${kind}`);
  expect(wasHeard).toBe(true);
  // The third one is the host's own, for which nobody is blamed.
  expect(kinds.filter((kind) => kind.endsWith("begun"))).toEqual(["1 begun", "2 begun"]);
  for (const id of [1, 2]) {
    expect(kinds.indexOf(`${id} begun`)).toBeLessThan(kinds.indexOf(`${id} unchanged`));
  }
});

test("each call that comes after an answer is announced, also one of the same organization", async () => {
  server = await listenWith(() => ({ kind: "unchanged" }));
  const { socket, answers } = await connect();
  const kinds: string[] = [];
  for (const id of [1, 2]) {
    socket.write(encodeFrame([{ id, organizationId: "one", message: { call: "describe" } }]));
    for (const { id: of, message } of await answers(2)) kinds.push(`${of} ${message.kind}`);
  }
  expect(kinds).toEqual(["1 begun", "1 unchanged", "2 begun", "2 unchanged"]);
});

test("a malformed frame cuts its own connection only", async () => {
  await listen();
  const other = await connect();
  const malformed = [
    Buffer.alloc(4),
    Buffer.from([0, 0, 0, 8, 0, 0, 0, 4, 1, 2, 3, 4]),
    Buffer.from([0, 0, 0, 6, 0, 0, 0, 99, 1, 2]),
    Buffer.concat([Buffer.from([0, 0, 0, 8, 0, 0, 0, 4]), Buffer.from("null")]),
  ];
  for (const [index, bytes] of malformed.entries()) {
    const { socket, closed } = await connect();
    socket.write(bytes);
    expect(await closed).toBe("closed");
    expect(events).toHaveLength(index + 1);
    expect(events[index]).toMatchObject({ event: "connection cut", reason: "malformed frame" });
  }
  other.socket.write(frameOf(7));
  expect(await other.answers(1)).toEqual([{ id: 7, message: description }]);
});

test("nothing after a malformed frame is handled", async () => {
  let handled = 0;
  server = await listenWith(
    (request) => {
      handled += 1;
      return signer.handle(request);
    },
    (event) => void events.push(event),
  );
  const { socket, closed } = await connect();
  socket.write(Buffer.concat([frameOf(1), Buffer.alloc(4), frameOf(2), Buffer.alloc(4)]));
  await closed;
  expect(handled).toBe(1);
  expect(events).toHaveLength(1);
});

test("a frame above the limit is refused as soon as its length is known", async () => {
  await listen();
  const { socket, closed } = await connect();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(MAX_FRAME_BYTES - 3);
  socket.write(length);
  expect(await closed).toBe("closed");
  expect(events).toEqual([
    { event: "connection cut", reason: "frame too large", detail: undefined },
  ]);
});

test("an unknown request is an error, and the connection stays open", async () => {
  await listen();
  const { socket, answers } = await connect();
  const unknown = [{ call: "export" }, { call: "submit" }, { call: "attest" }, { call: "renew" }];
  for (const [id, message] of unknown.entries()) {
    // A hostile host sends what no type allows.
    socket.write(encodeFrame([{ id, message: message as unknown as Request }]));
    expect(await answers(1)).toEqual([{ id, message: expect.objectContaining({ kind: "error" }) }]);
  }
  socket.write(frameOf(9));
  expect(await answers(1)).toEqual([{ id: 9, message: description }]);
});

test("only the owner and the group can use the socket", async () => {
  await listen();
  expect(statSync(path).mode & 0o777).toBe(0o660);
});

test("a socket that another signer listens on is not taken over", async () => {
  await listen();
  const again = listenWith(signer.handle);
  await expect(again).rejects.toEqual(
    new SignerStateError(`another signer is listening on ${path}; stop it first`),
  );
  const { socket, answers } = await connect();
  socket.write(frameOf(1));
  expect(await answers(1)).toHaveLength(1);
});

test("a socket that a killed signer left behind is replaced", async () => {
  const dead = createServer();
  await new Promise<void>((resolve) => dead.listen(path, resolve));
  const left = join(directory, "left.sock");
  linkSync(path, left);
  await new Promise((resolve) => dead.close(resolve));
  linkSync(left, path);
  await listen();
  const { socket, answers } = await connect();
  socket.write(frameOf(1));
  expect(await answers(1)).toHaveLength(1);
});

test("closing cuts the connections and frees the path", async () => {
  await listen();
  const { closed } = await connect();
  await server?.close();
  expect(await closed).toBe("closed");
  await listen();
  const { socket, answers } = await connect();
  socket.write(frameOf(1));
  expect(await answers(1)).toHaveLength(1);
});

test("a file that is not a socket is not removed", async () => {
  writeFileSync(path, "keep me");
  await expect(listen()).rejects.toEqual(
    new SignerStateError(`${path} exists and is not a socket; move it or choose another path`),
  );
  expect(statSync(path).isFile()).toBe(true);
});

test("connections beyond 256 are closed, it is said once, and those that are open are served", async () => {
  await listen();
  const first = await connect();
  const held = Array.from({ length: 300 }, () => createConnection(path).on("error", () => {}));
  for (const socket of held) clients.push(socket.resume());
  const open = () => held.filter(({ closed }) => !closed).length;
  await expect.poll(open).toBe(255);
  expect(events).toEqual([{ event: "too many connections", most: 256 }]);
  first.socket.write(frameOf(1));
  expect(await first.answers(1)).toEqual([{ id: 1, message: description }]);
});
