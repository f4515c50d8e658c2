import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { errorResponse } from "../http/answer.ts";
import { createLog } from "../observability/log.ts";
import type { Env } from "../wire/request.ts";
import { createDashboard } from "./dashboard.ts";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-dashboard-"));
const page = "<!doctype html><title>Keyhearth</title>";

beforeAll(() => {
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), page);
  writeFileSync(join(directory, "first.js"), "first();");
  writeFileSync(join(directory, "returned.html"), page);
  writeFileSync(join(directory, "assets/index-DvHKDLlR.js"), `start(${"1,".repeat(2000)}1);`);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function appWith(folder = directory) {
  const app = new Hono<Env>();
  const log = createLog({ level: "silent", isPassing: () => false });
  app.use("*", (c, next) => {
    c.set("asked", {});
    return next();
  });
  app.onError((error, c) => errorResponse(c, log, error));
  app.all("*", createDashboard({ directory: folder }));
  return app;
}

test.each([
  "/dashboard",
  "/dashboard/",
  "/dashboard/index.html",
  "/dashboard/wallets/2f1c",
  "/dashboard/settings/webhooks",
])("%s is the page, which nobody may embed", async (path) => {
  const answer = await appWith().request(path);
  expect([answer.status, await answer.text()]).toEqual([200, page]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; script-src 'self'; .*; frame-ancestors 'none'$/,
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
  });
});

test("the page that gets tokens in its address does nothing, is embedded nowhere and tells nobody its address", async () => {
  const answer = await appWith().request("/dashboard/returned.html");
  expect([answer.status, await answer.text()]).toEqual([200, page]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    // The window that waits for it must not lose it.
    "cross-origin-opener-policy": "unsafe-none",
  });
});

test("files are sent compressed, and kept if their names have a hash", async () => {
  const compressed = { headers: { "Accept-Encoding": "br" } };
  const asset = await appWith().request("/dashboard/assets/index-DvHKDLlR.js", compressed);
  expect(Object.fromEntries(asset.headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "content-encoding": "br",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
  });
  const first = await appWith().request("/dashboard/first.js");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const etag = first.headers.get("etag") ?? "";
  const again = await appWith().request("/dashboard/first.js", {
    headers: { "If-None-Match": etag },
  });
  expect(again.status).toBe(304);
});

test.each([
  "/dashboard/assets/index-00000000.js",
  "/dashboard/assets/",
  "/dashboard/logo.svg",
  "/dashboard/..%2f..%2fpackage.json",
])("%s is not found, and is never the page", async (path) => {
  const answer = await appWith().request(path);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("the dashboard has no file");
});

test("the dashboard takes GET, and says so if it was not built", async () => {
  const sent = await appWith().request("/dashboard", { method: "POST" });
  expect([sent.status, (await sent.json()).message]).toEqual([
    405,
    "`/dashboard` takes GET, got POST",
  ]);
  const unbuilt = await appWith(join(directory, "nowhere")).request("/dashboard");
  expect([unbuilt.status, (await unbuilt.json()).message]).toEqual([
    404,
    expect.stringContaining("run npm run build -w @keyhearth/dashboard"),
  ]);
});
