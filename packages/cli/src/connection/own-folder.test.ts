import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writePrivate } from "./own-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhearth-own-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MB = "x".repeat(1024 * 1024);

test("a text without end leaves the disk its reserve, and no file", async () => {
  let written = 0;
  const endless = writePrivate(
    join(folder, "endless"),
    async (append) => {
      for (; written < 64; written++) await append(MB);
    },
    // More than any disk has.
    { isOwnFolder: false, reserve: Number.MAX_SAFE_INTEGER },
  );
  await expect(endless).rejects.toThrow(/the disk of .*endless has less than \d+ MB left/);
  expect(written).toBe(16);
  expect(readdirSync(folder)).toEqual([]);
});

test("a text that leaves the reserve is written whole", async () => {
  const write = async (append: (text: string) => Promise<void>) => {
    for (let written = 0; written < 20; written++) await append(MB);
  };
  expect(await writePrivate(join(folder, "whole"), write, { isOwnFolder: false, reserve: 0 })).toBe(
    true,
  );
  expect(readdirSync(folder)).toEqual(["whole"]);
});
