import { rmSync } from "node:fs";
import { startReceiver } from "@keyhearth/api/jobs/webhooks/receiver.testing";
import { afterAll, expect, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { isLong } from "../start/long-form.ts";
import { signing, submit } from "../start/post.ts";
import { clientOf, readRootKey, type Service, startService } from "../start/process.ts";
import { createTarget, type Target } from "./load.ts";

const count = isLong ? 10_000 : 100;
const kills = isLong ? 5 : 1;

const dataDirectory = await newDataDirectory("kill-webhooks");
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

test(`${count} deliveries arrive through ${kills} kills, at a receiver that fails half of them`, {
  timeout: isLong ? 1_800_000 : 180_000,
}, async () => {
  // Every other event fails at first, half of those a second time.
  const attempts = new Map<string, number>();
  const delivered = new Set<string>();
  const receiver = await startReceiver(({ headers, activity }) => {
    const id = String(headers["x-turnkey-event-id"]);
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    const digit = Number.parseInt(id.slice(0, 1), 16);
    const failures = digit % 2 === 0 ? 0 : digit % 4 === 1 ? 1 : 2;
    if (attempt <= failures) return 503;
    delivered.add(activity.id);
    return 200;
  });
  const environment = {
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
  };
  let service = await startService(environment);
  const root = readRootKey(dataDirectory);
  const target = await createTarget(service, root);
  const client = clientOf(service, root);
  await client.createWebhookEndpoint({ url: receiver.url, name: "receiver" });

  const startedAt = performance.now();
  const answered: string[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await act(service, target, count / kills, answered);
    expect(await service.kill()).toBe("SIGKILL");
    service = await startService(environment);
  }
  expect(answered).toHaveLength(count);
  const missing = () => answered.filter((id) => !delivered.has(id)).length;
  await expect.poll(missing, { timeout: isLong ? 1_200_000 : 120_000, interval: 250 }).toBe(0);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const total = receiver.received.length;
  console.log(
    `${count} deliveries in ${total} attempts and ${kills} kills, in ${seconds} s, none lost`,
  );
  expect(await service.stop()).toBe(0);
  await receiver.close();
});

/** Sends that many requests to sign, from several connections, and keeps the ids of their activities. */
async function act(service: Service, { key, signWith }: Target, amount: number, ids: string[]) {
  let left = amount;
  const lane = async () => {
    while (left-- > 0) {
      const { json } = await submit(service, key, signing(key, signWith));
      ids.push(String(json.activity?.id));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}
