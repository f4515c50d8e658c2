import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keep } from "./kept.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "new");
}

test("a file is made once, and one that fails leaves nothing", async () => {
  const folder = newFolder();
  let times = 0;
  const make = (path: string) => writeFile(path, `${++times}`);
  const fail = async (path: string) => {
    await make(path);
    throw new Error("full");
  };
  await expect(keep("a", fail, folder)).rejects.toThrow("full");
  expect(readdirSync(folder)).toEqual([]);
  for (const _ of [1, 2]) expect(readFileSync(await keep("a", make, folder), "utf8")).toBe("2");
});

test("two who make the same file at once both get it", async () => {
  const folder = newFolder();
  const make = (path: string) => writeFile(path, "same");
  const paths = await Promise.all([keep("a", make, folder), keep("a", make, folder)]);
  expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(["same", "same"]);
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("of many files, the ones that were used least lately go", async () => {
  const folder = newFolder();
  const make = (path: string) => writeFile(path, "");
  for (let i = 0; i < 24; i++) {
    const at = 1_700_000_000 + i;
    utimesSync(await keep(`old-${i}`, make, folder), at, at);
  }
  await keep("old-0", make, folder);
  await keep("new", make, folder);
  expect(readdirSync(folder)).toHaveLength(24);
  expect(existsSync(join(folder, "old-0"))).toBe(true);
  expect(existsSync(join(folder, "old-1"))).toBe(false);
});
