import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";

// A host floods the real process of the signer with calls of every kind, to exhaust its memory: a signer that dies
// starts again, and a start ends the counts of attempts at one-time codes.

const directory = mkdtempSync(join(tmpdir(), "keyhearth-flood-"));
const path = join(directory, "signer.sock");
const main = fileURLToPath(new URL("../../apps/signer/src/main.ts", import.meta.url));
let signer: ChildProcess;
let log = "";

beforeAll(async () => {
  const args = ["--state", join(directory, "state"), "--socket", path, "--create"];
  signer = spawn(process.execPath, [main, ...args, "--issuers", "none"]);
  signer.stderr?.on("data", (chunk) => {
    log += chunk;
  });
  if (signer.stdout) await once(signer.stdout, "data");
});

afterAll(async () => {
  if (signer.exitCode === null && signer.signalCode === null) {
    const exited = once(signer, "exit");
    signer.kill("SIGTERM");
    await exited;
  }
  rmSync(directory, { recursive: true, force: true });
});

/** Text takes twice as much memory as bytes. */
const text = "x".repeat(100_000);
const padded = () => ({ padding: text, attachments: [new Uint8Array(100_000)] });

const floods: [string, (i: number) => Request][] = [
  ["confirmations of documents", () => ({ call: "confirm", ...padded() })],
  ["confirmations by long texts", () => ({ call: "confirm", ticket: text + text })],
  ["renewals", () => ({ call: "renew", ...padded() })],
  ["webhooks", () => ({ call: "sign-webhooks", events: [], ...padded() })],
  ["descriptions with tokens", () => ({ call: "describe", oidcToken: text + text })],
  [
    "segments",
    (i) => ({
      call: "attest",
      organizationId: "",
      previous: null,
      leaves: [{ hash: text, tag: text }],
      documentVersion: i,
      documentDigest: "",
    }),
  ],
  ["calls that do not exist", () => ({ call: text + text }) as unknown as Request],
];

test.each(floods)(
  "a flood of %s is refused beyond 64 MB, and others are served",
  async (_name, make) => {
    for (const organizationId of ["many", ""]) {
      // A frame of 50 MB.
      const calls = Array.from({ length: 250 }, (_, id) => ({
        id,
        organizationId,
        message: make(id),
      }));
      const host = await open();
      host.socket.write(encodeFrame(calls));
      const other = await open();
      other.socket.write(
        encodeFrame([{ id: 1, organizationId: "other", message: { call: "describe" } }]),
      );
      expect(await other.answers(1)).toMatchObject([
        { message: { kind: "description", starts: 1 } },
      ]);
      const answers = await host.answers(250);
      const refused = answers.filter(isRefused).length;
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThan(250);
      for (const { socket } of [host, other]) socket.destroy();
    }
  },
);

test.each<[string, Request, number]>([
  ["descriptions", { call: "describe" }, 512],
  ["confirmations of documents", { call: "confirm", attachments: [] }, 512],
  ["confirmations of tickets", { call: "confirm", ticket: "1" }, 4096],
])("of a flood of small %s only so many wait at once", async (_name, message, places) => {
  for (const organizationId of ["many", ""]) {
    const host = await open();
    const calls = Array.from({ length: 6000 }, (_, id) => ({ id, organizationId, message }));
    host.socket.write(encodeFrame(calls));
    const answers = await host.answers(6000);
    expect(answers.filter(isRefused)).toHaveLength(6000 - places);
    host.socket.destroy();
  }
});

test("a frame of nothing but empty lists takes neither the memory nor the time of the others", async () => {
  const json = Buffer.from(`[{"id":1,"message":{"call":"x","m":[${"[],".repeat(18_000_000)}0]}}]`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(json.length + 4);
  head.writeUInt32BE(json.length, 4);
  const host = await open();
  const closed = new Promise((resolve) => host.socket.once("close", resolve));
  const startedAt = performance.now();
  host.socket.write(Buffer.concat([head, json]));
  await closed;
  expect(performance.now() - startedAt).toBeLessThan(5000);
  expect(log).toContain("malformed frame");
  await expectAlive();
});

test("unfinished frames on many connections are cut before they fill the memory", async () => {
  const part = Buffer.alloc(56 * 1024 * 1024);
  part.writeUInt32BE(MAX_FRAME_BYTES - 4);
  const hosts: Socket[] = [];
  let cut = 0;
  for (let i = 0; i < 6; i++) {
    const { socket } = await open();
    socket.on("close", () => {
      cut += 1;
    });
    hosts.push(socket);
    await new Promise((resolve) => socket.write(part, resolve));
  }
  await expect.poll(() => cut, { timeout: 15_000 }).toBeGreaterThan(0);
  expect(log).toContain("too many bytes wait on all connections");
  for (const socket of hosts) socket.destroy();
  await expectAlive();
});

test("answers that nobody reads end the connection before they fill the memory", async () => {
  const host = await open();
  host.socket.pause();
  let isCut = false;
  host.socket.on("close", () => {
    isCut = true;
  });
  const closed = new Promise((resolve) => host.socket.once("close", resolve));
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
  for (let i = 0; i < 100 && !isCut; i++) {
    await new Promise((resolve) => host.socket.write(frame, resolve));
  }
  await closed;
  await expectAlive();
});

/** The process that was started is still the one that answers, and it took no gigabyte. */
async function expectAlive() {
  const host = await open();
  host.socket.write(encodeFrame([{ id: 1, message: { call: "describe" } }]));
  expect(await host.answers(1)).toMatchObject([{ message: { kind: "description", starts: 1 } }]);
  host.socket.destroy();
  const status = readFileSync(`/proc/${signer.pid}/status`, "utf8");
  expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(1.5 * 1024 * 1024);
}

function isRefused({ message }: Envelope<Answer>): boolean {
  return message.kind === "error" && message.error.reason === "RATE_LIMITED";
}

async function open() {
  const socket = connect(path);
  await once(socket, "connect");
  const received: Envelope<Answer>[] = [];
  let wake = () => {};
  const read = createFrameReader((frame) => {
    received.push(...decodeFrame<Answer>(frame).filter(({ message }) => message.kind !== "begun"));
    wake();
  });
  socket.on("data", (chunk) => void read(chunk));
  socket.on("error", () => {});
  return {
    socket,
    async answers(count: number) {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return received;
    },
  };
}

test("a digest that is nested deeply is refused, and does not end the signer", async () => {
  const digest = "[".repeat(10_000) + "]".repeat(10_000);
  const call = `{"call":"submit","endpoint":"create_wallet","stamp":null,"records":[${digest}]}`;
  const json = encodeUtf8(`[{"id":1,"message":${call},"bodySize":2,"sizes":[]}]`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(json.length + 6, 0);
  head.writeUInt32BE(json.length, 4);
  const host = await open();
  host.socket.write(Buffer.concat([head, json, encodeUtf8("{}")]));
  const error = { reason: "RECORD_REFUSED" };
  expect(await host.answers(1)).toMatchObject([{ id: 1, message: { kind: "error", error } }]);
  host.socket.destroy();
  await expectAlive();
});
