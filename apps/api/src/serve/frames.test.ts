import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFrames } from "../../../frames/scripts/build.ts";
import { errorResponse } from "../http/answer.ts";
import { createLog } from "../observability/log.ts";
import type { Env } from "../wire/request.ts";
import { createFrames } from "./frames.ts";

// The pages as they are built, served as the service does.

const signerPublicKey = `04${"ab".repeat(64)}`;
const directory = mkdtempSync(join(tmpdir(), "keyhearth-frames-"));

beforeAll(async () => void (await writeFrames(directory)));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function appWith(ancestors: string | null, folder = directory) {
  const app = new Hono<Env>();
  const log = createLog({ level: "silent", isPassing: () => false });
  app.use("*", (c, next) => {
    c.set("asked", {});
    return next();
  });
  app.onError((error, c) => errorResponse(c, log, error));
  app.all("*", createFrames({ directory: folder, signerPublicKey, ancestors }));
  return app;
}

const allowed = "https://app.example https://b.example";

test.each(["auth", "export", "export-and-sign", "import"])(
  "/frames/%s is pinned, and says who may embed it",
  async (name) => {
    const answer = await appWith(allowed).request(`/frames/${name}`);
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain(
      `<meta name="keyhearth-signer-public-key" content="${signerPublicKey}">`,
    );
    expect(html).toContain(`<meta name="keyhearth-frame-ancestors" content="${allowed}">`);
    // Nothing inline, which the policy would not run.
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const policy = answer.headers.get("content-security-policy")?.split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      `frame-ancestors ${allowed}`,
    ]);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      "cross-origin-resource-policy": "cross-origin",
      "cross-origin-embedder-policy": "require-corp",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "permissions-policy": expect.stringContaining("clipboard-write=(self)"),
    });
    for (const absent of ["set-cookie", "x-frame-options", "access-control-allow-origin"]) {
      expect(headers).not.toHaveProperty(absent);
    }
  },
);

test("by default nobody may embed them", async () => {
  const answer = await appWith(null).request("/frames/export");
  expect(answer.headers.get("content-security-policy")).toMatch(/; frame-ancestors 'none'$/);
  expect(answer.headers.get("x-frame-options")).toBe("DENY");
  expect(await answer.text()).toContain('<meta name="keyhearth-frame-ancestors" content="">');
});

test("their scripts and styles are small, compressed and kept", async () => {
  const app = appWith(null);
  for (const [file, type] of [
    ["auth.js", "text/javascript"],
    ["export.js", "text/javascript"],
    ["export-and-sign.js", "text/javascript"],
    ["import.js", "text/javascript"],
    ["frames.css", "text/css"],
  ]) {
    const compressed = { headers: { "Accept-Encoding": "gzip" } };
    const answer = await app.request(`/frames/${file}`, compressed);
    expect(answer.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(45_000);
    const etag = answer.headers.get("etag") ?? "";
    const again = await app.request(`/frames/${file}`, { headers: { "If-None-Match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  }
});

test("another path, or another method, is a mistake that an answer explains", async () => {
  const app = appWith(null);
  const messageOf = async (answer: Response) => {
    const { message } = (await answer.json()) as { message: string };
    return [answer.status, message];
  };
  const frames = "there are /frames/auth, /frames/export, /frames/export-and-sign, /frames/import";
  for (const path of ["/frames", "/frames/", "/frames/login", "/frames/..%2fpackage.json"]) {
    const [status, message] = await messageOf(await app.request(path));
    expect(status).toBe(404);
    expect(message).toMatch(/^there is no frame `.+`; /);
    expect(message).toContain(frames);
  }
  const sent = await app.request("/frames/auth", { method: "POST" });
  expect(await messageOf(sent)).toEqual([405, "`/frames/auth` takes GET, got POST"]);
  expect((await app.request("/frames/auth", { method: "HEAD" })).status).toBe(200);
  const unbuilt = appWith(null, join(directory, "missing"));
  expect(await messageOf(await unbuilt.request("/frames/auth"))).toEqual([
    404,
    expect.stringContaining("run npm run build -w @keyhearth/frames"),
  ]);
});
