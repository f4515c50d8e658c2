import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canMakeDisks, makeDisk, unmountDisks } from "../tests/start/disk.ts";
import { hasRoom, makeFolderInMemory } from "./temporary-folder.ts";

const GIB = 2 ** 30;
const plenty = hasRoom({ free: Number.POSITIVE_INFINITY, memory: process.availableMemory() });

function newBase(): string {
  const base = mkdtempSync(join(tmpdir(), "keyhearth-memory-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}

test("there must be room in the folder and in the memory", () => {
  expect(hasRoom({ free: 12 * GIB, memory: 23 * GIB })).toBe(true);
  expect(hasRoom({ free: 12 * GIB, memory: 7 * GIB })).toBe(false);
  // What a container has, unless its owner says otherwise.
  expect(hasRoom({ free: 64 * 2 ** 20, memory: 23 * GIB })).toBe(false);
});

test.runIf(plenty)("the folder is empty, runs programs, and lets other users through", () => {
  const folder = String(makeFolderInMemory(newBase()));
  expect(readdirSync(folder)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o711);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\necho ran\n", { mode: 0o755 });
  expect(execFileSync(program, { encoding: "utf8" })).toBe("ran\n");
});

test("what a killed run has left is removed, and nothing of a run that goes on", () => {
  const base = newBase();
  const ended = spawnSync(process.execPath, ["--version"]).pid;
  const others = [`kh-${process.pid}-Aa0Zz9`, "kh-1-Aa0Zz9", `kh-${ended}`, "somebody-else"];
  for (const name of [...others, `kh-${ended}-Aa0Zz9`])
    mkdirSync(join(base, name, "data"), { recursive: true });
  makeFolderInMemory(base);
  expect(readdirSync(base)).toEqual(expect.arrayContaining(others));
  expect(existsSync(join(base, `kh-${ended}-Aa0Zz9`))).toBe(false);
});

test("there is none where the system has no such folder", () => {
  expect(makeFolderInMemory(join(newBase(), "none"))).toBeUndefined();
});

test.runIf(canMakeDisks)("there is none where no programs run or too little is free", () => {
  onTestFinished(unmountDisks);
  const small = makeDisk(64);
  expect(makeFolderInMemory(small)).toBeUndefined();
  const large = makeDisk(6 * 1024);
  if (plenty) expect(existsSync(String(makeFolderInMemory(large)))).toBe(true);
  execFileSync("mount", ["-o", "remount,noexec", large]);
  const before = readdirSync(large);
  expect(makeFolderInMemory(large)).toBeUndefined();
  expect(readdirSync(large)).toEqual(before);
});
