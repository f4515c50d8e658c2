import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addLastChange, formatPageDates, parsePageDates, renewPageDates } from "./dates.ts";

const known = [
  { page: "docs/a.mdx", date: "2026-01-01", digest: "aa" },
  { page: "docs/b.mdx", date: "2026-01-02", digest: "bb" },
];

test("what is written can be read", () => {
  expect(parsePageDates(formatPageDates(known))).toEqual(known);
});

test("a page keeps its day until its text changes, and a removed page leaves no line", () => {
  const digests = new Map([
    ["docs/a.mdx", "aa"],
    ["docs/c.mdx", "cc"],
  ]);
  expect(renewPageDates(known, digests, "2026-02-03")).toEqual([
    { page: "docs/a.mdx", date: "2026-01-01", digest: "aa" },
    { page: "docs/c.mdx", date: "2026-02-03", digest: "cc" },
  ]);
  expect(renewPageDates(known, new Map([["docs/a.mdx", "ab"]]), "2026-02-03")).toEqual([
    { page: "docs/a.mdx", date: "2026-02-03", digest: "ab" },
  ]);
});

test("after a merge, the line that fits the page counts, also beside the marks of a conflict", () => {
  const merged = parsePageDates(
    "<<<<<<< HEAD\ndocs/a.mdx 2026-01-05 ab\n=======\ndocs/a.mdx 2026-01-04 ac\n>>>>>>> main\n",
  );
  expect(renewPageDates(merged, new Map([["docs/a.mdx", "ac"]]), "2026-02-03")).toEqual([
    { page: "docs/a.mdx", date: "2026-01-04", digest: "ac" },
  ]);
});

test("a page gets its day beside its front matter, and its own front matter wins", async () => {
  const site = mkdtempSync(join(tmpdir(), "keyhearth-dates-"));
  writeFileSync(join(site, "page-dates.txt"), formatPageDates(known));
  const parse = addLastChange(site);
  const frontMatterOf = async (page: string, own: Record<string, unknown>) => {
    const { frontMatter } = await parse({
      filePath: join(site, page),
      fileContent: "",
      defaultParseFrontMatter: async () => ({ frontMatter: own, content: "" }),
    });
    return frontMatter;
  };
  expect(await frontMatterOf("docs/a.mdx", { title: "A" })).toEqual({
    title: "A",
    last_update: { date: "2026-01-01" },
  });
  expect(await frontMatterOf("docs/a.mdx", { last_update: { date: "2025-05-05" } })).toEqual({
    last_update: { date: "2025-05-05" },
  });
  expect(await frontMatterOf("docs/z.mdx", { title: "Z" })).toEqual({ title: "Z" });
  rmSync(site, { recursive: true });
});
