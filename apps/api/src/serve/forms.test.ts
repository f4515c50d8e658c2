import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createForms, type Text } from "./forms.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-forms-"));
});
afterAll(() => rm(directory, { recursive: true }));

const KB = 1024;
const limits = {
  keptBytes: 1024 * KB,
  aheadBytes: 40 * KB,
  waitingBytes: 200 * KB,
  leastBytes: KB,
};

/** Its forms are about half as large. */
function textOf(name: string, kilobytes: number): Text {
  const digits = randomBytes((kilobytes * KB) / 2).toString("hex");
  return { digest: name, bytes: Buffer.from(`${name} ${digits}`) };
}

/** A thread that writes down what it compresses, and ends at a text that begins with `bad`. */
function noting(name: string): { entry: URL; noted: string } {
  const noted = join(directory, `${name}.txt`);
  const entry = join(directory, `${name}.mjs`);
  const thread = new URL("../compressor-thread.ts", import.meta.url);
  writeFileSync(noted, "");
  writeFileSync(
    entry,
    `import { appendFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ bytes, encoding }) => {
  const name = Buffer.from(bytes).toString("latin1").match(/^[a-z]+/)[0];
  if (name.startsWith("bad")) process.exit(1);
  appendFileSync(${JSON.stringify(noted)}, encoding + " " + name + "\\n");
});
await import(${JSON.stringify(thread.href)});`,
  );
  return { entry: pathToFileURL(entry), noted };
}

test("a text waits only behind a few bytes, and is compressed for those who ask later", async () => {
  const forms = createForms({ limits });
  const [first, large, near, far] = [
    textOf("first", 30),
    textOf("large", 50),
    textOf("near", 2),
    textOf("far", 2),
  ];
  const asked = [first, near, large, far].map((text) => forms.of(text, "br"));
  const [one, two, three, four] = await Promise.all(asked);
  expect(one && brotliDecompressSync(one).equals(first.bytes)).toBe(true);
  expect(two && brotliDecompressSync(two).equals(near.bytes)).toBe(true);
  expect(three && brotliDecompressSync(three).equals(large.bytes)).toBe(true);
  expect(four).toBeNull();
  await expect.poll(() => forms.of(far, "br")).not.toBeNull();
});

test("what would wait behind too much is not compressed at all", async () => {
  const { entry, noted } = noting("full");
  const forms = createForms({ entry, limits });
  const texts = ["a", "b", "c", "d", "e", "f"].map((name) => textOf(name, 60));
  const made = await Promise.all(texts.map((text) => forms.of(text, "gzip")));
  expect(made.filter((each) => each !== null)).toHaveLength(1);
  const lines = async () => (await readFile(noted, "utf8")).trim().split("\n");
  await expect.poll(lines).toEqual(["gzip a", "gzip b", "gzip c"]);
});

test("a sweep by one encoding leaves the forms of the other, and each is made once", async () => {
  const { entry, noted } = noting("sweep");
  const forms = createForms({ entry, limits: { ...limits, keptBytes: 40 * KB } });
  const text = textOf("kept", 20);
  const br = await forms.of(text, "br");
  for (const name of ["one", "two", "three", "four", "five", "six"]) {
    const gzip = await forms.of(textOf(name, 20), "gzip");
    expect(gzip && gunzipSync(gzip).toString()).toContain(name);
  }
  expect(await forms.of(text, "br")).toBe(br);
  const lines = (await readFile(noted, "utf8")).trim().split("\n");
  expect(lines.filter((line) => line === "br kept")).toHaveLength(1);
  // Of its own encoding, the sweep has dropped what was used longest ago.
  await forms.of(textOf("one", 20), "gzip");
  expect((await readFile(noted, "utf8")).match(/gzip one/g)).toHaveLength(2);
});

test("a text that ends the thread is sent plain, and the next one is compressed", async () => {
  const forms = createForms({ entry: noting("bad").entry, limits });
  const [bad, good] = await Promise.all([
    forms.of(textOf("bad", 4), "br"),
    forms.of(textOf("good", 4), "br"),
  ]);
  expect([bad, good === null]).toEqual([null, false]);
});

test("a text that does not get smaller goes to the thread once", async () => {
  const { entry, noted } = noting("random");
  const forms = createForms({ entry, limits });
  const text = { digest: "r", bytes: Buffer.concat([Buffer.from("r "), randomBytes(4 * KB)]) };
  expect([await forms.of(text, "gzip"), await forms.of(text, "gzip")]).toEqual([null, null]);
  expect(await readFile(noted, "utf8")).toBe("gzip r\n");
});
