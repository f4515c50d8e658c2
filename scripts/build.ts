// Builds every workspace that has a build script: what is served, published or deployed as files.

import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
// The bundle of the API holds the site.
const FIRST = "@keyhearth/website";

const names = globSync("{packages,apps}/*/package.json", { cwd: root })
  .map((path) => JSON.parse(readFileSync(join(root, path), "utf8")))
  .filter(({ scripts }) => scripts?.build !== undefined)
  .map(({ name }): string => name)
  .toSorted((a, b) => +(b === FIRST) - +(a === FIRST));

for (const name of names) {
  const run = ["run", "build", "--workspace", name];
  const { status } = spawnSync("npm", run, { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
  if (process.exitCode !== 0) break;
}
