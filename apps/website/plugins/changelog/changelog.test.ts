import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rssOf } from "./feed.ts";
import { parseChangelog } from "./parse.ts";

const markdown = `# Changelog

What this is.

## Unreleased

### Added

- A thing with \`code\` & more. Its second sentence.
- A thing with [a decision](decisions/1.md).

### Not yet

- A dashboard.

## 0.2.0 - 2026-03-04

### Added

- A thing with \`code\` & more, earlier.
- A thing with \`code\` & more, earlier.
`;

const read = (text: string) => parseChangelog(text, (path) => `https://example.com/${path}`);
const channel = {
  title: "Changes",
  description: "What changes.",
  pageUrl: "https://docs.example.com/changes",
  feedUrl: "https://docs.example.com/changes/rss.xml",
};

test("versions have their days, and groups and entries have anchors of their own", () => {
  const outline = read(markdown).map(({ id, date, groups }) => ({
    id,
    date,
    groups: groups.map((group) => [group.id, ...group.entries.map((entry) => entry.id)]),
  }));
  expect(outline).toEqual([
    {
      id: "unreleased",
      date: null,
      groups: [
        [
          "unreleased-added",
          "a-thing-with-code-more-its-second-sentence",
          "a-thing-with-a-decision",
        ],
        ["unreleased-not-yet", "a-dashboard"],
      ],
    },
    {
      id: "0.2.0",
      date: "2026-03-04",
      groups: [
        ["0.2.0-added", "a-thing-with-code-more-earlier", "a-thing-with-code-more-earlier-2"],
      ],
    },
  ]);
});

test("a link to a file of the repository leads to the repository", () => {
  const entry = read(markdown)[0]?.groups[0]?.entries[1];
  expect(JSON.stringify(entry?.content)).toContain('"href":"https://example.com/decisions/1.md"');
});

test("a heading or a text that the form does not know is a mistake", () => {
  expect(() => read("## 0.2.0\n")).toThrow("`## 0.2.0` must be");
  expect(() => read("## Soon\n")).toThrow("must be");
  expect(() => read("## Unreleased\n\n- An entry.\n")).toThrow("have no heading");
  expect(() => read("## Unreleased\n\nA text.\n")).toThrow("neither a heading nor a list");
});

test("the feed has every change but what is missing, and only releases have a day", () => {
  const rss = rssOf(read(markdown), channel);
  expect(rss.match(/<item>/g)).toHaveLength(4);
  expect(rss).not.toContain("dashboard");
  expect(rss).toContain("<![CDATA[Added: A thing with code & more]]>");
  expect(rss.match(/<pubDate>Wed, 04 Mar 2026 00:00:00 GMT<\/pubDate>/g)).toHaveLength(2);
  expect(rss.match(/<pubDate>/g)).toHaveLength(2);
  expect(rss).toContain("https://docs.example.com/changes#a-thing-with-a-decision</link>");
  const [unreleased] = read(markdown);
  expect(rssOf(unreleased ? [unreleased] : [], channel)).not.toContain("lastBuildDate");
});

test("our changelog is readable, and no two entries share an anchor", () => {
  const versions = read(readFileSync(new URL("../../../../CHANGELOG.md", import.meta.url), "utf8"));
  const entries = versions.flatMap(({ groups }) => groups.flatMap((group) => group.entries));
  expect(entries.length).toBeGreaterThan(30);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  expect(rssOf(versions, channel)).toContain("<lastBuildDate>");
});
