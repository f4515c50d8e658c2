import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extractAllSourceCodeFileTranslations, getBabelOptions } from "@docusaurus/babel";
import { createSlugger } from "@docusaurus/utils";
import { describe, expect, test } from "vitest";

// Holds the Spanish pages to their originals: what a translation may not change, and which pages must
// have one. The build checks that links lead somewhere.

const docs = new URL("../docs/", import.meta.url);
const spanish = new URL("../i18n/es/docusaurus-plugin-content-docs/current/", import.meta.url);

/** Every page below these folders has a Spanish translation, except those that still wait for one. */
const promised = ["getting-started", "concepts"];
const waiting = ["concepts/architecture.mdx", "concepts/choosing.mdx"];

const pagesBelow = (folder: URL) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".mdx") && !name.startsWith("_partials/"))
    .sort();

const originals = pagesBelow(docs).filter((name) =>
  promised.some((folder) => name.startsWith(`${folder}/`)),
);
const translations = pagesBelow(spanish);

test("every page of getting started and of the concepts has a translation, and no other page", () => {
  expect(translations).toEqual(originals.filter((name) => !waiting.includes(name)));
});

describe.each(translations.filter((name) => existsSync(new URL(name, docs))))("%s", (name) => {
  const original = describePage(readFileSync(new URL(name, docs), "utf8"));
  const translation = describePage(readFileSync(new URL(name, spanish), "utf8"));

  test("has the same front matter keys, imports, headings, samples, tables and links", () => {
    const { explicitIds, texts, ...shape } = translation;
    const { explicitIds: _ids, texts: _texts, ...expected } = original;
    expect(shape).toEqual(expected);
    // An anchor that is made from the Spanish text would differ from the original's.
    expect(explicitIds).toEqual(shape.headings.map(({ id }) => id));
  });

  test("is translated, line by line", () => {
    const same = translation.texts.filter((text) => original.texts.includes(text));
    expect(same).toEqual([]);
  });
});

describe("words of the shell", () => {
  const messages = read<Record<string, { message: string }>>("../i18n/es/code.json");

  test("have a translation that keeps the places of values", async () => {
    const used = await usedMessages();
    expect(used.size).toBeGreaterThan(50);
    expect([...used.keys()].filter((id) => !Object.hasOwn(messages, id)).sort()).toEqual([]);
    const places = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
    for (const [id, text] of used) {
      expect([id, places(messages[id]?.message)]).toEqual([id, places(text)]);
    }
  });

  test("are used: no translation has lost its words", async () => {
    const used = await usedMessages();
    const own = Object.keys(messages).filter((id) => !id.startsWith("theme."));
    expect(own.filter((id) => !used.has(id)).sort()).toEqual([]);
  });

  test("include a label for the sidebar of each page that is not translated", () => {
    const labels = read<Record<string, string>>("../i18n/es/sidebar-labels.json");
    const missing = pagesBelow(docs)
      .filter((name) => !translations.includes(name))
      .map((name) => name.replace(/\.mdx$/, ""))
      // A page that is the page of a category has the category's label.
      .filter((id) => id !== "sdks/swift/index" && !Object.hasOwn(labels, id));
    expect(missing).toEqual([]);
  });
});

function read<T>(path: string): T {
  // These files are ours, and the build reads them in the same shape.
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as T;
}

/** The messages of our components in English, by id, as the builder finds them. */
async function usedMessages(): Promise<Map<string, string>> {
  const src = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => `${src}${name}`);
  const options = getBabelOptions({ isServer: true });
  const found = await extractAllSourceCodeFileTranslations(files, options);
  expect(found.flatMap(({ warnings }) => warnings)).toEqual([]);
  const all = found.flatMap(({ translations }) => Object.entries(translations));
  return new Map(all.map(([id, { message }]) => [id, message]));
}

type Page = {
  frontMatter: string[];
  imports: string[];
  headings: { level: number; id: string }[];
  /** Fenced code as it is, without the title that readers see. */
  samples: string[];
  components: Record<string, number>;
  /** Rows of each table. */
  tables: number[];
  links: string[];
  explicitIds: (string | undefined)[];
  /** Paragraphs long enough that two languages cannot have the same. */
  texts: string[];
};

function describePage(source: string): Page {
  const [, head = "", rest = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  const samples = [...rest.matchAll(/^```(.*?)\n(.*?)^```$/gms)].map(
    ([, info = "", code = ""]) => `${info.split(" ")[0]}\n${code}`,
  );
  const body = rest.replace(/^```.*?^```$/gms, "");
  const imports = [...body.matchAll(/^import .*?;$/gms)].map(([line]) => line.replace(/\s+/g, " "));
  const text = body.replace(/^import .*?;$/gms, "");
  const slugger = createSlugger();
  const found = [...text.matchAll(/^(#{2,6}) (.*?)(?: \{\/\* #([\w-]+) \*\/\})?$/gm)];
  return {
    frontMatter: head.match(/^\w+(?=:)/gm) ?? [],
    imports,
    headings: found.map(([, marks = "", title = "", id]) => ({
      level: marks.length,
      id: id ?? slugger.slug(plain(title)),
    })),
    samples,
    components: countComponents(text),
    tables: [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => table.trim().split("\n").length),
    links: [...text.matchAll(/\]\(([^)\s]+)\)|\bto="([^"]+)"/g)]
      .map(([, link, to]) => link ?? to ?? "")
      .sort(),
    explicitIds: found.map(([, , , id]) => id),
    texts: text.split(/\n{2,}/).filter((part) => /[a-z]{3,} [a-z]{2,} [a-z]{2,} /.test(part)),
  };
}

/** As the builder takes a heading for its anchor: without links and marks. */
function plain(title: string): string {
  return title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}

function countComponents(text: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [, name = ""] of text.matchAll(/<([A-Z]\w*)/g)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
