import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Pages that name a test as evidence name one that exists.

const root = new URL("../../../", import.meta.url);
const docs = new URL("../docs/", import.meta.url);

const named = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".mdx"))
  .flatMap((name) => {
    const text = readFileSync(new URL(name, docs), "utf8");
    return [...text.matchAll(/<SourceFile path="([^"]+)" \/>/g)].map(([, path = ""]) => path);
  });

test("the whitepaper names its evidence", () => {
  expect(named.length).toBeGreaterThan(15);
});

test.each([...new Set(named)])("%s is in the repository", (path) => {
  expect(existsSync(new URL(path, root))).toBe(true);
});
