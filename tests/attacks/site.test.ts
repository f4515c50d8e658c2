import { RateLimited } from "@keyhearth/api/errors";
import type { RateLimit } from "@keyhearth/api/host/rate-limit";
import { createLog, terminal } from "@keyhearth/api/observability/log";
import { appOf, fromThisMachine } from "@keyhearth/api/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Attacked, startAttackedServer } from "./attacker.ts";

// A stranger asks for pages. Nobody knows who it is, and what is asked for is in the log.

let server: Attacked;
let lines: string[];

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

beforeEach(() => {
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  server.host.log = createLog({ level: "info", destination });
});

function ask(path: string) {
  const incoming = { socket: { remoteAddress: "203.0.113.7" } };
  return appOf(server.host).request(`http://keys.example.com${path}`, {}, { incoming });
}

describe("a path", () => {
  test("that looks like many addresses keeps nobody waiting", async () => {
    // The longest that Node.js accepts.
    const longest = 16_000;
    for (const part of ["a.", "a-", "a.b://", "%20a", "a:b@"]) {
      // Not by the clock on the wall, because tests share the machine.
      const before = process.cpuUsage();
      for (let i = 0; i < 5; i++) await ask(`/${part.repeat(longest / part.length)}`);
      expect([part, process.cpuUsage(before).user < 500_000]).toEqual([part, true]);
    }
    expect(lines).toHaveLength(25);
  });

  test("fills no more of the log than any other", async () => {
    await ask(`/${"x".repeat(16_000)}`);
    expect(lines.join("").length).toBeLessThan(500);
  });

  test("with control characters does nothing to the operator who watches the log", async () => {
    const hostile = "/%1b%5d0;title%07%c2%9b2J%e2%80%ae%e2%80%a8%0a%0d2026";
    await ask(hostile);
    const shown: string[] = [];
    const destination = terminal({ write: (text) => void shown.push(text) });
    server.host.log = createLog({ level: "info", destination });
    await ask(hostile);
    expect(shown).toHaveLength(1);
    for (const text of [...lines, ...shown]) {
      expect(text).toMatch(/^[^\n]+\n$/);
      expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    }
  });
});

test("what anybody can have without a limit fills no more than a hundred lines of the log in a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const { host } = server;
    const limited = { check() {}, headers: () => ({}), take: refuse } as unknown as RateLimit;
    const app = appOf(host, { otherRequestsLimit: limited });
    for (let i = 0; i < 250; i++) for (const path of ["/healthz", "/faq"]) await app.request(path);
    expect(lines).toHaveLength(200);
    vi.advanceTimersByTime(60_000);
    const told = lines.slice(200).map((line) => JSON.parse(line));
    expect(told).toMatchObject([
      { kind: "200 /healthz", requests: 150 },
      { kind: "429 RATE_LIMITED", requests: 150 },
    ]);
    await app.request("/faq");
    expect(lines).toHaveLength(203);
  } finally {
    vi.useRealTimers();
  }
});

function refuse(): never {
  throw new RateLimited({ "ratelimit-limit": "1", "ratelimit-remaining": "0" }, 1);
}

test("metrics are not shown through a proxy, whatever it says and however it connects", async () => {
  const status = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const asked = fromThisMachine({ remoteAddress, headers });
    return (await appOf(server.host).request("/metrics", {}, asked)).status;
  };
  const said: Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.7" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-for": "" },
    { "x-forwarded-for": "127.0.0.1, 203.0.113.7" },
    { forwarded: "for=127.0.0.1" },
    { "x-forwarded-host": "localhost:3000" },
    { "x-forwarded-proto": "https" },
    { "x-forwarded-server": "proxy" },
    { via: "1.1 proxy" },
    { "x-real-ip": "127.0.0.1" },
    { "cf-connecting-ip": "127.0.0.1" },
    // One that adds nothing, but passes on the name that the client asked for; or a page that points its name here.
    { host: "keys.example.com" },
    { host: "localhost:443" },
    { host: "localhost.attacker.example:3000" },
    { host: "" },
  ];
  for (const from of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    expect(await status(from)).toBe(200);
    for (const headers of said) {
      expect([from, headers, await status(from, headers)]).toEqual([from, headers, 403]);
    }
  }
  for (const from of ["10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1.attacker", ""]) {
    expect([from, await status(from)]).toEqual([from, 403]);
    expect(await status(from, { "x-forwarded-for": "127.0.0.1" })).toBe(403);
  }
});
