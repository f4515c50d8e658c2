import type { Records } from "@keyhearth/search/records";
import { expect, test } from "vitest";
import { hostedRecords, indexSettings } from "./hosted-records.ts";

const english: Records = {
  language: "en",
  pages: [
    [
      "/concepts/wallets",
      "docs-default-current",
      "Concepts",
      [
        ["", 1, "Wallets", "A <seed> & more"],
        ["create", 2, "Create", "", "make"],
      ],
    ],
    ["/faq", "default", "", [["", 1, "FAQ", "word ".repeat(2000).trim()]]],
  ],
  untranslated: [],
};
const spanish: Records = {
  language: "es",
  pages: [["/concepts/wallets", "docs-default-current", "Conceptos", [["", 1, "Wallets", "Una"]]]],
  untranslated: ["/faq"],
};
const records = hostedRecords([
  { base: "https://keys.example.com/", records: english },
  { base: "https://keys.example.com/es/", records: spanish },
]);

test("a section has a record of its title and records of its text, which is HTML", () => {
  const wallets = records.filter(
    ({ url_without_anchor }) => url_without_anchor === "https://keys.example.com/concepts/wallets",
  );
  expect(wallets.map(({ type, url, content }) => ({ type, url, content }))).toEqual([
    { type: "lvl1", url: "https://keys.example.com/concepts/wallets", content: null },
    {
      type: "content",
      url: "https://keys.example.com/concepts/wallets",
      content: "A &lt;seed&gt; &amp; more",
    },
    { type: "lvl2", url: "https://keys.example.com/concepts/wallets#create", content: null },
    { type: "content", url: "https://keys.example.com/concepts/wallets#create", content: "make" },
  ]);
  expect(wallets.at(-1)?.hierarchy).toMatchObject({
    lvl0: "Concepts",
    lvl1: "Wallets",
    lvl2: "Create",
    lvl3: null,
  });
});

test("a page without a translation is of both languages, and no other page is", () => {
  const languagesOf = (path: string) =>
    new Set(
      records
        .filter(({ url }) => url === `https://keys.example.com${path}`)
        .map(({ language }) => language.join()),
    );
  expect(languagesOf("/faq")).toEqual(new Set(["en,es"]));
  expect(languagesOf("/concepts/wallets")).toEqual(new Set(["en"]));
  expect(languagesOf("/es/concepts/wallets")).toEqual(new Set(["es"]));
});

test("no record is too large for an index, and none is lost or twice", () => {
  const sizes = records.map((record) => Buffer.byteLength(JSON.stringify(record)));
  expect(Math.max(...sizes)).toBeLessThan(10_000);
  const words = records
    .filter(({ url, content }) => url.endsWith("/faq") && content !== null)
    .flatMap(({ content }) => content?.split(" "));
  expect(words).toEqual(Array.from({ length: 2000 }, () => "word"));
  expect(new Set(records.map(({ objectID }) => objectID)).size).toBe(records.length);
});

test("the index can filter by what the pages filter by", () => {
  expect(indexSettings.attributesForFaceting).toEqual(
    expect.arrayContaining(["language", "docusaurus_tag"]),
  );
});
