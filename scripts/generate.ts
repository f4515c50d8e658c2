// Writes every generated file, in the order in which they depend on each other. With --check it
// fails if that changes anything, and restores the files.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

type Generator = { script: string; outputs: string[] };

const root = fileURLToPath(new URL("..", import.meta.url));

const generators: Generator[] = [
  {
    script: "scripts/activity-kinds.ts",
    outputs: [
      "packages/policy/src/generated/activity-kinds.ts",
      "apps/api/src/generated/activity-types.ts",
    ],
  },
  {
    script: "scripts/activity-params.ts",
    outputs: ["packages/policy/src/generated/activity-params.ts"],
  },
  { script: "apps/api/src/openapi/openapi.ts", outputs: ["contract/openapi.json"] },
  {
    script: "packages/sdk/scripts/generate.ts",
    outputs: ["packages/sdk/src/generated", "packages/sdk/src/calls/generated"],
  },
  {
    script: "packages/cli/scripts/generate.ts",
    outputs: ["packages/cli/src/contract/generated"],
  },
  {
    script: "packages/cli/scripts/commands-table.ts",
    outputs: ["apps/website/docs/_partials/commands.mdx"],
  },
  {
    script: "scripts/environment-table.ts",
    outputs: ["apps/website/docs/_partials/environment.mdx"],
  },
  {
    script: "scripts/deprecations-table.ts",
    outputs: ["apps/website/docs/_partials/deprecations.mdx"],
  },
  {
    script: "scripts/error-messages.ts",
    outputs: ["apps/website/src/components/errors/generated"],
  },
  { script: "scripts/metrics-table.ts", outputs: ["apps/website/docs/_partials/metrics.mdx"] },
  {
    script: "scripts/limits-tables.ts",
    outputs: [
      "apps/website/docs/_partials/resource-limits.mdx",
      "apps/website/docs/_partials/rate-limits.mdx",
      "apps/website/i18n/es/docusaurus-plugin-content-docs/current/_partials",
    ],
  },
];

const isCheck = process.argv.includes("--check");
const before = snapshot();
for (const { script } of generators) {
  const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(`keyhearth: ${script} failed`);
    process.exit(1);
  }
}
const after = snapshot();
const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
  (path) => before.get(path) !== after.get(path),
);

if (!isCheck) {
  console.log(
    changed.length === 0 ? "nothing changed" : changed.map((path) => `wrote ${path}`).join("\n"),
  );
} else if (changed.length > 0) {
  restore(changed);
  console.error(`stale, run npm run generate:\n${changed.map((path) => `  ${path}`).join("\n")}`);
  process.exitCode = 1;
} else {
  console.log(`${after.size} generated files are current`);
}

function snapshot() {
  return new Map(
    generators
      .flatMap(({ outputs }) => outputs.flatMap(files))
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}

function files(path: string): string[] {
  if (!existsSync(join(root, path))) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => files(`${path}/${name}`));
}

function restore(paths: string[]) {
  for (const path of paths) {
    const content = before.get(path);
    if (content === undefined) rmSync(join(root, path));
    else writeFileSync(join(root, path), content);
  }
}
