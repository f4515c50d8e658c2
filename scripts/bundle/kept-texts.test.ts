import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openKeptTexts } from "./kept-texts.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-texts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Asks for each text, and returns what was given and what had to be made. */
async function ask(folder: string, texts: string[], name = "texts") {
  const kept = await openKeptTexts(name, folder);
  const made: string[] = [];
  const given: string[] = [];
  for (const text of texts) {
    const make = async () => {
      made.push(text);
      return Buffer.from(text.toUpperCase());
    };
    given.push(Buffer.from(await kept.of(Buffer.from(text), make)).toString());
  }
  await kept.save();
  return { given, made };
}

test("a text is made once, and what is no longer asked for goes", async () => {
  const folder = newFolder();
  expect((await ask(folder, ["a", "b"])).made).toEqual(["a", "b"]);
  expect(await ask(folder, ["b", "c"])).toEqual({ given: ["B", "C"], made: ["c"] });
  expect(await ask(folder, ["a", "b"])).toEqual({ given: ["A", "B"], made: ["a"] });
  expect(readdirSync(folder)).toEqual(["texts"]);
});

test("another name has other texts, and a file that cannot be read has none", async () => {
  const folder = newFolder();
  await ask(folder, ["a"]);
  expect((await ask(folder, ["a"], "others")).made).toEqual(["a"]);
  writeFileSync(join(folder, "texts"), "damaged");
  expect(await ask(folder, ["a"])).toEqual({ given: ["A"], made: ["a"] });
  expect((await ask(folder, ["a"])).made).toEqual([]);
});
