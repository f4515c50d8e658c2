// Builds every workspace that has a build script: what is served, or published as files.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const { status } = spawnSync("npm", ["run", "build", "--workspaces", "--if-present"], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: "inherit",
});
process.exitCode = status ?? 1;
