import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Request } from "@keyhearth/engine/core/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StartError } from "../config/start-error.ts";
import type { SignerClient } from "./client.ts";
import { startEmbeddedSigner } from "./embedded.ts";

const HARMLESS: Request = {
  call: "submit",
  endpoint: "sign_raw_payload",
  body: encodeUtf8("{}"),
  stamp: null,
  records: [],
  attachments: [],
};
/** The thread takes all its memory when it handles this. */
const EXHAUST_MEMORY: Request = { ...HARMLESS, endpoint: "exhaust_memory" };
/** The thread ends while it handles this. */
const DIE: Request = { ...HARMLESS, endpoint: "die" };
/** The thread answers this, and then it ends. */
const DIE_WHEN_IDLE: Request = { ...HARMLESS, endpoint: "die_when_idle" };
const DESCRIBE: Request = { call: "describe" };

let stateDirectory: string;
let signer: SignerClient;
let events: string[];
let ended: StartError[];

beforeEach(async () => {
  stateDirectory = mkdtempSync(join(tmpdir(), "keyhearth-embedded-"));
  events = [];
  ended = [];
  signer = await startEmbeddedSigner({
    stateDirectory,
    mayCreate: true,
    onEvent: ({ event }) => void events.push(event),
    onEnd: (error) => void ended.push(error),
    maxHeapMb: 48,
    entry: new URL("fragile-worker.testing.ts", import.meta.url),
  });
});

afterEach(async () => {
  await signer.close();
  rmSync(stateDirectory, { recursive: true, force: true });
});

test("a request that exhausts the memory fails, and the next signer answers the others", {
  timeout: 60_000,
}, async () => {
  const killer = signer.call(EXHAUST_MEMORY, "killer");
  const others = Array.from({ length: 20 }, (_, i) => signer.call(HARMLESS, `other ${i}`));
  await expect(killer).rejects.toThrow("the signer has stopped; try again in a moment");
  for (const answer of await Promise.all(others)) expect(answer.kind).toBe("error");
  expect(await signer.call(DESCRIBE)).toMatchObject({ kind: "description" });
  expect(events).toContain("signer stopped");
  expect(ended).toEqual([]);
});

test("an organization that killed the signer twice is refused, and the others are served", {
  timeout: 60_000,
}, async () => {
  await expect(signer.call(DIE, "killer")).rejects.toThrow("the signer has stopped");
  expect(await signer.call(HARMLESS, "killer")).toMatchObject({ kind: "error" });
  const waiting = signer.call(HARMLESS, "other");
  await expect(signer.call(DIE, "killer")).rejects.toThrow("the signer has stopped");
  expect(await waiting).toMatchObject({ kind: "error" });
  await expect(signer.call(HARMLESS, "killer")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("stopped more than once at requests of this organization"),
  });
  expect(await signer.call(HARMLESS, "other")).toMatchObject({ kind: "error" });
  expect(ended).toEqual([]);
});

test("a signer that dies without a request ends the service", { timeout: 30_000 }, async () => {
  await signer.call(DIE_WHEN_IDLE, "any");
  await vi.waitFor(() => expect(ended).toHaveLength(1), { timeout: 20_000 });
  expect(ended.map(({ message }) => message)).toEqual([
    "the signer stopped by itself; the log has the reason",
  ]);
});

test("a malformed frame is refused, and the signer goes on", { timeout: 30_000 }, async () => {
  const ownDirectory = mkdtempSync(join(tmpdir(), "keyhearth-embedded-"));
  const own = await startEmbeddedSigner({
    stateDirectory: ownDirectory,
    mayCreate: true,
    onEvent: ({ event }) => void events.push(event),
    onEnd: (error) => void ended.push(error),
  });
  try {
    // More values than a frame may have, in a member that the host does not count.
    const malformed = { ...DESCRIBE, unknown: Array.from({ length: 300_000 }, () => 0) };
    const inOneFrame = [own.call(malformed), own.call(DESCRIBE), own.call(HARMLESS, "other")];
    const reason = { message: "the signer refused a malformed frame; try again in a moment" };
    for (const call of await Promise.allSettled(inOneFrame)) {
      expect(call).toMatchObject({ status: "rejected", reason });
    }
    expect(own.depth()).toBe(0);
    expect(await own.call(DESCRIBE)).toMatchObject({ kind: "description" });
    expect(await own.call(HARMLESS, "other")).toMatchObject({ kind: "error" });
    expect(events).toContain("malformed frame");
    expect(events).not.toContain("signer stopped");
    expect(ended).toEqual([]);
  } finally {
    await own.close();
    rmSync(ownDirectory, { recursive: true, force: true });
  }
});

test("if no other signer can be started, the service ends", { timeout: 30_000 }, async () => {
  renameSync(join(stateDirectory, "root-key"), join(stateDirectory, "moved"));
  await expect(signer.call(DIE, "killer")).rejects.toThrow("the signer has stopped");
  await vi.waitFor(() => expect(ended).toHaveLength(1), { timeout: 20_000 });
  expect(ended[0]?.message).toMatch(
    /^the signer stopped and cannot be started again: the root key .* is missing/,
  );
});
