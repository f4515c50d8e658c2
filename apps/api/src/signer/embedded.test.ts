import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { Request } from "@keyhearth/engine/door/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StartError } from "../start/start-error.ts";
import type { SignerClient } from "./client.ts";
import { startEmbeddedSigner } from "./embedded.ts";

const workers = vi.hoisted((): Worker[] => []);

/** The real thread; the list is for ending one from outside. */
vi.mock("node:worker_threads", async (original) => {
  const real = await original<typeof import("node:worker_threads")>();
  class Listed extends real.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      workers.push(this);
    }
  }
  return { ...real, Worker: Listed };
});

/** The thread takes all its memory when it handles this. */
const KILLER: Request = {
  call: "submit",
  endpoint: "exhaust_memory",
  body: "{}",
  stamp: null,
  records: [],
  attachments: [],
};
/** While the thread handles this, it can only be ended from outside. */
const HANG: Request = { ...KILLER, endpoint: "hang" };
const HARMLESS: Request = { ...KILLER, endpoint: "sign_raw_payload", body: "{}" };
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

/** Sends a call and ends the thread while it is being handled. */
async function killWith(organizationId: string): Promise<string> {
  const outcome = signer.call(HANG, organizationId).catch((error: Error) => error.message);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await workers.at(-1)?.terminate();
  return String(await outcome);
}

test("a request that exhausts the memory fails, and the next signer answers the others", {
  timeout: 60_000,
}, async () => {
  const killer = signer.call(KILLER, "killer");
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
  expect(await killWith("killer")).toMatch("the signer has stopped");
  expect(await signer.call(HARMLESS, "killer")).toMatchObject({ kind: "error" });
  const waiting = signer.call(HARMLESS, "other");
  expect(await killWith("killer")).toMatch("the signer has stopped");
  expect(await waiting).toMatchObject({ kind: "error" });
  await expect(signer.call(HARMLESS, "killer")).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("stopped more than once at requests of this organization"),
  });
  expect(await signer.call(HARMLESS, "other")).toMatchObject({ kind: "error" });
  expect(ended).toEqual([]);
});

test("a signer that dies without a request ends the service", async () => {
  await workers.at(-1)?.terminate();
  expect(ended.map(({ message }) => message)).toEqual([
    "the signer stopped by itself; the log has the reason",
  ]);
});

test("if no other signer can be started, the service ends", { timeout: 30_000 }, async () => {
  renameSync(join(stateDirectory, "root-key"), join(stateDirectory, "moved"));
  expect(await killWith("killer")).toMatch("the signer has stopped");
  await vi.waitFor(() => expect(ended).toHaveLength(1), { timeout: 20_000 });
  expect(ended[0]?.message).toMatch(
    /^the signer stopped and cannot be started again: the root key .* is missing/,
  );
});
