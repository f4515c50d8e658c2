import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// No registry has the package of Keyhearth. Where it is not installed, npx would run the package of anyone who takes the
// name, in a folder with keys. With `--no` it refuses instead.

const root = fileURLToPath(new URL("../../", import.meta.url));

const files = globSync(
  [
    "{README.md,packages/*/README.md,scripts/release/*.md}",
    "packages/cli/{skills,src}/**/*.{md,ts}",
    "examples/**/*.{md,json,mjs,ts,yml,yaml,sh}",
    "apps/website/{docs,i18n,snippets,src}/**/*.{md,mdx,json,sh,ts,tsx,txt,yml,yaml}",
    "deploy/**/*.{md,sh,yml,yaml}",
  ],
  { cwd: root, exclude: (name) => /(^|\/)node_modules$/.test(name) },
);

/** `npx keyhearth` in a line of a shell, or in the list of a configuration file, over lines. */
const INSTALLS = /\bnpx(?:"|\s|,|\[|"?args"?:)+keyhearth\b/g;

test("npx refuses to install a package of that name, wherever a reader copies from", () => {
  const found = files.flatMap((file) =>
    [...readFileSync(`${root}${file}`, "utf8").matchAll(INSTALLS)].map(([text]) => [file, text]),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

test.each([
  "npx keyhearth start",
  '"command": "npx", "args": ["keyhearth", "mcp"]',
  '"command": "npx",\n      "args": ["keyhearth", "mcp"]',
])("%s would be found", (text) => {
  expect(text).toMatch(new RegExp(INSTALLS.source));
  expect(text.replace(/(?=\W?keyhearth)/, " --no")).not.toMatch(new RegExp(INSTALLS.source));
});
