import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf, newDoorKey, type Pin, readDoorKey } from "@keyhearth/outbound/door-key";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addPeer, findPeer, readPeers, removePeer } from "./peers-file.ts";
import { SignerStateError } from "./state-error.ts";

let directory: string;
let path: string;
const now = new Date("2026-01-31T09:30:00Z");

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-peers-"));
  path = join(directory, "peers");
});
afterEach(() => rmSync(directory, { recursive: true }));

function newPin(): Pin {
  const key = readDoorKey(newDoorKey());
  if (!key) throw new Error("no key");
  return key.pin;
}

const add = (name: string, line: string) => addPeer(path, name, line, now);

test("an API is paired under its name until it is removed, and pairing it again changes nothing", () => {
  const [one, two] = [newPin(), newPin()];
  expect(add("api-1", lineOf("api", one))).toEqual({ isNew: true });
  expect(add("api-2", lineOf("api", two))).toEqual({ isNew: true });
  const before = readFileSync(path, "utf8");
  expect(add("api-1", lineOf("api", one))).toEqual({ isNew: false });
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(findPeer(readPeers(path), two)?.name).toBe("api-2");
  expect(findPeer(readPeers(path), newPin())).toBe(undefined);

  removePeer(path, "api-1", now);
  expect(findPeer(readPeers(path), one)).toBe(undefined);
  expect(readPeers(path).paired.map(({ name }) => name)).toEqual(["api-2"]);
  expect(() => add("api-1", lineOf("api", one))).toThrow(
    "was removed on 2026-01-31T09:30:00.000Z and stays removed",
  );
  expect(add("api-1", lineOf("api", newPin()))).toEqual({ isNew: true });
});

test("what is wrong with a name or a line is one sentence, and changes nothing", () => {
  const pin = newPin();
  add("api-1", lineOf("api", pin));
  const before = readFileSync(path, "utf8");
  for (const [name, line, sentence] of [
    ["-", lineOf("api", newPin()), "is not accepted as the name of an API"],
    ["a b", lineOf("api", newPin()), "is not accepted as the name of an API"],
    ["x".repeat(64), lineOf("api", newPin()), "is not accepted as the name of an API"],
    ["api-2", lineOf("signer", pin), "this is the line of a signer"],
    ["api-2", "secret\n", "is not the line of an API"],
    ["api-2", lineOf("api", pin), "is already paired under the name api-1"],
    ["api-1", lineOf("api", newPin()), "the name api-1 is paired with another key"],
  ] as const) {
    expect(() => add(name, line), name).toThrow(SignerStateError);
    expect(() => add(name, line), name).toThrow(sentence);
  }
  expect(() => removePeer(path, "api-9", now)).toThrow("the paired ones are: api-1");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("sixty-four APIs are paired at most", () => {
  for (let i = 0; i < 64; i++) add(`api-${i}`, lineOf("api", newPin()));
  expect(() => add("api-64", lineOf("api", newPin()))).toThrow("64 APIs are paired");
});

test("a damaged file pairs nobody", () => {
  for (const text of ["api-1\n", `api-1 ${lineOf("signer", newPin())} x\n`, "- - -\n", "\0"]) {
    writeFileSync(path, text);
    expect(() => readPeers(path)).toThrow(`line 1 of ${path} names no paired API`);
  }
});
