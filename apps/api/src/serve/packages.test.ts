import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, expect, test } from "vitest";
import { errorResponse } from "../http/answer.ts";
import { createObserver } from "../http/observe.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import type { Env } from "../wire/request.ts";
import { createPackages } from "./packages.ts";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-packages-"));
afterAll(() => rmSync(directory, { recursive: true }));

const content = Buffer.from("a tarball");
const digest = createHash("sha512").update(content).digest("base64");
const sdk = { name: "@keyhearth/sdk", version: "1.2.3", bytes: 9, integrity: `sha512-${digest}` };
writeFileSync(join(directory, "keyhearth-sdk.tgz"), content);
writeFileSync(
  join(directory, "packages.json"),
  JSON.stringify({ packages: [{ ...sdk, file: "keyhearth-sdk.tgz" }] }),
);

function ask(path: string, init: RequestInit = {}, folder = directory) {
  const app = new Hono<Env>();
  const log = createLog({ level: "silent" });
  app.use("*", createObserver({ log, metrics: createMetrics() }));
  app.onError((error, c) => errorResponse(c, log, error));
  app.all("*", createPackages(folder));
  return app.request(path, init);
}

test("the list has the digest that npm writes into its lock file", async () => {
  for (const path of ["/packages", "/packages/"]) {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      packages: [{ ...sdk, path: "/packages/keyhearth-sdk.tgz" }],
    });
  }
});

test("a package is served with its type and digest, and not sent again to whoever has it", async () => {
  const answer = await ask("/packages/keyhearth-sdk.tgz");
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  const { headers } = answer;
  expect(headers.get("content-type")).toBe("application/gzip");
  expect(headers.get("content-length")).toBe("9");
  expect(headers.get("cache-control")).toBe("no-cache");
  expect(headers.get("repr-digest")).toBe(`sha-512=:${digest}:`);
  expect(headers.get("access-control-allow-origin")).toBe("*");

  const known = { "If-None-Match": headers.get("etag") ?? "" };
  expect((await ask("/packages/keyhearth-sdk.tgz", { headers: known })).status).toBe(304);
  const head = await ask("/packages/keyhearth-sdk.tgz", { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    "9",
    "",
  ]);
});

test("anything else is refused in the form of the API's errors", async () => {
  for (const path of [
    "/packages/keyhearth-cli.tgz",
    "/packages/packages.json",
    "/packages/..%2fa",
  ]) {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    const { code, message } = await answer.json();
    expect(code).toBe(5);
    expect(message).toMatch(/^there is no package `.+`; \/packages\/ lists keyhearth-sdk\.tgz$/);
  }
  const posted = await ask("/packages/keyhearth-sdk.tgz", { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("where nothing was packed, the answer says what packs it", async () => {
  const answer = await ask("/packages/", {}, join(directory, "missing"));
  expect(answer.status).toBe(404);
  expect((await answer.json()).message).toContain("run npm run packages in its clone");
});
