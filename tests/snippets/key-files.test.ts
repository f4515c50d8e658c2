import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// A key file that is missing, broken or of another program would end a sample with the trace of a parser. The SDK's
// `readApiKeyFile` says in one sentence what is wrong, so every sample that has the SDK reads key files with it.

const root = fileURLToPath(new URL("../../", import.meta.url));
const samples = globSync(
  [
    "apps/website/snippets/**/*.{ts,tsx,js,mjs}",
    "apps/website/{docs,i18n}/**/*.mdx",
    "examples/**/*.{ts,tsx,md}",
    "packages/*/README.md",
    "README.md",
  ],
  { cwd: root, exclude: ["**/node_modules/**"] },
);

/** These two have no SDK: one shows how to stamp without it, and the other is a program before it is migrated. */
const withoutSdk = [
  "apps/website/snippets/migrate-before.ts",
  "apps/website/snippets/stamp-by-hand.ts",
];

/** The path or the name of a key file, handed to Node's own way of reading a file. */
const readsByHand = /\breadFile(Sync)?\(\s*([\w.?[\] ]*key_?file\b|[^)]*root-api-key)/i;

test.each([
  'JSON.parse(await readFile(rootKeyFile, "utf8"))',
  'JSON.parse(\n  await readFile(keyFile, "utf8"),\n)',
  'readFileSync("data/root-api-key.json")',
  'readFile(join(data, "root-api-key.json"))',
])("%s is the form that no sample has", (form) => {
  expect(form).toMatch(readsByHand);
});

test("no sample with the SDK reads a key file by hand", () => {
  const byHand = samples.filter((path) => readsByHand.test(readFileSync(`${root}${path}`, "utf8")));
  expect(byHand.sort()).toEqual(withoutSdk);
  for (const path of byHand)
    expect(readFileSync(`${root}${path}`, "utf8")).not.toMatch(/@keyhearth/);
});
