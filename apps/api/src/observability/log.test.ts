import { connect } from "node:net";
import { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { databaseUnavailable, isPassing } from "../store/unavailable.ts";
import { createLog, terminal } from "./log.ts";

function capture() {
  const lines: string[] = [];
  const log = createLog({ level: "info", destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "null") };
}

test("a line is JSON with level, time, process and message", () => {
  const { log, last } = capture();
  log.info({ route: "/public/v1/query/whoami", status: 200 }, "request");
  const { time, ...rest } = last();
  expect(new Date(time).getTime()).toBeGreaterThan(0);
  expect(rest).toEqual({
    level: "info",
    pid: process.pid,
    msg: "request",
    route: "/public/v1/query/whoami",
    status: 200,
  });
});

test("lines below the level are not written", () => {
  const { log, lines } = capture();
  log.debug("quiet");
  expect(lines).toEqual([]);
});

test("secrets are removed by name, at any depth, in any spelling", () => {
  const { log, lines, last } = capture();
  log.info({
    headers: {
      authorization: "Bearer hunter2",
      "X-Stamp": "hunter2",
      "x-stamp-webauthn": "hunter2",
      "X-Session": "hunter2",
      cookie: "hunter2",
      "content-type": "application/json",
    },
    parameters: [{ wallet: { mnemonic: "hunter2", seed: "hunter2", walletName: "ops" } }],
    apiPrivateKey: "hunter2",
    client_secret: "hunter2",
    password: "hunter2",
    verificationToken: "hunter2",
    privateKeyId: "kept",
  });
  expect(lines.join()).not.toContain("hunter2");
  expect(last()).toMatchObject({
    headers: { authorization: "[redacted]", "content-type": "application/json" },
    parameters: [{ wallet: { mnemonic: "[redacted]", walletName: "ops" } }],
    privateKeyId: "kept",
  });
});

test("the bindings of a child are redacted too", () => {
  const { log, lines } = capture();
  log.child({ "x-stamp": "hunter2", token: "hunter2", requestId: "r1" }).info("request");
  expect(lines.join()).not.toContain("hunter2");
  expect(lines.join()).toContain('"requestId":"r1"');
});

test("bytes, passwords in URLs and cycles are not written", () => {
  const { log, lines, last } = capture();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  log.info({
    key: new Uint8Array(32).fill(65),
    url: "postgres://keyhearth:hunter2@db/keyhearth",
    parsed: new URL("postgres://keyhearth:hunter2@db/keyhearth"),
    cycle,
  });
  expect(lines.join()).not.toContain("hunter2");
  expect(last()).toMatchObject({
    key: "[32 bytes]",
    url: "postgres://keyhearth:[redacted]@db/keyhearth",
    parsed: "postgres://keyhearth:[redacted]@db/keyhearth",
  });
});

test("what an error repeats of a request is cut, and no part of a password is left", () => {
  const { log, lines, last } = capture();
  const secret = "hunter2".repeat(200);
  log.error({ err: new Error(`${"x".repeat(900)} http://a:${secret}@b/${"y".repeat(16_000)}`) });
  expect(lines.join("").length).toBeLessThan(10_000);
  expect(last().err.message).toMatch(/^x+ http:\/\/a:\[redacted\]@b\/y+…$/);
  expect(last().err.stack).not.toContain("hunter2");
});

test("only known members of an error are written", () => {
  const { log, lines, last } = capture();
  const cause = Object.assign(new Error("connect postgres://a:hunter2@db/x"), {
    code: "ECONNREFUSED",
    config: { headers: { authorization: "hunter2" } },
  });
  log.error({ err: new ApiError("UNAVAILABLE", "DATABASE_UNAVAILABLE", "try later", { cause }) });
  log.error(cause);
  expect(lines.join()).not.toContain("hunter2");
  expect(last().err).toMatchObject({ type: "Error", code: "ECONNREFUSED" });
  expect(JSON.parse(lines[0] ?? "").err).toMatchObject({
    type: "ApiError",
    code: "UNAVAILABLE",
    reason: "DATABASE_UNAVAILABLE",
    message: "try later",
    cause: { code: "ECONNREFUSED", message: "connect postgres://a:[redacted]@db/x" },
  });
});

test("an error that passes by itself has no stack, and neither has what caused it", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: "info", destination, isPassing });
  const refused = await new Promise<Error>((resolve) => {
    const socket = connect(1, "127.0.0.1", () => socket.destroy());
    socket.on("error", resolve);
  });
  log.warn({ err: refused }, "sealing will be tried again");
  log.warn({ err: databaseUnavailable(refused) }, "sealing will be tried again");
  log.warn(refused);
  log.error({ err: new TypeError("a bug", { cause: refused }) }, "failed");
  const [bare, wrapped, alone, bug] = lines.map((line) => JSON.parse(line).err);
  const known = { type: "Error", code: "ECONNREFUSED", message: expect.any(String) };
  expect(bare).toEqual(known);
  expect(alone).toEqual(known);
  expect(wrapped).toEqual({
    type: "ApiError",
    code: "UNAVAILABLE",
    reason: "DATABASE_UNAVAILABLE",
    message: expect.any(String),
    cause: known,
  });
  expect(bug).toMatchObject({ stack: expect.stringContaining("log.test.ts") });
});

test("a terminal gets short lines", () => {
  const shown: string[] = [];
  const destination = terminal({ write: (text) => void shown.push(text) });
  const log = createLog({ level: "info", destination });
  log.info({ route: "/healthz", status: 200, note: "two words" }, "request");
  log.error(new Error("broken"), "failed");
  expect(shown[0]).toMatch(
    /^\d\d:\d\d:\d\d info {2}request route=\/healthz status=200 note="two words"\n$/,
  );
  expect(shown[1]).toMatch(/^\d\d:\d\d:\d\d error failed\nError: broken\n\s+at /);
});

test("characters that a terminal acts on are shown as such", () => {
  const { log, last } = capture();
  const hostile = "/\u001b]0;title\u0007\u009b2J\u202e\u2028";
  log.info({ path: hostile, within: [hostile] }, `asked for ${hostile}`);
  log.error(new Error(hostile), "failed");
  expect(last().err.message).toBe("/\u001b]0;title\u0007\\u{9b}2J\\u{202e}\\u{2028}");
  const shown: string[] = [];
  const destination = terminal({ write: (text) => void shown.push(text) });
  const onTerminal = createLog({ level: "info", destination });
  onTerminal.info({ path: hostile, within: [hostile] }, `asked for ${hostile}`);
  onTerminal.error(new Error(hostile), "failed");
  for (const text of shown) expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Bidi_Control}]/u);
  expect(shown[0]).toContain("path=/\\u{1b}]0;title");
});

test.each(["a.", "a-", "a.b://", "http://u:", "://:"])(
  "a text of %j without end takes a time that grows with its length only",
  (part) => {
    const { log } = capture();
    // Not by the clock on the wall, because tests share the machine.
    const before = process.cpuUsage();
    log.info({ path: part.repeat(200_000 / part.length) });
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  },
);
