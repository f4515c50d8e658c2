import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ConnectionOptions,
  createServer as createTlsServer,
  type TLSSocket,
  connect as tlsConnect,
} from "node:tls";
import type { SignerAddress } from "@keyhearth/api/config/signer-addresses";
import { type DoorIdentity, dial } from "@keyhearth/api/signer/dial";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { type DoorKey, newDoorKey, readDoorKey, readLine } from "@keyhearth/outbound/door-key";
import { doorTls } from "@keyhearth/outbound/door-tls";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { pair, type RemoteSigner, startRemoteSigner } from "../start/remote-signer.ts";

// The network between the API and a real signer's process, in the hands of an attacker.

const directory = mkdtempSync(join(tmpdir(), "keyhearth-network-"));
const state = join(directory, "state");
let signer: RemoteSigner;
let paired: DoorIdentity;
let stranger: DoorIdentity;

beforeAll(async () => {
  signer = await startRemoteSigner(state);
  const file = join(directory, "api-key");
  await pair("--state", state, "api-1", await pair("--api", file));
  const pins = [pinOfLine(signer.pin)];
  paired = { key: keyOf(readFileSync(file, "utf8")), pins };
  stranger = { key: keyOf(newDoorKey()), pins };
  // The signer looks at the file each second.
  await vi.waitFor(async () => expect(await refusalAt(signer.port, paired)).toBe(null), 20_000);
}, 60_000);

