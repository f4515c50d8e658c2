import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assertRoom, makePlace } from "./place.ts";

test("a place is for its user alone, and goes with all that is in it", async () => {
  const base = mkdtempSync(join(tmpdir(), "keyhearth-place-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const { folder, remove } = await makePlace(base);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data/root-key"), "secret");
  await remove();
  expect(existsSync(folder)).toBe(false);
});

test("a folder without room says how much is missing", async () => {
  await assertRoom(tmpdir(), 0);
  await expect(assertRoom(tmpdir(), 1e15)).rejects.toThrow(
    /has \d+ MB free, and the restored copy needs at least \d+ MB: free some space/,
  );
  await expect(assertRoom("/none", 0)).rejects.toThrow("cannot look at /none (ENOENT)");
});
