import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDoor } from "../door/door.ts";
import { type Listener, listenOnSocket } from "../door/socket.ts";
import { openSigner, type Signer } from "../signer.ts";
import { SignerStateError } from "../state/state-error.ts";
import { workersOf } from "./threads.ts";

// Real threads behind a real socket.

let directory: string;
let events: CoreEvent[];
let signer: Signer;
let listener: Listener | undefined;
let sockets: Socket[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-workers-"));
  events = [];
  sockets = [];
  listener = undefined;
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listener?.close();
  signer.close();
  rmSync(directory, { recursive: true });
});

function open(count: number, maxHeapMb?: number) {
  const log = (event: CoreEvent) => void events.push(event);
  const startThreads = workersOf({ count, maxHeapMb });
  signer = openSigner({ stateDirectory: join(directory, "s"), mayCreate: true, log, startThreads });
}

async function listen() {
  const { answer, workers, workerFor } = signer;
  const door = createDoor(answer, () => {}, { workers, workerFor });
  listener = await listenOnSocket(join(directory, "signer.sock"), door, () => {});
}

/** All that the signer says to a host of its own. */
async function ask(message: Request, organizationId: string) {
  const socket = connect(join(directory, "signer.sock"));
  sockets.push(socket);
  await once(socket, "connect");
  const heard: Envelope<Answer>[] = [];
  const read = createFrameReader((frame) => void heard.push(...decodeFrame<Answer>(frame)));
  socket.on("data", (chunk) => void read(chunk));
  const frame = encodeFrame([{ id: 7, organizationId, familyId: organizationId, message }]);
  socket.write(withNested(Buffer.from(frame)));
  const answerTo = () => heard.find(({ id, message: { kind } }) => id === 7 && kind !== "begun");
  await expect.poll(answerTo, { timeout: 120_000 }).toBeDefined();
  return { heard, answer: answerTo()?.message };
}

/** What JSON can hold, and what copies values between threads cannot. */
const NESTED = `${"[".repeat(20_000)}1${"]".repeat(20_000)}`;

/** Stands for it, because what writes frames cannot write it either. */
const STANDS_FOR_NESTED = "n".repeat(NESTED.length - 2);

function withNested(frame: Buffer): Buffer {
  const at = frame.indexOf(JSON.stringify(STANDS_FOR_NESTED));
  if (at >= 0) frame.write(NESTED, at);
  return frame;
}

const founding = (body: string): Request => ({
  call: "submit",
  endpoint: "create_organization",
  body: encodeUtf8(body),
  stamp: null,
  records: [],
  attachments: [],
});

/** As many values as a body can have, in small pieces: V8 ends the process if one large piece does not fit. */
function tooMuch(): Request {
  const piece = `[${"{},".repeat(500)}{}]`;
  return founding(`{"parameters":[${`${piece},`.repeat(650)}${piece}]}`);
}

/** A worker starts with it, and has too little for that body. */
const SMALL_HEAP_MB = 38;

test("a worker that a request ends is replaced, and its host is told which call that was", async () => {
  open(2, SMALL_HEAP_MB);
  await signer.started;
  await listen();
  const { heard, answer } = await ask(tooMuch(), "attacker");
  expect(answer).toMatchObject({ kind: "error", error: { reason: "SIGNER_UNAVAILABLE" } });
  // If the whole process had died, the host would know who did it.
  const worker = signer.workerFor(tooMuch(), "attacker");
  expect(heard[0]).toEqual({ id: 7, message: { kind: "begun", worker } });
  expect(events).toContainEqual(
    expect.objectContaining({ event: "a worker of the signer died", worker }),
  );
  expect(events).toContainEqual({
    event: "a request ended a worker of the signer",
    organizationId: "attacker",
  });

  const next = await ask(founding("{}"), "attacker");
  expect(next.answer).toMatchObject({ error: { reason: "ORGANIZATION_ID_MALFORMED" } });
  expect(events.filter(({ event }) => event === "signer started").at(-1)).toMatchObject({ worker });
}, 180_000);

test("a worker that cannot start is a reason not to start", async () => {
  open(2, 10);
  await expect(signer.started).rejects.toThrow(SignerStateError);
  await expect(signer.started).rejects.toThrow(/^a worker of the signer does not start: /);
}, 180_000);

test("a single worker is no thread", async () => {
  open(1);
  await signer.started;
  expect(signer.workers).toBe(0);
  expect(signer.workerFor(founding("{}"), "anybody")).toBe(0);
});

test("what moves marks, or describes the signer, is handled by the thread that knows them", () => {
  open(2);
  const calls: Request[] = [
    { call: "confirm", ticket: "1" },
    { call: "confirm", attachments: [] },
    { call: "describe" },
    {
      call: "attest",
      organizationId: "a",
      previous: null,
      leaves: [],
      documentVersion: 1,
      documentDigest: "",
    },
  ];
  expect(calls.map((call) => signer.workerFor(call, "anybody"))).toEqual([0, 0, 0, 0]);
  const organizations = Array.from({ length: 100 }, (_, index) => `organization ${index}`);
  const used = organizations.map((each) => signer.workerFor(founding("{}"), each));
  expect(used.filter((worker) => worker === 1).length).toBeGreaterThan(25);
  expect(used.filter((worker) => worker === 2).length).toBeGreaterThan(25);
});

test("a call that no thread can be given ends neither the signer nor the calls beside it", async () => {
  open(2);
  await signer.started;
  await listen();
  const organizationId = randomUUID();
  const malformed = founding("{}");
  const asked = [
    { ...malformed, more: STANDS_FOR_NESTED },
    { ...malformed, endpoint: STANDS_FOR_NESTED },
    malformed,
  ];
  const answers = await Promise.all(asked.map((each) => ask(each, organizationId)));
  const [ignored, refused, usual] = answers.map(({ answer }) => answer);
  expect(usual).toMatchObject({ kind: "error" });
  expect(ignored).toEqual(usual);
  expect(refused).toMatchObject({
    kind: "error",
    error: { message: expect.stringContaining("the host brought what no worker can be given") },
  });
  expect(events).not.toContainEqual(
    expect.objectContaining({ event: "a worker of the signer died" }),
  );
});
