import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SignerStateError } from "../state/state-error.ts";
import { createRootKeyFile, readRootKeyFile } from "./file.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-root-key-"));
  path = join(directory, "root-key");
});

afterEach(() => rmSync(directory, { recursive: true }));

test("a new root key is 32 random bytes that only its owner can read", () => {
  const key = createRootKeyFile(path);
  expect(key).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readRootKeyFile(path)).toEqual(key);
  expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
});

test("a root key that others could read is refused, and the message says what to do", () => {
  createRootKeyFile(path);
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    chmodSync(path, mode);
    const read = () => readRootKeyFile(path);
    expect(read).toThrow(SignerStateError);
    expect(read).toThrow(
      `root key file ${path} has mode ${mode.toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  for (const mode of [0o600, 0o400]) {
    chmodSync(path, mode);
    expect(readRootKeyFile(path)).toHaveLength(32);
  }
});

test("a file with something else is refused, and the message quotes none of it", () => {
  const secret = "a".repeat(63);
  for (const text of ["", secret, `${secret}g`, "A".repeat(64), `${"a".repeat(64)} b`]) {
    writeFileSync(path, text, { mode: 0o600 });
    expect(() => readRootKeyFile(path)).toThrow(
      new SignerStateError(
        `root key file ${path} does not hold 64 hex characters; restore it from a backup`,
      ),
    );
  }
});

test("a root key is never overwritten", () => {
  const key = createRootKeyFile(path);
  expect(() => createRootKeyFile(path)).toThrow(`root key file ${path} already exists`);
  expect(readRootKeyFile(path)).toEqual(key);
});
