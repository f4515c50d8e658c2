import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CourierKeyError, keepCourierKey, prepareCourierKey } from "./key-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyhearth-courier-key-"));
  path = join(folder, "courier-key");
  prepareCourierKey(path, { mayCreate: true });
  keepCourierKey(path);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = () => prepareCourierKey(path, { mayCreate: true });

test("a key that is a FIFO or a huge file is one sentence that names it", () => {
  expect(read()).toEqual(read());
  truncateSync(path, 1900 * 1024 * 1024);
  expect(read).toThrow(/^the courier's key file .+courier-key has more than 65536 bytes/);
  rmSync(path);
  execFileSync("mkfifo", ["-m", "600", path]);
  expect(read).toThrow(
    new CourierKeyError(
      `the courier's key file ${path} is not a file; restore the file from a backup`,
    ),
  );
});

test.runIf(process.getuid?.() === 0)("a key of another user is refused", () => {
  chownSync(path, 64_009, 64_009);
  expect(read).toThrow(`the courier's key file ${path} belongs to user 64009`);
});
