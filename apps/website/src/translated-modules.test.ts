import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

// Holds each module of Spanish texts to the English one that it replaces.

const src = fileURLToPath(new URL(".", import.meta.url));
const translations = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".es.ts"),
);

type Texts = { [key: string]: string | Texts };

test("the tables and examples about policies, and the gallery of the kit, are translated", () => {
  expect(translations.map((name) => name.replace(/.*[\\/]/, "")).sort()).toEqual([
    "example-names.es.ts",
    "field-notes.es.ts",
    "gallery-texts.es.ts",
    "warning-texts.es.ts",
  ]);
});

describe.each(translations)("%s", (name) => {
  test("has the same keys as the English texts", async () => {
    const { english, spanish } = await load(name);
    expect(spanish.size).toBeGreaterThan(20);
    expect([...spanish.keys()]).toEqual([...english.keys()]);
  });

  test("translates every sentence", async () => {
    const { english, spanish } = await load(name);
    expect([...spanish.values()]).not.toContain("");
    const isSentence = (text = "") => text.split(/\s+/).length > 3;
    const same = [...spanish].filter(
      ([key, text]) => isSentence(text) && text === english.get(key),
    );
    expect(same).toEqual([]);
  });

  test("has the same code in each text", async () => {
    const { english, spanish } = await load(name);
    for (const [key, text] of spanish) {
      expect([key, codeIn(text)]).toEqual([key, codeIn(english.get(key))]);
    }
  });
});

async function load(name: string) {
  const read = async (file: string) =>
    // These modules export nothing but texts.
    new Map(flatten((await import(/* @vite-ignore */ `${src}${file}`)) as Texts));
  return { english: await read(name.replace(/\.es\.ts$/, ".ts")), spanish: await read(name) };
}

/** Each text by its path. */
function flatten(texts: Texts, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[`${path}${key}`, value] as [string, string]]
      : flatten(value, `${path}${key}.`),
  );
}

function codeIn(text = ""): string[] {
  const parts = text.split("`");
  // A backtick without its partner would turn the rest of the text into code.
  expect(parts.length % 2).toBe(1);
  return [...new Set(parts.filter((_, index) => index % 2 === 1))].sort();
}
