import { PROTOCOL } from "@keyhearth/engine/core/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { createReadiness } from "./readiness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Database and signer, and how often each was asked. `hold` keeps the database's answers back. */
function watched() {
  const asked = { database: 0, signer: 0 };
  let held: Promise<void> = Promise.resolve();
  return {
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    host: {
      log: server.host.log,
      store: {
        ...server.store,
        async probe() {
          asked.database += 1;
          await held;
          await server.store.probe();
        },
      },
      askSigner: (...call: Parameters<typeof server.host.askSigner>) => {
        asked.signer += 1;
        return server.host.askSigner(...call);
      },
    },
  };
}

const ready = { ready: true, reasons: [], parts: { database: true, signer: true } };

test("however many ask, database and signer are asked once a second", async () => {
  const { host, asked } = watched();
  let nowMs = 0;
  const check = createReadiness(host, () => nowMs);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => check()));
  expect(new Set(answers)).toEqual(new Set([ready]));
  nowMs = 999;
  expect(await check()).toEqual(ready);
  expect(asked).toEqual({ database: 1, signer: 1 });
  nowMs = 1000;
  expect(await check()).toEqual(ready);
  expect(asked).toEqual({ database: 2, signer: 2 });
});

test("a database that does not answer is asked once, until it answers", async () => {
  const { host, asked, hold } = watched();
  let nowMs = 0;
  const check = createReadiness(host, () => nowMs);
  const release = hold();
  const late = {
    ready: false,
    reasons: ["the database does not answer"],
    parts: { database: false, signer: true },
  };
  expect(await check()).toEqual(late);
  nowMs += 1000;
  const second = check();
  expect(await second).toEqual(late);
  expect(asked.database).toBe(1);
  release();
  nowMs += 1000;
  await expect.poll(() => check()).toEqual(ready);
});

test("a signer that was replaced by one of another release is not ready", async () => {
  const { host } = watched();
  const protocol = PROTOCOL + 1;
  const askSigner: typeof host.askSigner = async (...call) => {
    const answer = await host.askSigner(...call);
    return answer.kind === "description" ? { ...answer, protocol } : answer;
  };
  expect(await createReadiness({ ...host, askSigner })()).toEqual({
    ready: false,
    reasons: [expect.stringContaining("upgrade the service, so that both are of one release")],
    parts: { database: true, signer: false },
  });
});

const behind = {
  ready: false,
  reasons: [
    "the database is older than the signer has seen; if it was restored from a backup, stop the signer and run `npm run signer -- accept-restored-database` on its machine",
  ],
  parts: { database: true, signer: false },
};

/** Moves the documents of these organizations back by a version, or forward again. */
async function move(by: 1 | -1, ...organizationIds: string[]) {
  for (const organizationId of organizationIds) {
    await server.store.run(
      "",
      `UPDATE organizations SET version = version + (${by}) WHERE organization_id = '${organizationId}'`,
      [],
    );
  }
}

test("a database that is older than the signer is not ready, but one old organization is no reason", async () => {
  const lines: unknown[] = [];
  const log = { ...server.host.log, error: (_: object, text: string) => lines.push(text) };
  // Only errors are logged here.
  const host = { ...watched().host, log: log as unknown as typeof server.host.log };
  let nowMs = 0;
  const check = createReadiness(host, () => nowMs++ * 1000);
  const [one, two, three] = [
    (await newOrganization(server)).organizationId,
    (await newOrganization(server)).organizationId,
    (await newOrganization(server)).organizationId,
  ];
  expect(await check()).toEqual(ready);
  for (const alone of [one, two, three]) {
    await move(-1, alone);
    expect(await check()).toEqual(ready);
    await move(1, alone);
  }
  await move(-1, one, two);
  // What was confirmed last is there, so the database was not put back.
  expect(await check()).toEqual(ready);
  await move(-1, three);
  expect(await check()).toEqual(behind);
  expect(await check()).toEqual(behind);
  expect(lines).toEqual([`ALARM: ${behind.reasons}`]);
  await move(1, one, two, three);
  expect(await check()).toEqual(ready);
});

test("a race with a commit is no reason", async () => {
  const { root } = await newOrganization(server);
  const { host } = watched();
  let nowMs = 0;
  const check = createReadiness(host, () => nowMs++ * 1000);
  const busy = Array.from({ length: 20 }, (_, i) =>
    root.createUserTag({ userTagName: `tag ${i}`, userIds: [] }),
  );
  const answers = [];
  for (let i = 0; i < 50; i++) answers.push(await check());
  await Promise.all(busy);
  expect(answers).toEqual(answers.map(() => ready));
});
