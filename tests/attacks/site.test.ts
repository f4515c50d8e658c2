import { createClientAddress } from "@keyhearth/api/http/rate-limit";
import { createLog, terminal } from "@keyhearth/api/observability/log";
import { appOf } from "@keyhearth/api/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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

function ask(path: string, { from = "203.0.113.7", headers = {}, trusted = "10.0.0.1" } = {}) {
  const app = appOf(server.host, {
    clientAddress: createClientAddress([{ address: trusted, prefix: 32, family: "ipv4" }]),
  });
  const incoming = { socket: { remoteAddress: from } };
  return app.request(`http://keys.example.com${path}`, { headers }, { incoming });
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

test("metrics are not shown through a proxy, whatever it says and however it connects", async () => {
  const said = [
    { "x-forwarded-for": "203.0.113.7" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-for": "" },
    { "x-forwarded-for": "127.0.0.1, 203.0.113.7" },
    { forwarded: "for=127.0.0.1" },
    { "x-forwarded-host": "keys.example.com" },
  ];
  for (const from of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    expect((await ask("/metrics", { from })).status).toBe(200);
    for (const headers of said) {
      const { status } = await ask("/metrics", { from, headers });
      expect([from, headers, status]).toEqual([from, headers, 403]);
    }
  }
  // Another machine's loopback is not this machine, though its proxy is trusted.
  const headers = { "x-forwarded-for": "127.0.0.1" };
  expect((await ask("/metrics", { from: "10.0.0.1", headers })).status).toBe(403);
});
