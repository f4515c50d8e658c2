import { expect, test } from "vitest";
import { createIndex } from "./search-index.ts";

const index = createIndex({
  language: "en",
  untranslated: [],
  pages: [
    ["/wallets", "default", "Concepts", [["", 1, "Organizations", "An organization has wallets."]]],
  ],
});

test("only a text of few words is compared with similar ones", () => {
  expect(index.find("organizatoin")).toHaveLength(1);
  // Each of its words costs milliseconds then, so a name of forty parts took the thread a third of a second.
  const many = Array.from({ length: 11 }, () => "organizatoin").join(" ");
  expect(index.find(many)).toEqual([]);
});
