import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPartFile } from "./part-file.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhearth-part-"));
afterAll(() => rmSync(folder, { recursive: true }));

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
let files = 0;
const newName = () => join(folder, `file-${++files}`);
const namesOf = (name: string) =>
  readdirSync(folder).filter((each) => join(folder, each).startsWith(name));

async function opened(name: string, options = {}) {
  const part = await openPartFile(name, options);
  if (!part) throw new Error("it exists");
  return part;
}

test("what is kept is there for the next run, and has its name once it is whole", async () => {
  const name = newName();
  const first = await opened(name);
  await first.append("one\ntwo\nthr");
  first.keep();
  await first.close();
  expect(namesOf(name)).toEqual([`file-${files}.part`]);
  const second = await opened(name);
  expect(second.size).toBe(11);
  await second.cutAt(8);
  await second.append("three\n");
  expect(await second.finish(digestOf("one\ntwo\nthree\n"))).toBe(true);
  await second.close();
  expect(readFileSync(name, "utf8")).toBe("one\ntwo\nthree\n");
  expect(namesOf(name)).toEqual([`file-${files}`]);
  expect(await openPartFile(name)).toBe(null);
});

test("a part that nobody kept or that was dropped is gone", async () => {
  const name = newName();
  const first = await opened(name);
  await first.append("one");
  await first.close();
  expect(namesOf(name)).toEqual([]);
  const second = await opened(name);
  await second.append("one");
  second.keep();
  second.drop();
  await second.close();
  expect(namesOf(name)).toEqual([]);
});

test("bytes that another run wrote in between are noticed, before and at the end", async () => {
  const name = newName();
  const part = await opened(name);
  part.keep();
  await part.append("one\n");
  appendFileSync(part.path, "other\n");
  await expect(part.append("two\n")).rejects.toThrow("was changed meanwhile");
  await part.cutAt(4);
  writeFileSync(part.path, "0ne\n");
  await expect(part.finish(digestOf("one\n"))).rejects.toThrow("was changed meanwhile");
  await part.close();
  expect(namesOf(name)).toEqual([`file-${files}.part`]);
});

test("a part that others can write, or a link, is not gone on with", async () => {
  const name = newName();
  writeFileSync(`${name}.part`, "planted");
  chmodSync(`${name}.part`, 0o666);
  await expect(openPartFile(name)).rejects.toThrow("is not a file that only this user can write");
  rmSync(`${name}.part`);
  const target = newName();
  writeFileSync(target, "mine", { mode: 0o600 });
  symlinkSync(target, `${name}.part`);
  await expect(openPartFile(name)).rejects.toThrow(/^cannot write .*\(ELOOP\)$/);
  expect(readFileSync(target, "utf8")).toBe("mine");
});

test("a file without end leaves the disk its reserve", async () => {
  const part = await opened(newName(), { reserve: Number.MAX_SAFE_INTEGER });
  const megabyte = "x".repeat(1024 * 1024);
  const fill = async () => {
    for (let count = 0; count < 64; count++) await part.append(megabyte);
  };
  await expect(fill()).rejects.toThrow(/^the disk of .* MB left, so nothing was written/);
  await part.close();
  expect(namesOf(part.path)).toEqual([]);
});
