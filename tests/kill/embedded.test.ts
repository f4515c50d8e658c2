import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { isLong } from "../start/long-form.ts";
import { readRootKey, startService } from "../start/process.ts";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  type Sent,
  startLoad,
  type Target,
  wasAnswered,
} from "./load.ts";

const kills = isLong ? 50 : 3;
const dataDirectory = await newDataDirectory("kill");
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

test(`the embedded database keeps every answered request through ${kills} kills of the process`, {
  timeout: 30_000 + kills * 20_000,
}, async () => {
  const environment = { KEYHEARTH_DATA_DIR: dataDirectory };
  let service = await startService(environment);
  const root = readRootKey(dataDirectory);
  const rounds: { target: Target; sent: Sent[] }[] = [];
  let answered = 0;

  for (let kill = 1; kill <= kills; kill++) {
    const target = await createTarget(service, root);
    const load = startLoad(service, target);
    await expect.poll(() => load.sent.filter(wasAnswered).length).toBeGreaterThan(10);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 900));
    expect(await service.kill()).toBe("SIGKILL");
    await load.stop();

    service = await startService(environment);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    answered += load.sent.filter(wasAnswered).length;
    await expectKept(service, target.key, load.sent);
    await expectRepeatable(service, target.key, load.sent);
    rounds.push({ target, sent: load.sent });
  }
  // Also what earlier processes answered.
  for (const { target, sent } of rounds) await expectKept(service, target.key, sent);
  expect(answered).toBeGreaterThan(kills * 10);
  expect(await service.stop()).toBe(0);
  console.log(`${kills} kills, ${answered} answered requests, none lost`);
});
