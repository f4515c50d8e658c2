import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  RefusedFileError,
  readGivenSecret,
  readOnlyCopy,
  readSecretFile,
  readStateFile,
} from "./state-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyhearth-state-file-"));
  path = join(folder, "file");
  writeFileSync(path, "text\n", { mode: 0o600 });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const readers = { readStateFile, readSecretFile, readGivenSecret, readOnlyCopy };
const isRoot = process.getuid?.() === 0;

describe.each(Object.entries(readers))("%s", (_, read) => {
  test("reads a file, and what a link of this user leads to", () => {
    expect(read(path).toString()).toBe("text\n");
    symlinkSync(path, join(folder, "link"));
    expect(read(join(folder, "link")).toString()).toBe("text\n");
  });

  test.runIf(process.platform === "linux")("returns at once from a FIFO and a device", () => {
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", ["-m", "600", fifo]);
    symlinkSync(fifo, join(folder, "link"));
    for (const each of [fifo, join(folder, "link"), "/dev/zero"]) {
      expect(() => read(each)).toThrow(`${each} is not a file; restore`);
    }
  });

  test("does not read a file that is larger than its kind", () => {
    truncateSync(path, 1900 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    expect(() => read(path)).toThrow(/file has more than 65536 bytes, which no such file has/);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test.runIf(isRoot)("follows no link of another user", () => {
    symlinkSync(path, join(folder, "link"));
    lchownSync(join(folder, "link"), 64_009, 64_009);
    expect(() => read(join(folder, "link"))).toThrow(/is a link of user 64009, who could lead it/);
  });

  test("leaves what the file system says as it is", () => {
    expect(() => read(join(folder, "none"))).toThrow(/^ENOENT/);
    expect(() => read(folder)).toThrow(/^EISDIR/);
  });
});

test("the whole of a larger kind is read", () => {
  const bytes = Buffer.alloc(300_000, "0123456789");
  writeFileSync(path, bytes);
  expect(readStateFile(path, 300_000).equals(bytes)).toBe(true);
  expect(() => readStateFile(path, 299_999)).toThrow(RefusedFileError);
});

test("a file of /proc, whose size is unknown, is read to its end", () => {
  if (process.platform !== "linux") return;
  expect(readStateFile("/proc/self/status").toString()).toMatch(/^Name:.+nonvoluntary/s);
});

test.runIf(isRoot)("a secret of another user is refused, and state is not", () => {
  chownSync(path, 64_009, 64_009);
  for (const read of [readSecretFile, readGivenSecret, readOnlyCopy]) {
    expect(() => read(path)).toThrow(
      `${path} belongs to user 64009, who could change it, but this runs as user 0; change its owner (chown 0 ${path})`,
    );
  }
  expect(readStateFile(path).toString()).toBe("text\n");
  // As root sees the state of a service.
  chownSync(folder, 64_009, 64_009);
  expect(readOnlyCopy(path).toString()).toBe("text\n");
  expect(() => readGivenSecret(path)).toThrow("belongs to user 64009");
});

test("a secret that others may write is refused; only a given one may be its group's", () => {
  chmodSync(path, 0o602);
  for (const read of [readSecretFile, readGivenSecret, readOnlyCopy]) {
    expect(() => read(path)).toThrow(
      `has mode 602, so others could change it; run: chmod go-w ${path}`,
    );
  }
  chmodSync(path, 0o620);
  expect(() => readSecretFile(path)).toThrow("has mode 620");
  for (const mode of [0o400, 0o440, 0o444, 0o660]) {
    chmodSync(path, mode);
    expect(readGivenSecret(path).toString()).toBe("text\n");
  }
});

test("a secret of one place is refused under a second name", () => {
  linkSync(path, join(folder, "other"));
  expect(() => readOnlyCopy(path)).toThrow(/has 2 names \(hard links\)/);
  expect(readSecretFile(path).toString()).toBe("text\n");
  rmSync(join(folder, "other"));
  expect(readOnlyCopy(path).toString()).toBe("text\n");
});
