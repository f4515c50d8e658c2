import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Search engines and chat programs show the description of a page: too short, and they choose words of their
// own; too long, and they cut it.

const docs = new URL("../docs/", import.meta.url);
const spanish = new URL("../i18n/es/docusaurus-plugin-content-docs/current/", import.meta.url);

const pages = [docs, spanish].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mdx") && !name.startsWith("_partials"))
    .map((name) => new URL(name, folder)),
);

const descriptionOf = (page: URL) =>
  /^description: (.*)$/m.exec(readFileSync(page, "utf8"))?.[1] ?? "";

test("every page has a description of 80 to 160 characters", () => {
  expect(pages.length).toBeGreaterThan(100);
  const wrong = pages.filter((page) => !/^.{80,160}$/u.test(descriptionOf(page)));
  expect(wrong.map((page) => `${page.pathname}: ${descriptionOf(page).length}`)).toEqual([]);
});

test("no two pages of a language have the same description", () => {
  const seen = pages.map(descriptionOf);
  expect(seen.filter((text, index) => seen.indexOf(text) !== index)).toEqual([]);
});
