import { execFile } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

// What a file may import of other workspaces is in workspaces.ts. The linter finds cycles, and packages that the
// manifest does not have.

const root = fileURLToPath(new URL("..", import.meta.url));

const workspaces = [
  ...["crypto", "engine", "outbound", "policy", "sdk", "cli"].map((name) => `packages/${name}`),
  ...["api", "courier", "signer"].map((name) => `apps/${name}`),
];

// The globs of the root's configuration would not apply below a second one.
test("the root's biome.json is the only configuration of the linter", async () => {
  const paths = ["packages", "apps"].map((parent) => `${parent}/**/biome.json*`);
  const exclude = (name: string) => /node_modules|build|dist/.test(name);
  const found: string[] = [];
  for await (const path of glob(paths, { cwd: root, exclude })) found.push(path);
  expect(found).toEqual([]);
});

type Diagnostic = { rule: string; file: string; line: number };

let directory: string;
let found: Diagnostic[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-imports-"));
  const manifests = workspaces.map((name) => `${name}/package.json`);
  for (const file of ["biome.json", ".gitignore", ...manifests]) {
    await cp(join(root, file), join(directory, file));
  }
  for (const workspace of workspaces) {
    // Two files import a type of each other, and a third one a package that is not declared.
    await write(`${workspace}/src/one.ts`, cycle("one", "two"));
    await write(`${workspace}/src/two.ts`, cycle("two", "one"));
    await write(`${workspace}/src/three.ts`, 'import three from "left-pad";\nexport { three };\n');
    await write(`${workspace}/src/three.test.ts`, 'import "left-pad";\n');
  }
  found = await lint();
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(workspaces)("in %s, cycles and undeclared packages are refused", (workspace) => {
  const inFile = (file: string) =>
    found.filter((each) => each.file === `${workspace}/src/${file}`).map(({ rule }) => rule);
  expect(inFile("one.ts")).toContain("noImportCycles");
  expect(inFile("three.ts")).toContain("noUndeclaredDependencies");
  expect(inFile("three.test.ts")).not.toContain("noUndeclaredDependencies");
});

const cycle = (own: string, other: string) =>
  `import type { ${other} } from "./${other}.ts";\nexport { ${other} as ${own} };\n`;

async function write(path: string, content: string) {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

/** Runs the linter as `npm run check` does, and proves that it fails. */
async function lint() {
  const biome = join(root, "node_modules/.bin/biome");
  const args = ["lint", "--reporter=github", "--max-diagnostics=500", "."];
  const failure = await promisify(execFile)(biome, args, { cwd: directory }).then(
    () => undefined,
    (error: { code: number; stdout: string }) => error,
  );
  if (failure?.code !== 1) throw new Error("the linter accepted forbidden imports");
  const pattern = /title=lint\/\w+\/(\w+),file=([^,]+),line=(\d+)/g;
  return [...failure.stdout.matchAll(pattern)].map(
    ([, rule = "", file = "", line]): Diagnostic => ({
      rule,
      file: relative(directory, file),
      line: Number(line),
    }),
  );
}
