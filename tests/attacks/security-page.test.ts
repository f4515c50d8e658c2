import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The page promises tests by name; a test that is renamed must not leave it behind.

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("SECURITY.md", root), "utf8");
const promises = [...page.matchAll(/^\|[^\n]*\[[\w-]+\]\((tests\/[\w/.-]+)\): ([^|\n]*)/gm)].map(
  ([, path = "", names = ""]) => ({
    path,
    names: [...names.matchAll(/“([^”]+)”/g)].map(([, name = ""]) => name),
  }),
);

test("every test that the security page names is there", () => {
  expect(promises.length).toBeGreaterThan(30);
  for (const { path, names } of promises) {
    const file = new URL(path, root);
    expect(existsSync(file), path).toBe(true);
    const text = readFileSync(file, "utf8");
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(text, `${path}: ${name}`).toContain(name);
  }
});

test("every attack that is tested stands on the security page", () => {
  const promised = promises.flatMap(({ names }) => names);
  for (const path of ["database", "policies", "replays", "signer-door"]) {
    const text = readFileSync(new URL(`tests/attacks/${path}.test.ts`, root), "utf8");
    for (const [, name] of text.matchAll(/\btest\("([^"]+)"/g)) expect(promised).toContain(name);
  }
});
