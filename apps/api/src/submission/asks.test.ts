import { afterAll, beforeAll, expect, test } from "vitest";
import { findCurrent } from "../callers/current-document.ts";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { asksOf } from "./asks.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("a long statement leaves the embedded database to others for as long as it took", async ({
  skip,
}) => {
  const { host } = server;
  skip(host.store.kind !== "pglite");
  const { organizationId } = await newOrganization(server);
  const stored = await findCurrent(host, organizationId);
  if (!stored) throw new Error("the organization was made");
  const { read } = asksOf(host, stored);
  const text = "SELECT count(*) AS n FROM generate_series(1, $1::int)";
  const parameters = [300_000];
  // In turns, because other work makes some of them slow, and all of them for a while.
  const straight: number[] = [];
  const rested: number[] = [];
  for (let i = 0; i < 10; i++) {
    straight.push(await timeOf(() => host.store.run("", text, parameters)));
    rested.push(await timeOf(() => read(text, parameters)));
  }
  expect(Math.min(...rested)).toBeGreaterThan(1.3 * Math.min(...straight));
  expect(await read(text, parameters)).toEqual([{ n: 300_000 }]);
});

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
