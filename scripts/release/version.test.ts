import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { newestVersion, sectionOf } from "./notes.ts";
import { deployed, examplesOf, manifestsOf, RELEASED, setVersion, textsOf } from "./version.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string, folder = root) => readFileSync(join(folder, path), "utf8");
const readJson = (path: string, folder = root) => JSON.parse(read(path, folder));

const places = [
  ...[...manifestsOf(root), ...examplesOf(root), ...textsOf(root)],
  ...[...deployed, "package-lock.json"],
];

/** Every place that says the version, and what it says. */
function versionsIn(folder: string): [string, unknown][] {
  const lock = readJson("package-lock.json", folder);
  const texts = deployed.flatMap((path) => {
    const found = read(path, folder).match(/(?<![\d.])\d+\.\d+\.\d+(?![\d.])/g) ?? ["none"];
    return found.map((each): [string, unknown] => [path, each]);
  });
  const manifests = manifestsOf(folder).flatMap((path): [string, unknown][] => {
    const { version, dependencies, devDependencies } = readJson(path, folder);
    const named = Object.entries({ ...dependencies, ...devDependencies });
    const ours = named.filter(([name]) => name.startsWith("@keyhearth/"));
    const locked = lock.packages[path === "package.json" ? "" : dirname(path)].version;
    return [
      [path, version],
      [`package-lock.json: ${path}`, locked],
      ...ours.map(([name, each]): [string, unknown] => [`${path}: ${name}`, each]),
    ];
  });
  const files = textsOf(folder).flatMap((path) =>
    [...read(path, folder).matchAll(RELEASED)].map(([, , each]): [string, unknown] => [path, each]),
  );
  const examples = examplesOf(folder).map((path): [string, unknown] => [
    path,
    readJson(path, folder).dependencies["@keyhearth/sdk"],
  ]);
  return [...texts, ...files, ...examples, ...manifests];
}

test("everything says the same version", () => {
  const { version } = readJson("package.json");
  const said = [
    ...versionsIn(root),
    ["contract/openapi.json", readJson("contract/openapi.json").info.version],
    ["CHANGELOG.md", newestVersion(read("CHANGELOG.md"))],
  ];
  expect(said.length).toBeGreaterThan(30);
  expect(said.filter(([, each]) => each !== version)).toEqual([]);
  expect(sectionOf(read("CHANGELOG.md"), version)).toMatch(/^## .+\n\n### /);
});

test("a new version is set in all places at once", () => {
  const copy = mkdtempSync(join(tmpdir(), "keyhearth-version-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const path of places) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  setVersion(copy, "9.8.7");
  const said = versionsIn(copy);
  expect(said.filter(([, each]) => each !== "9.8.7")).toEqual([]);
  expect(said.map(([place]) => place)).toEqual(versionsIn(root).map(([place]) => place));
  expect(() => setVersion(copy, "9.8")).toThrow("`9.8` must be like `0.2.0`");

  setVersion(copy, readJson("package.json").version);
  for (const path of places) {
    expect([path, read(path, copy)]).toEqual([path, read(path)]);
  }
});

test("no page installs by its name what no registry has", () => {
  const pages = globSync(
    [
      ...["*.md", "{packages,examples}/*/README.md", "scripts/release/package-readme.md"],
      ...["apps/website/{docs,i18n,snippets}/**/*.{md,mdx,sh,yml,yaml}"],
    ],
    { cwd: root },
  );
  const commands = pages.flatMap((path) =>
    [...read(path).matchAll(/^.*\bnpm install\b.*$/gm)].map(([line]) => [path, line] as const),
  );
  expect(commands.length).toBeGreaterThan(20);
  // A sentence may say what will work one day; a block of commands is copied.
  const blocks = commands.filter(([, line]) => !/`npm install/.test(line));
  expect(blocks.filter(([, line]) => /\s(keyhearth|@keyhearth\/\w+)(@|\s|$)/.test(line))).toEqual(
    [],
  );
});

test("a version without a section in the changelog is refused", () => {
  expect(() => sectionOf("# Changelog\n\n## 0.1.0 - 2026-11-28\n", "0.2.0")).toThrow(
    "CHANGELOG.md has no section of 0.2.0: run node scripts/changelog.ts --release=0.2.0",
  );
});
