import {
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStamp, stampOver } from "../callers/stamp.ts";
import { openProxyKeys } from "./key.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const log = { error() {} };

let dataDirectory: string;

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), "keyhearth-proxy-key-"));
});

afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }));

test("the secret is made when a key is first asked for, and stays", () => {
  const path = join(dataDirectory, "login-proxy-key");
  const keys = openProxyKeys({ dataDirectory }, log);
  expect(existsSync(path)).toBe(false);
  const publicKey = keys.publicKeyOf(organizationId);
  expect(publicKey).toMatch(/^0[23][0-9a-f]{64}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  expect(openProxyKeys({ dataDirectory }, log).publicKeyOf(organizationId)).toBe(publicKey);
  const other = keys.publicKeyOf("5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c12");
  expect(other).not.toBe(publicKey);
});

test("two processes that start together have the same keys", () => {
  const [one, two] = [openProxyKeys({ dataDirectory }, log), openProxyKeys({ dataDirectory }, log)];
  expect(one.publicKeyOf(organizationId)).toBe(two.publicKeyOf(organizationId));
});

test("the key of an organization makes its stamps", () => {
  const keys = openProxyKeys({ dataDirectory }, log);
  const body = encodeUtf8("{}");
  const value = keys.stamp(organizationId, body);
  const { read } = stampOver(body, readStamp({ name: "X-Stamp", value }));
  if ("error" in read) throw read.error;
  expect(read.isBy(keys.publicKeyOf(organizationId))).toBe(true);
});

test("a file that holds something else is refused at the start, and a second name of it too", () => {
  const path = join(dataDirectory, "key");
  writeFileSync(path, "not a key", { mode: 0o600 });
  expect(() => openProxyKeys({ dataDirectory, path }, log)).toThrow(/restore it from a backup/);
  writeFileSync(path, "ab".repeat(32), { mode: 0o600 });
  linkSync(path, join(dataDirectory, "copy"));
  expect(() => openProxyKeys({ dataDirectory, path }, log)).toThrow(path);
});

test("without a place for the secret, there is a sentence and no key", () => {
  const path = join(dataDirectory, "missing", "key");
  const keys = openProxyKeys({ dataDirectory, path }, log);
  expect(() => keys.publicKeyOf(organizationId)).toThrow(/the operator’s log says why/);
});
