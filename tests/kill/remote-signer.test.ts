import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { newWallet, submit } from "../start/post.ts";
import { type Process, readRootKey, startService } from "../start/process.ts";
import { pair, pairedWith, startRemoteSigner } from "../start/remote-signer.ts";
import { startSilentProxy } from "../start/silent-proxy.ts";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  startLoad,
  wasAnswered,
  wasRefused,
} from "./load.ts";

// The API and the signer as on two machines: real processes, by TLS.

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-remote-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const TIMEOUT = { timeout: 180_000 };

function endLater(process: Process) {
  onTestFinished(async () => void (await process.kill()));
}

async function newData(): Promise<string> {
  const directory = await newDataDirectory("remote");
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** What the service has logged of its signer, with the times. */
function noted(service: Process): { atMs: number; msg: string; signer: Record<string, unknown> }[] {
  return service
    .stdout()
    .split("\n")
    .filter((line) => line.includes('"msg":"signer: '))
    .map((line) => JSON.parse(line))
    .map(({ time, msg, signer }) => ({ atMs: Date.parse(time), msg, signer }));
}

test("a signer that was killed and moved to another address is found there", TIMEOUT, async () => {
  const data = await newData();
  const state = join(temporary, "moved");
  const first = await startRemoteSigner(state);
  endLater(first);
  // A port that was free a moment ago, and is free again.
  const spare = await startSilentProxy(1);
  spare.close();
  const second = { address: `tls://127.0.0.1:${spare.port}`, pin: first.pin };
  const settings = await pairedWith(data, [state], [first, second]);
  const service = await startService({ ...settings, KEYHEARTH_LOG_LEVEL: "fatal" });
  endLater(service);
  const root = readRootKey(data);
  const target = await createTarget(service, root);

  const load = startLoad(service, target);
  const answered = () => load.sent.filter(wasAnswered).length;
  await expect.poll(answered).toBeGreaterThan(10);
  await first.kill();
  await expect.poll(() => load.sent.some(({ answer }) => answer?.status === 503)).toBe(true);
  const before = answered();
  const next = await startRemoteSigner(state, spare.port);
  endLater(next);
  await expect.poll(answered, { timeout: 20_000 }).toBeGreaterThan(before + 10);
  await load.stop();
  for (const { answer } of load.sent.filter(wasRefused)) {
    expect(answer?.status).toBe(503);
    expect(answer?.headers.get("retry-after")).toBe("1");
  }
  await expectKept(service, target.key, load.sent);
  await expectRepeatable(service, target.key, load.sent);
  expect(next.lines()).toContainEqual(
    expect.objectContaining({ event: "API connected", name: "api-1" }),
  );
  expect(await service.stop()).toBe(0);
});

test(
  "a machine that says nothing is left within two seconds, a busy signer is not",
  TIMEOUT,
  async () => {
    const data = await newData();
    const state = join(temporary, "silent");
    const signer = await startRemoteSigner(state);
    endLater(signer);
    const [one, other] = [await startSilentProxy(signer.port), await startSilentProxy(signer.port)];
    onTestFinished(() => {
      one.close();
      other.close();
    });
    const settings = await pairedWith(
      data,
      [state],
      [one, other].map(({ port }) => ({ address: `tls://127.0.0.1:${port}`, pin: signer.pin })),
    );
    const service = await startService({ ...settings, KEYHEARTH_LOG_LEVEL: "info" });
    endLater(service);
    const root = readRootKey(data);
    const disconnected = () =>
      noted(service).filter(({ msg }) => msg === "signer: signer disconnected");

    // As busy as the slowest request makes it.
    signer.child.kill("SIGSTOP");
    const late = submit(service, root, newWallet(root));
    await new Promise((resolve) => setTimeout(resolve, 1300));
    signer.child.kill("SIGCONT");
    expect((await late).status).toBe(200);
    expect(disconnected()).toEqual([]);

    const silentAtMs = Date.now();
    one.fallSilent();
    // A call that is under way is repeated at the next address.
    const repeated = submit(service, root, newWallet(root));
    expect((await repeated).status).toBe(200);
    const [lost] = disconnected();
    expect(lost?.signer).toEqual({ silence: "gone" });
    expect((lost?.atMs ?? 0) - silentAtMs).toBeLessThan(2500);
    expect(noted(service).at(-1)).toMatchObject({
      msg: "signer: signer connected",
      signer: { path: `tls://127.0.0.1:${other.port}` },
    });
    expect((await submit(service, root, newWallet(root))).status).toBe(200);
    expect(await service.stop()).toBe(0);
  },
);

test("a signer that hangs is left, and used again when it goes on", TIMEOUT, async () => {
  const data = await newData();
  const state = join(temporary, "hanging");
  const signer = await startRemoteSigner(state);
  endLater(signer);
  const settings = await pairedWith(data, [state], [signer]);
  const service = await startService({ ...settings, KEYHEARTH_LOG_LEVEL: "info" });
  endLater(service);
  const root = readRootKey(data);
  signer.child.kill("SIGSTOP");
  await expect
    .poll(() => noted(service).at(-1)?.signer, { timeout: 15_000 })
    .toEqual({ silence: "hangs" });
  signer.child.kill("SIGCONT");
  await expect
    .poll(async () => (await submit(service, root, newWallet(root))).status, { timeout: 15_000 })
    .toBe(200);
});

test("an API that is removed is cut, and its key stays refused", TIMEOUT, async () => {
  const data = await newData();
  const state = join(temporary, "removed");
  const signer = await startRemoteSigner(state);
  endLater(signer);
  const settings = await pairedWith(data, [state], [signer]);
  const service = await startService({ ...settings, KEYHEARTH_LOG_LEVEL: "info" });
  endLater(service);
  await pair("--state", state, "--remove", "api-1");
  const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
  await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
  const line = await pair("--api", join(data, "signer-door-key"));
  await expect(pair("--state", state, "api-1", line)).rejects.toThrow("stays removed");
  // The operator makes another key, and the next start of the service proves it.
  rmSync(join(data, "signer-door-key"));
  await service.stop();
  const again = await startService(await pairedWith(data, [state], [signer]));
  endLater(again);
  const root = readRootKey(data);
  expect((await submit(again, root, newWallet(root))).status).toBe(200);
});
