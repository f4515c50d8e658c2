import { expect, test } from "vitest";
import { sitePages } from "./built-pages.ts";
import { callQueries, otherQueries } from "./search-queries.ts";

const pages = new Map(sitePages().map(({ path, html }) => [path, html]));
const queries = [...callQueries, ...otherQueries];

test("there are 100 different queries, 75 of them names of calls", () => {
  expect(callQueries).toHaveLength(75);
  expect(new Set(queries.map(([typed]) => typed)).size).toBe(100);
});

test("every right answer is a place in the site", () => {
  for (const [typed, address] of queries) {
    const [path = "", anchor] = address.split("#");
    const html = pages.get(path) ?? "";
    expect(html, `${typed}: ${address}`).not.toBe("");
    if (anchor !== undefined) expect(html, address).toMatch(new RegExp(`\\bid="?${anchor}[\\s">]`));
  }
});
