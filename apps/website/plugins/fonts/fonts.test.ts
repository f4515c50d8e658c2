import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { charactersOf, rangeOf, within } from "./characters.ts";
import { missingCharacters } from "./pages.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "keyhearth-fonts-"));
  await mkdir(path.join(directory, "docs/node_modules"), { recursive: true });
  const files: Record<string, string> = {
    "docs/page.mdx": "Ñandú",
    "docs/escaped.tsx": 'const sign = "\\u20ac&#x153;";',
    "docs/page.test.ts": "ł",
    "docs/node_modules/other.js": "ő",
    "built.html": "<p>Ñandú, naïve, 漢</p>",
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(path.join(directory, name), text);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test("fonts have the characters of texts, written out or escaped, and no others", async () => {
  const found = await charactersOf([path.join(directory, "docs"), path.join(directory, "absent")]);
  expect([..."aZ~Ñú€œ’"].filter((each) => !found.has(each))).toEqual([]);
  expect([..."łőï"].filter((each) => found.has(each))).toEqual([]);
});

test("a range is written in runs, and read the same", () => {
  expect(rangeOf("cabzé")).toBe("U+61-63,U+7A,U+E9");
  expect(within("abcdzéñ", "U+61-63, U+E9").join("")).toBe("abcé");
});

test("a page with a letter that no font has is noticed", async () => {
  expect(await missingCharacters(directory, ["U+20-7E,U+D1", "U+FA"])).toEqual(["ï"]);
  expect(await missingCharacters(directory, ["U+20-FF"])).toEqual([]);
});
