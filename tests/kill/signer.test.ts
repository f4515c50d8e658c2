import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { newWallet, submit } from "../start/post.ts";
import { readRootKey, startService, startSigner } from "../start/process.ts";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  startLoad,
  wasAnswered,
  wasRefused,
} from "./load.ts";

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-signer-kill-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test("while the signer process is dead the API answers 503, and then it finds the next one", {
  timeout: 120_000,
}, async () => {
  const dataDirectory = await newDataDirectory("signer-kill");
  onTestFinished(() => rmSync(dataDirectory, { recursive: true }));
  const state = join(temporary, "signer");
  let signer = await startSigner(state);
  const service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_SIGNER: `unix:${signer.socket}`,
    KEYHEARTH_LOG_LEVEL: "fatal",
  });
  const root = readRootKey(dataDirectory);
  const target = await createTarget(service, root);

  const load = startLoad(service, target);
  const answered = () => load.sent.filter(wasAnswered).length;
  await expect.poll(answered).toBeGreaterThan(10);
  await signer.kill();
  await expect.poll(() => load.sent.some(({ answer }) => answer?.status === 503)).toBe(true);
  const refused = await submit(service, root, newWallet(root));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.headers.get("content-type")).toBe("application/json");
  expect(refused.json).toMatchObject({
    code: 14,
    message: expect.stringContaining("signer"),
    details: [expect.objectContaining({ code: "SIGNER_UNAVAILABLE" })],
  });
  // An answer from before the kill is shared for one second.
  const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
  await expect.poll(readiness, { timeout: 3000 }).toBe(503);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

  // Every client got an answer, or a 503 that says when to try again.
  const before = answered();
  signer = await startSigner(state);
  await expect.poll(readiness, { timeout: 20_000 }).toBe(200);
  await expect.poll(answered).toBeGreaterThan(before + 10);
  await load.stop();
  const failures = load.sent.filter(wasRefused);
  expect(failures.length).toBeGreaterThan(0);
  for (const { answer } of failures) {
    expect(answer?.status).toBe(503);
    expect(answer?.headers.get("retry-after")).toBe("1");
    expect(answer?.json.code).toBe(14);
  }

  await expectKept(service, target.key, load.sent);
  await expectRepeatable(service, target.key, load.sent);
  expect(service.child.exitCode).toBe(null);
  expect(await service.stop()).toBe(0);
  await signer.stop();
});