afterAll(async () => {
  await signer?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function keyOf(text: string): DoorKey {
  const key = readDoorKey(text);
  if (!key) throw new Error("no key");
  return key;
}

function pinOfLine(line: string): Buffer {
  const pin = readLine("signer", line);
  if (!pin) throw new Error("no line");
  return pin;
}

function addressOf(port: number): SignerAddress {
  return { kind: "tls", host: "127.0.0.1", port, text: `tls://127.0.0.1:${port}` };
}

/** Why the API takes nothing at this port for its signer. Null if it does. */
async function refusalAt(port: number, identity: DoorIdentity): Promise<string | null> {
  try {
    const { link, answer } = await dial(addressOf(port), identity, new AbortController().signal);
    link.destroy();
    return answer.kind === "description" ? null : answer.kind;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A client of the attacker's own making. */
function attackWith(options: ConnectionOptions): TLSSocket {
  const socket = tlsConnect({ host: "127.0.0.1", port: signer.port, ...options });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Whether it ended with an error or not. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** What came until the signer closed the connection. */
async function readToEnd(socket: Socket): Promise<Answer[]> {
  const answers: Answer[] = [];
  const read = createFrameReader((frame) => {
    answers.push(...decodeFrame<Answer>(frame).map(({ message }) => message));
  });
  socket.on("data", (chunk) => void read(chunk));
  await closed(socket);
  return answers;
}

const describeFrame = () => encodeFrame([{ id: 1, message: { call: "describe" } }]);

const refusals = (reason: string) => signer.lines().filter((line) => line.reason === reason);

test("a key that is not paired gets one sentence, and none of its calls is handled", async () => {
  const socket = attackWith(doorTls(stranger.key));
  socket.write(describeFrame());
  expect(await readToEnd(socket)).toEqual([
    expect.objectContaining({
      kind: "error",
      error: expect.objectContaining({ reason: "REQUEST_NOT_AUTHORIZED" }),
    }),
  ]);
  expect(await refusalAt(signer.port, stranger)).toMatch(
    /^the signer at tls:\S+ does not know this service; run `npm run -s signer -- pair NAME keyhearth-api:[\w-]{43}` on its machine, with any name for this service$/,
  );
  expect(refusals("a key that is not paired").length).toBeGreaterThan(0);
});

test("a connection without a key, or with the signer's own public key, is refused", async () => {
  const { key: _key, cert: _cert, ...nameless } = doorTls(stranger.key);
  const socket = attackWith(nameless);
  socket.write(describeFrame());
  expect((await readToEnd(socket)).map(({ kind }) => kind)).toEqual(["error"]);
  expect(refusals("no key of an API").length).toBeGreaterThan(0);
  // The certificate of a paired key is public, and proves nothing without the key.
  const { certificate } = paired.key;
  const mixed = { ...doorTls(stranger.key), cert: certificate };
  expect(() => attackWith(mixed)).toThrow(/key values mismatch/i);
});

test("TLS 1.2, another protocol inside of TLS, and plain text get no further than the handshake", async () => {
  const older = { ...doorTls(paired.key), minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;
  expect(await readToEnd(attackWith(older))).toEqual([]);
  const other = { ...doorTls(paired.key), ALPNProtocols: ["http/1.1"] };
  expect(await readToEnd(attackWith(other))).toEqual([]);
  const { ALPNProtocols: _protocols, ...silent } = doorTls(paired.key);
  const unnamed = attackWith(silent);
  unnamed.write(describeFrame());
  expect((await readToEnd(unnamed)).map(({ kind }) => kind)).toEqual(["error"]);
  const plain = connect(signer.port, "127.0.0.1");
  plain.on("error", () => {});
  plain.write(describeFrame());
  expect(await readToEnd(plain)).toEqual([]);
  expect(refusals("no handshake of TLS 1.3").length).toBeGreaterThan(1);
});

test("a session of a connection that proved its key is not resumed", async () => {
  const first = attackWith(doorTls(paired.key));
  const sessions: Buffer[] = [];
  first.on("session", (session) => sessions.push(session));
  first.write(describeFrame());
  await once(first, "data");
  first.destroy();
  for (const session of sessions) {
    const { key: _key, cert: _cert, ...nameless } = doorTls(paired.key);
    const again = attackWith({ ...nameless, session });
    again.write(describeFrame());
    const answers = readToEnd(again);
    await once(again, "secureConnect");
    expect(again.isSessionReused()).toBe(false);
    expect((await answers).map(({ kind }) => kind)).toEqual(["error"]);
  }
});

test("a key that is paired with another installation opens nothing here", async () => {
  const otherState = join(directory, "other");
  const other = await startRemoteSigner(otherState);
  onTestFinished(async () => void (await other.stop()));
  expect(await refusalAt(other.port, paired)).toMatch(
    `the signer at tls://127.0.0.1:${other.port} proved the key ${other.pin}, which KEYHEARTH_SIGNER_PINS does not list`,
  );
  const fooled = { ...paired, pins: [pinOfLine(other.pin)] };
  expect(await refusalAt(other.port, fooled)).toContain("does not know this service");
  // The two signers' keys do not count for each other either.
  const ofSigner = { ...paired, key: keyOf(readFileSync(join(otherState, "door-key"), "utf8")) };
  expect(await refusalAt(signer.port, ofSigner)).toContain("does not know this service");
});

test("a line that was seen, or is brought again, gives nobody a key", async () => {
  const file = join(directory, "lost-key");
  const line = await pair("--api", file);
  await pair("--state", state, "lost", line);
  const lost = { key: keyOf(readFileSync(file, "utf8")), pins: paired.pins };
  await expect.poll(() => refusalAt(signer.port, lost), { timeout: 20_000 }).toBe(null);
  const open = attackWith(doorTls(lost.key));
  await once(open, "secureConnect");
  // The one that is open ends too, perhaps before the command has.
  const ended = closed(open);
  await pair("--state", state, "--remove", "lost");
  await ended;
  expect(await refusalAt(signer.port, lost)).toContain("does not know this service");
  for (const name of ["lost", "api-2"]) {
    await expect(pair("--state", state, name, line)).rejects.toThrow("stays removed");
  }
  await expect(pair("--state", state, "api-1", line)).rejects.toThrow("paired with another key");
  await expect(pair("--state", state, "api-2", signer.pin)).rejects.toThrow("the line of a signer");
  expect(await refusalAt(signer.port, paired)).toBe(null);
});

test("thousands of half-open handshakes keep no paired API out, and take little memory", async () => {
  const before = memoryOf(signer);
  const logged = signer.lines().length;
  const waiting = new Set<Socket>();
  let opened = 0;
  let isOver = false;
  const flood = async (lane: number) => {
    for (let count = 0; !isOver; count++) {
      // Of many addresses, as far as a signer on loopback can tell.
      const localAddress = `127.1.${lane}.${1 + (count % 250)}`;
      const socket = connect({ port: signer.port, host: "127.0.0.1", localAddress });
      waiting.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => waiting.delete(socket));
      socket.on("connect", () => {
        opened += 1;
        // The first bytes of a handshake, and then nothing.
        socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const lanes = Array.from({ length: 4 }, (_, lane) => flood(lane));
  const tookMs: number[] = [];
  while (opened < 3000) {
    const startedAt = performance.now();
    expect(await refusalAt(signer.port, paired)).toBe(null);
    tookMs.push(performance.now() - startedAt);
    // A known address begins 50 connections a second.
    await delay(40);
  }
  isOver = true;
  await Promise.all(lanes);
  expect(Math.max(...tookMs)).toBeLessThan(3000);
  await expect.poll(() => waiting.size, { timeout: 10_000 }).toBeLessThanOrEqual(64);
  await expect.poll(() => waiting.size, { timeout: 10_000 }).toBe(0);
  expect(memoryOf(signer) - before).toBeLessThan(100_000);
  // Of each reason a hundred in a minute.
  expect(signer.lines().length - logged).toBeLessThan(500);
}, 120_000);

test("a stranger that sends its handshake byte by byte has three seconds", async () => {
  const slow = connect(signer.port, "127.0.0.1");
  slow.on("error", () => {});
  const startedAt = performance.now();
  const before = refusals("no proof of a key in time").length;
  // The head of a handshake of 512 bytes, and the first of these.
  const hello = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);
  let sent = 0;
  const timer = setInterval(() => {
    slow.write(hello.subarray(sent, sent + 1));
    sent += 1;
  }, 350);
  await closed(slow);
  clearInterval(timer);
  expect(performance.now() - startedAt).toBeLessThan(6000);
  expect(performance.now() - startedAt).toBeGreaterThan(2500);
  expect(refusals("no proof of a key in time").length).toBe(before + 1);
});

test("a paired API that reads no answers is cut, and others work", async () => {
  const deaf = attackWith(doorTls(paired.key));
  await once(deaf, "secureConnect");
  deaf.pause();
  const isCut = closed(deaf);
  // The answer repeats the digests of unknown records.
  const message: Request = {
    call: "submit",
    endpoint: "sign_raw_payload",
    body: encodeUtf8("{}"),
    stamp: null,
    records: Array.from({ length: 1600 }, () => "0".repeat(64)),
    attachments: [],
  };
  const frame = encodeFrame(Array.from({ length: 250 }, (_, id) => ({ id, message })));
  for (let i = 0; i < 100 && !deaf.destroyed; i++) {
    await Promise.race([new Promise((resolve) => deaf.write(frame, resolve)), isCut]);
  }
  await isCut;
  expect(await refusalAt(signer.port, paired)).toBe(null);
  expect(memoryOf(signer)).toBeLessThan(1.5 * 1024 * 1024);
}, 120_000);

test("an impostor in the signer's place is told nothing, whatever it speaks", async () => {
  let heard = 0;
  const hear = (socket: Socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      heard += chunk.length;
    });
  };
  const impostors: [Server, RegExp][] = [
    [
      createTlsServer({ ...doorTls(stranger.key), requestCert: true }, hear),
      /proved the key keyhearth-signer:\S+, which KEYHEARTH_SIGNER_PINS does not list; add it only if .+ otherwise somebody else answers there$/,
    ],
    [
      createTlsServer({ ...doorTls(stranger.key), ALPNProtocols: ["http/1.1"] }, hear),
      /there is no signer: .+ does not speak TLS 1.3 as a signer does/,
    ],
    [
      createTlsServer({ key: stranger.key.privateKey, cert: stranger.key.certificate }, hear),
      /there is a TLS server, but no signer/,
    ],
    [
      createTlsServer({ ...doorTls(paired.key), minVersion: "TLSv1.2", maxVersion: "TLSv1.2" }),
      /does not speak TLS 1.3 as a signer does/,
    ],
    [
      createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
      /does not speak TLS 1.3 as a signer does .+ set KEYHEARTH_SIGNER to the address/,
    ],
    [createServer((socket) => void socket.on("error", () => {})), /^TIMEOUT$/],
    [createServer((socket) => socket.destroy()), /^(CLOSED|ECONNRESET)$/],
  ];
  for (const [server, sentence] of impostors) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    server.on("tlsClientError", () => {});
    const { port } = server.address() as AddressInfo;
    expect(await refusalAt(port, paired)).toMatch(sentence);
    server.close();
  }
  expect(heard).toBe(0);
}, 60_000);

function memoryOf({ child }: RemoteSigner): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
}
