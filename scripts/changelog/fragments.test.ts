import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { listOf, parseFragment, readFragments, release, withVersion } from "./fragments.ts";

const fragments = [
  parseFragment("b.md", "---\nkind: fixed\n---\nA mistake\nis gone.\n"),
  parseFragment("a.md", "---\nkind: added\n---\nA thing.\n"),
];
const changelog = `# Changelog

What this is.

## 0.1.0 - 2026-01-02

### Added

- An older thing.

### Not yet

- A dashboard.
`;

test("fragments are listed by kind, each as an entry", () => {
  expect(listOf(fragments)).toBe(`### Added

- A thing.

### Fixed

- A mistake
  is gone.
`);
});

test("a release is the newest version, and takes over what is missing", () => {
  const released = release(changelog, fragments, { version: "0.2.0", date: "2026-03-04" });
  expect(released).toBe(`# Changelog

What this is.

## 0.2.0 - 2026-03-04

${listOf(fragments)}
### Not yet

- A dashboard.

## 0.1.0 - 2026-01-02

### Added

- An older thing.
`);
  const again = release(released, fragments.slice(1), { version: "0.3.0", date: "2026-03-05" });
  expect(again.match(/### Not yet/g)).toHaveLength(1);
  expect(again.indexOf("### Not yet")).toBeLessThan(again.indexOf("## 0.2.0"));
});

test("a release of nothing, of a version that exists, or of no version is refused", () => {
  const date = "2026-03-04";
  expect(() => release(changelog, [], { version: "0.2.0", date })).toThrow("nothing has changed");
  expect(() => release(changelog, fragments, { version: "0.1.0", date })).toThrow("0.1.0 already");
  expect(() => release(changelog, fragments, { version: "next", date })).toThrow("like `0.2.0`");
});

test.each([
  ["no front matter", "A thing.\n"],
  ["an unknown kind", "---\nkind: news\n---\nA thing.\n"],
  ["no text", "---\nkind: added\n---\n\n"],
  ["two paragraphs", "---\nkind: added\n---\nA thing.\n\nAnother one.\n"],
  ["a list", "---\nkind: added\n---\n- A thing.\n"],
])("a fragment with %s is refused by its name", (_, source) => {
  expect(() => parseFragment("a.md", source)).toThrow(/^a\.md: must b/);
});

test("what is not released yet comes before the newest version, and our fragments are readable", () => {
  const folder = fileURLToPath(new URL("../../changelog/", import.meta.url));
  const ours = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  const all = withVersion(ours, [...readFragments(folder), ...fragments], "Unreleased");
  expect(all.match(/^## .*$/gm)?.slice(0, 2)).toEqual([
    "## Unreleased",
    ours.match(/^## .*$/m)?.[0],
  ]);
  expect(all.replace(/^## Unreleased\n.*?(?=^## )/ms, "")).toBe(ours);
});
