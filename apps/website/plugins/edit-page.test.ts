import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { editPage } from "./edit-page.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-edit-page-"));
});

afterEach(() => rm(directory, { recursive: true }));

test("no edit made at the same time is lost, and a reader always finds a whole page", async () => {
  const file = join(directory, "index.html");
  const body = "<main>".padEnd(1_000_000, "x");
  await writeFile(file, `${body}</main>`);
  const names = Array.from({ length: 10 }, (_, number) => `<!--${number}-->`);
  const writing = Promise.all(names.map((name) => editPage(file, (html) => html + name)));
  const reading = Promise.all(
    Array.from({ length: 40 }, async () =>
      expect(await readFile(file, "utf8")).toMatch(/main>(<!--\d-->)*$/),
    ),
  );
  await Promise.all([writing, reading]);
  expect(await readFile(file, "utf8")).toBe(`${body}</main>${names.join("")}`);
  expect(await readdir(directory)).toEqual(["index.html"]);
});

test("copies of the module wait for each other, because each plugin has its own", async () => {
  const file = join(directory, "index.html");
  await writeFile(file, "a");
  // Another address makes another copy.
  const address = new URL("./edit-page.ts?copy", import.meta.url).href;
  const copy: { editPage: typeof editPage } = await import(address);
  expect(copy.editPage).not.toBe(editPage);
  await Promise.all([
    editPage(file, (html) => `${html}b`),
    copy.editPage(file, (html) => `${html}c`),
  ]);
  expect(await readFile(file, "utf8")).toBe("abc");
});

test("an edit that fails is reported, and the next one is made", async () => {
  const file = join(directory, "index.html");
  await writeFile(file, "a");
  const failing = editPage(file, () => {
    throw new Error("no heading");
  });
  const next = editPage(file, (html) => `${html}b`);
  await expect(failing).rejects.toThrow("no heading");
  await next;
  expect(await readFile(file, "utf8")).toBe("ab");
});
