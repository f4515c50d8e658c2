import { describe, expect, test } from "vitest";
import { latestPages } from "../../scripts/audit/built-pages.ts";
import { exists, markdownOf, read, sitePages } from "./built-pages.ts";

// The Markdown that a build writes for every page, and the two files for language models.

const pages = sitePages();
const own = latestPages(pages);

/** Links of a text that lead into the site, without what is in samples. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, "");
  return [...prose.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, link = ""]) =>
    link.replace(/[?#].*/, ""),
  );
}

describe("the Markdown of pages", () => {
  test("exists for every page and starts with its title", () => {
    expect(own.length).toBeGreaterThan(70);
    for (const { path, html } of pages) {
      const markdown = read(markdownOf(path));
      const [, heading = ""] = /<h1[^>]*>(.*?)<\/h1>/s.exec(html) ?? [];
      const title = heading.replace(/<[^>]+>/g, "").slice(0, 5);
      expect(markdown, path).toMatch(/^# \S/);
      expect(markdown.slice(2).replace(/[`\\]/g, ""), path).toContain(title);
    }
  });

  test("has no markup, no button and no field of the page around it", () => {
    for (const { path } of pages) {
      const prose = read(markdownOf(path)).replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2 *$/gm, "");
      const words = prose.replace(/(`+)[^`].*?\1/g, "");
      expect(words, path).not.toMatch(/<(div|span|table|button|svg|p|a)\b/);
      expect(words, path).not.toMatch(/Edit this page|Direct link to|Copy page/);
    }
  });

  test("links to the Markdown of other pages, and every link leads to a file", () => {
    for (const { path } of pages) {
      for (const link of linksOf(read(markdownOf(path)))) {
        expect(exists(link) && /\.[a-z]+$/.test(link), `${path} links to ${link}`).toBe(true);
      }
    }
  });

  test("has the rows of tables that components render", () => {
    expect(read("concepts/policies/language.md")).toMatch(/^\| .*`SIGN_TRANSACTION`.*\|$/m);
    expect(read("developer-reference/api-overview/errors.md")).toContain("TIMESTAMP_OUT_OF_RANGE");
  });

  test("has the items of checklists", () => {
    const items = read("getting-started/launch-checklist.md").match(/^- \[ \] \S/gm) ?? [];
    expect(items.length).toBeGreaterThan(20);
  });

  test("has samples with their language and no numbers or colours", () => {
    expect(read("getting-started/quickstart.md")).toMatch(/^```ts\nimport /m);
    expect(read("developer-reference/api-overview/submissions.md")).toMatch(/^```json\n\{\n {2}"/m);
  });

  test("has the words of drawings", () => {
    expect(read("index.md")).toMatch(/^\*Diagram:\* You stamp a request/m);
  });
});

describe("llms.txt", () => {
  const index = read("llms.txt");
  const links = linksOf(index);

  test("has a title, a summary and a described link to every page that engines may show, once", () => {
    expect(index).toMatch(/^# Keyhearth\n\n> [A-Z][^\n]{100,}\n\n## Getting Started\n/);
    const shown = own.filter(({ html }) => !/<meta[^>]*robots[^>]*noindex/.test(html));
    expect(links.toSorted()).toEqual(shown.map(({ path }) => markdownOf(path)).toSorted());
    const lines = index.split("\n").filter((line) => line.startsWith("- "));
    expect(lines.filter((line) => !/\): \S.{20,}/.test(line))).toEqual([]);
  });

  test("llms-full.txt has the whole text of every page in the same order", () => {
    const full = read("llms-full.txt");
    const positions = links.map((link) => full.indexOf(`\nPage: ${link}\n\n${read(link)}`));
    expect(links.filter((_, i) => (positions[i] ?? -1) < 0)).toEqual([]);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });
});
