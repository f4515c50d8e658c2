import { expect, test } from "vitest";
import { questions } from "./assistant-questions.ts";
import { sitePages } from "./built-pages.ts";

const pages = new Map(sitePages().map(({ path, html }) => [path, html]));

test("there are 60 different questions, 14 of them in Spanish", () => {
  expect(new Set(questions.map(({ question }) => question)).size).toBe(60);
  expect(questions.filter(({ language }) => language === "es")).toHaveLength(14);
});

test("every section that answers one is a place in the site", () => {
  for (const { question, cites } of questions) {
    expect(cites.length).toBeGreaterThan(0);
    for (const address of cites) {
      const [path = "", anchor] = address.split("#");
      const html = pages.get(path) ?? "";
      expect(html, `${question}: ${address}`).not.toBe("");
      if (anchor !== undefined)
        expect(html, address).toMatch(new RegExp(`\\bid="?${anchor}[\\s">]`));
    }
  }
});
