import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The list names tests, so a renamed test must be renamed there too.

const folder = new URL("./", import.meta.url);
const list = readFileSync(new URL("README.md", folder), "utf8");
const promises = list
  .split("\n")
  .filter((line) => /^\|.*\]\(/.test(line))
  .map((row) => {
    const [, path = "", names = ""] = row.match(/\[[\w-]+\]\(([\w/.-]+)\): ([^|]*) \|$/) ?? [];
    return { row, path, names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = ""]) => name) };
  });

test("every row of the list names tests that exist", () => {
  expect(promises.length).toBeGreaterThan(30);
  for (const { row, path, names } of promises) {
    expect(path, row).not.toBe("");
    expect(existsSync(new URL(path, folder)), path).toBe(true);
    expect(names.length, row).toBeGreaterThan(0);
    for (const name of names) expect(namesOfTests(path), path).toContain(name);
  }
});

test("every attack test is in the list, in a row that links to its file", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(4);
  for (const path of files) {
    if (path === "attack-list.test.ts") continue;
    const promised = promises.filter((promise) => promise.path === path);
    expect(promised.length, path).toBeGreaterThan(0);
    const names = promised.flatMap((promise) => promise.names);
    for (const name of namesOfTests(path)) expect(names, path).toContain(name);
  }
});

test("SECURITY.md is a page of at most 8 KB that links to the list", () => {
  const page = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8");
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(8 * 1024);
  expect(page).toContain("](tests/attacks/README.md)");
});

/** Names in `test("…"` and `test.each(…)("%s …"`, without the placeholder. */
function namesOfTests(path: string): string[] {
  const text = readFileSync(new URL(path, folder), "utf8");
  const calls = text.matchAll(
    /(?:\btest\(|^\]\)\(|\btest\.each\([\w.]+\)\()\s*"(?:%s )?([^"]+)"/gm,
  );
  return [...calls].map(([, name = ""]) => name);
}
