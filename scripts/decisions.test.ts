import { glob, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** `decision 12`, `decisions 10 and 13`. */
const byNumber = /\bdecisions?\s+(\d+)(?:\s+and\s+(\d+))?\b/gi;
/** A page, from wherever it is linked, and a heading in it. */
const byFile = /\b(\d{4}-[a-z][a-z-]*\.md)(?:#([\w-]+))?/g;

const exclude = (name: string) =>
  /(^|\/)(node_modules|build|\.[^/]+|generated|survivors\.md)$/.test(name);
const isProgram = (name: string) => /\.(ts|tsx|mts|mjs)$/.test(name);

const pages = (await readdir(join(root, "decisions"))).filter((name) => /^\d/.test(name)).sort();
const headings = new Map(
  await Promise.all(
    pages.map(async (page) => [page, anchors(await read(`decisions/${page}`))] as const),
  ),
);

/** What each file says of decisions: numbers, pages, and headings of pages. */
const named = await Promise.all(
  (await allFiles()).map(async (name) => {
    const text = await read(name);
    const numbers = [...text.matchAll(byNumber)].flatMap(([, a, b]) => [a, b]).filter(Boolean);
    return { name, numbers: numbers.map(Number), files: [...text.matchAll(byFile)] };
  }),
);

test("decisions are numbered without a gap, and the index has each of them", async () => {
  expect(pages.map((page) => Number(page.slice(0, 4)))).toEqual(pages.map((_, i) => i + 1));
  const index = await read("decisions/README.md");
  expect(pages.filter((page) => !index.includes(`(${page})`))).toEqual([]);
});

test("every decision that a file names exists, and so does the heading that it links to", () => {
  const wrong = named.flatMap(({ name, numbers, files }) => [
    ...numbers.filter((n) => n < 1 || n > pages.length).map((n) => `${name}: decision ${n}`),
    ...files
      .filter(([, page = "", at]) => !headings.get(page)?.has(at ?? ""))
      .map(([link]) => `${name}: ${link}`),
  ]);
  expect(wrong).toEqual([]);
});

test("every decision is named by the code that it explains", () => {
  const programs = named.filter(({ name }) => isProgram(name));
  const used = new Set(
    programs.flatMap(({ numbers, files }) => [
      ...numbers,
      ...files.map(([, page = ""]) => Number(page.slice(0, 4))),
    ]),
  );
  expect(pages.filter((page) => !used.has(Number(page.slice(0, 4))))).toEqual([]);
});

async function allFiles(): Promise<string[]> {
  const found: string[] = [];
  const patterns = [
    "*.md",
    "{apps,packages,scripts,tests,decisions,bench,examples}/**/*.{md,mdx,ts,tsx,mts,mjs}",
  ];
  for await (const path of glob(patterns, { cwd: root, exclude })) found.push(path);
  // Tests have invented pages, and this one is about all of them.
  return found.filter((name) => !/changelog\.test\.ts$|^scripts\/decisions\.test\.ts$/.test(name));
}

function read(path: string): Promise<string> {
  return readFile(join(root, path), "utf8");
}

/** The anchors of a page as a reader of the repository sees them; an empty one is the page. */
function anchors(page: string): Set<string> {
  const titles = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
  return new Set([
    "",
    ...titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  ]);
}
