import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { testCourier } from "@keyhearth/engine/messages.testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  acceptClock,
  acceptRestoredDatabase,
  openSigner,
  readPublicKeys,
  trustCourierIn,
} from "../signer.ts";
import { SignerStateError } from "./state-error.ts";

let directory: string;
let state: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-state-"));
  state = join(directory, "state");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function open() {
  return openSigner({ stateDirectory: state, mayCreate: true, log: () => {} });
}

/** What the signer says when it does not open: always one line, and always of the same type. */
function sentenceOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SignerStateError);
    const { message } = error as Error;
    expect(message).not.toMatch(/\n/);
    expect(message).toContain(directory);
    return message;
  }
  throw new Error("it opened");
}

function replaceWith(path: string, create: () => void) {
  rmSync(path);
  create();
}

const damages: [string, (path: string) => void][] = [
  ["empty", (path) => writeFileSync(path, "")],
  ["cut short", (path) => writeFileSync(path, readFileSync(path).subarray(0, 17))],
  ["other bytes", (path) => writeFileSync(path, Buffer.alloc(200, 0xa7))],
  ["longer", (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(50)]))],
  ["a directory", (path) => replaceWith(path, () => mkdirSync(path))],
  [
    "a dangling link",
    (path) => replaceWith(path, () => symlinkSync(join(directory, "gone"), path)),
  ],
  ["a link to itself", (path) => replaceWith(path, () => symlinkSync(path, path))],
  ["a FIFO", (path) => replaceWith(path, () => makeFifo(path))],
  ["a huge file", (path) => truncateSync(path, 1900 * 1024 * 1024)],
  ["a hard link", (path) => linkSync(path, join(directory, "other"))],
];

function makeFifo(path: string) {
  execFileSync("mkfifo", ["-m", "600", path]);
}

describe.each(["root-key", "keyring"])("a damaged %s is one sentence", (name) => {
  test.each(damages)("%s", (_, damage) => {
    open().close();
    const path = join(state, name);
    damage(path);
    chmodIfFile(path);
    const before = readdirSync(state);
    sentenceOf(open);
    sentenceOf(() => readPublicKeys(state));
    // Nothing was created in place of what is damaged.
    expect(readdirSync(state)).toEqual(before);
    expect(existsSync(join(directory, "gone"))).toBe(false);
  });
});

test.each([
  ["a directory", damages[4]?.[1]],
  ["a dangling link", damages[5]?.[1]],
  ["a link to itself", damages[6]?.[1]],
])("marks that are %s are one sentence", (_, damage) => {
  open().close();
  damage?.(join(state, "marks"));
  sentenceOf(open);
  sentenceOf(() => acceptRestoredDatabase(state));
});

test.each(["form", "courier", "new-installation", "marks-wal"])(
  "a FIFO or a huge file as %s is one sentence that names it",
  (name) => {
    open().close();
    const path = join(state, name);
    rmSync(path, { force: true });
    makeFifo(path);
    expect(sentenceOf(open)).toContain(`${path} is not a file; restore`);
    rmSync(path);
    writeFileSync(path, "", { mode: 0o600 });
    truncateSync(path, 1900 * 1024 * 1024);
    expect(sentenceOf(open)).toContain(`${path} has more than`);
  },
);

test.runIf(process.getuid?.() === 0).each(["root-key", "keyring"])(
  "a %s of another user is one sentence",
  (name) => {
    open().close();
    chownSync(join(state, name), 64_009, 64_009);
    expect(sentenceOf(open)).toContain(`${join(state, name)} belongs to user 64009`);
  },
);

test("a first start that was killed while it wrote its root key is begun again", () => {
  mkdirSync(state);
  writeFileSync(join(state, "root-key.new"), "0123", { mode: 0o600 });
  open().close();
  expect(readdirSync(state).sort()).toEqual([
    "form",
    "keyring",
    "marks",
    "new-installation",
    "root-key",
    "starts",
  ]);
});

test("a first start that was killed after it named its root key leaves one name", () => {
  open().close();
  linkSync(join(state, "root-key"), join(state, "root-key.new"));
  open().close();
  expect(statSync(join(state, "root-key")).nlink).toBe(1);
  expect(existsSync(join(state, "root-key.new"))).toBe(false);
});

test("no root key is created beside marks", () => {
  open().close();
  rmSync(join(state, "root-key"));
  rmSync(join(state, "keyring"));
  expect(sentenceOf(open)).toContain("root-key is missing");
  expect(existsSync(join(state, "root-key"))).toBe(false);
});

test("a state directory that cannot be created is one sentence", () => {
  writeFileSync(state, "");
  for (const stateDirectory of [state, join(state, "below"), "/proc/x", "/proc/x/y"]) {
    const create = () => openSigner({ stateDirectory, mayCreate: true, log: () => {} });
    expect(create).toThrow(SignerStateError);
    expect(create).toThrow(`the signer's state in ${stateDirectory} cannot be opened: `);
  }
});

function chmodIfFile(path: string) {
  try {
    chmodSync(path, 0o600);
  } catch {
    // A link that leads nowhere has no mode.
  }
}

test.each([
  [0o777, 0o710],
  [0o750, 0o710],
  [0o700, 0o700],
])("a state directory with mode %o is closed to other users at the start", (mode, expected) => {
  const modeOf = () => statSync(state).mode & 0o777;
  mkdirSync(state);
  for (const start of ["first", "second"]) {
    chmodSync(state, mode);
    open().close();
    expect([start, modeOf()]).toEqual([start, expected]);
  }
});

test("a state directory that all users share is one sentence", () => {
  mkdirSync(state);
  chmodSync(state, 0o1777);
  expect(sentenceOf(open)).toContain("is for all users to share");
  expect(readdirSync(state)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("a state directory of another user is one sentence", () => {
  open().close();
  chownSync(state, 64_009, 64_009);
  expect(sentenceOf(open)).toMatch(/belongs to user 64009, .+ the signer runs as user 0; change/);
  chownSync(state, 0, 0);
  renameSync(state, join(directory, "real"));
  symlinkSync(join(directory, "real"), state);
  open().close();
  lchownSync(state, 64_009, 64_009);
  expect(sentenceOf(open)).toContain("is a link of user 64009");
});

test.runIf(process.getuid?.() === 0)(
  "no command leaves files of root beside those of the signer's user",
  () => {
    open().close();
    for (const name of ["", ...readdirSync(state)]) chownSync(join(state, name), 64_009, 64_009);
    const stateOf = () =>
      readdirSync(state).map((name) => [
        name,
        statSync(join(state, name)).uid,
        readFileSync(join(state, name)),
      ]);
    const before = stateOf();
    const key = encodeHex(testCourier.publicKey);
    for (const command of [
      () => acceptRestoredDatabase(state, ""),
      () => acceptClock(state, new Date().toISOString()),
      () => trustCourierIn(state, key),
    ]) {
      expect(sentenceOf(command)).toMatch(
        /belongs to user 64009.+sudo -u '#64009'; nothing was changed$/,
      );
    }
    expect(readPublicKeys(state).signerPublicKey).toMatch(/^04/);
    expect(stateOf()).toEqual(before);
  },
);
