import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readElsewhere, writeDashboard } from "./build.ts";

const key = `04${"ab".repeat(64)}`;
const api = "--api=https://keys.example.com";
const pinned = `--session-public-key=${key}`;

test("without an address, it is the dashboard of the service", () => {
  expect(readElsewhere([]).elsewhere).toBeUndefined();
  expect(readElsewhere(["--out=/tmp/d"])).toEqual({ elsewhere: undefined, out: "/tmp/d" });
});

test.each([
  [[pinned], "are for a dashboard of another origin"],
  [["--base=/d/"], "are for a dashboard of another origin"],
  [["--api=http://keys.example.com", pinned, "--out=/tmp/d"], "--api must be the address"],
  [['--api=https://a.example"><script>', pinned, "--out=/tmp/d"], "--api must be the address"],
  [["--api=https://keys.example.com/", pinned, "--out=/tmp/d"], "--api must be the address"],
  [[api, pinned, "--frames=https://f.example/x/", "--out=/tmp/d"], "--frames that of the frames"],
  [[api, pinned, "--frames=http://f.example", "--out=/tmp/d"], "--frames that of the frames"],
  [[api, pinned, "--frames=https://keys.example.com/frames", "--out=/tmp/d"], "at another origin"],
  [[api, pinned, "--frames=https://KEYS.example.com:443/f"], "at another origin than the service"],
  [[api, pinned, "--login-provider=google", "--out=/tmp/d"], "--login-provider must be the name"],
  [[api, pinned, "--login-provider=acme,javascript:alert(1),id"], "--login-provider must be"],
  [[api, pinned, '--login-provider=acme,https://id.example,"><b>'], "--login-provider must be"],
  [["--login-provider=acme,https://id.example,id"], "are for a dashboard of another origin"],
  [[api, "--out=/tmp/d"], "--session-public-key must be the sessionPublicKey"],
  [[api, "--session-public-key=02ab", "--out=/tmp/d"], "--session-public-key must be"],
  [[api, pinned, "--verification-public-key=02ab"], "--verification-public-key must be"],
  [[api, pinned, "--base=dashboard", "--out=/tmp/d"], "--base must be a path"],
  [[api, pinned], "name a folder in --out"],
])("%j is refused", (args, message) => {
  expect(() => readElsewhere(args)).toThrow(message);
});

test("a dashboard of another origin names its service, and says so to every kind of host", async () => {
  // Otherwise the builder takes what is for development.
  vi.stubEnv("NODE_ENV", "production");
  onTestFinished(() => void vi.unstubAllEnvs());
  const out = mkdtempSync(join(tmpdir(), "keyhearth-elsewhere-"));
  onTestFinished(() => rmSync(out, { recursive: true, force: true }));
  const { elsewhere } = readElsewhere([
    ...[api, pinned, "--frames=https://frames.example.com/f", "--base=/treasury/"],
    `--verification-public-key=${key}`,
    ...["acme", "other"].map(
      (name) => `--login-provider=${name},https://id.example/auth,${name}-id`,
    ),
    `--out=${out}`,
  ]);
  await writeDashboard(out, elsewhere);
  const read = (name: string) => readFileSync(join(out, name), "utf8");
  const html = read("index.html");
  expect(html).toContain('<meta name="keyhearth-api" content="https://keys.example.com">');
  expect(html).toContain(`<meta name="keyhearth-session-public-key" content="${key}">`);
  expect(html).toContain(`<meta name="keyhearth-verification-public-key" content="${key}">`);
  expect(html).toContain('src="/treasury/first.js"');
  expect(html).toContain('href="/treasury/sign-up"');
  const connects = "connect-src 'self' https://keys.example.com";
  for (const name of ["index.html", "_headers", "nginx.conf"])
    expect(read(name)).toContain(connects);
  expect(html).toContain('<meta name="keyhearth-frames" content="https://frames.example.com/f">');
  const providers = "acme https://id.example/auth acme-id other https://id.example/auth other-id";
  expect(html).toContain(`<meta name="keyhearth-login-providers" content="${providers}">`);
  // The policy takes an origin.
  expect(html).toContain("frame-src 'self' https://frames.example.com;");
  expect(read("_headers")).toContain("frame-ancestors 'none'");
  expect(read("404.html")).toBe(html);
  expect(read("_redirects")).toBe("/treasury/* /treasury/index.html 200\n");
  expect(read("NOTICES.txt")).toContain("react-aria-components ");
  const [, entry = ""] = /src="\/treasury\/(assets\/[^"]+\.js)"/.exec(html) ?? [];
  expect(existsSync(join(out, entry))).toBe(true);
}, 120_000);
