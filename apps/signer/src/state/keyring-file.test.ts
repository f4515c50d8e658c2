import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import { addEpoch, createKeyring } from "@keyhearth/engine/vault/keyring";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readKeyringFile, writeKeyringFile } from "./keyring-file.ts";
import { SignerStateError } from "./state-error.ts";

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-keyring-"));
  path = join(directory, "keyring");
});

afterEach(() => rmSync(directory, { recursive: true }));

const rootKey = secretBytes(new Uint8Array(32).fill(1));

test("a keyring is read back with its root key, and only its owner can read the file", () => {
  const keyring = addEpoch(createKeyring(randomBytes), randomBytes);
  writeKeyringFile(path, rootKey, keyring);
  expect(readKeyringFile(path, rootKey)).toEqual(keyring);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["keyring"]);
});

test("writing it again replaces it", () => {
  const keyring = createKeyring(randomBytes);
  writeKeyringFile(path, rootKey, keyring);
  const next = addEpoch(keyring, randomBytes);
  writeKeyringFile(path, rootKey, next);
  expect(readKeyringFile(path, rootKey)).toEqual(next);
});

test("a wrong root key or a damaged file is reported in one sentence that says what to do", () => {
  writeKeyringFile(path, rootKey, createKeyring(randomBytes));
  const whole = readFileSync(path);
  const sentence = `keyring ${path} does not open with this root key; restore the root key that it was created with`;
  const refused = (key: SecretBytes) => {
    const read = () => readKeyringFile(path, key);
    expect(read).toThrow(SignerStateError);
    expect(read).toThrow(sentence);
  };
  refused(secretBytes(new Uint8Array(32).fill(2)));
  for (const length of [0, 11, 12, 40, whole.length - 1]) {
    writeFileSync(path, whole.subarray(0, length));
    refused(rootKey);
  }
  for (const position of [0, 12, whole.length - 1]) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
    writeFileSync(path, changed);
    refused(rootKey);
  }
});

test("the file does not reveal the keys", () => {
  const keyring = createKeyring(randomBytes);
  writeKeyringFile(path, rootKey, keyring);
  const text = readFileSync(path).toString("latin1");
  expect(text).not.toContain("epochs");
  expect(text).not.toContain(Buffer.from(keyring.quorumSeed).toString("hex"));
});
