import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Copies the tree without what Git ignores. Faults are put into the copy, so nobody commits one. Its
 * node_modules has links: those of our workspaces lead into the copy, all others to the original.
 */
export async function copyTree(root: string, copy: string) {
  const { stdout } = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const files = stdout.split("\0").filter((path) => path && !path.startsWith("apps/website/"));
  for (const path of files) {
    await mkdir(join(copy, dirname(path)), { recursive: true });
    // A file that was deleted and not yet committed is still listed.
    await cp(join(root, path), join(copy, path)).catch(ignoreMissing);
  }
  await linkModules(join(root, "node_modules"), join(copy, "node_modules"));
}

async function linkModules(from: string, to: string) {
  const scope = "@keyhearth";
  await mkdir(join(to, scope), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== scope) await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(from, scope))) {
    await symlink(await readlink(join(from, scope, name)), join(to, scope, name));
  }
}

/** What the run of one module is configured with. */
export async function writeConfig(
  copy: string,
  {
    mutate,
    tests,
    incrementalFile,
    reportFile,
  }: {
    mutate: readonly string[];
    tests: readonly string[];
    incrementalFile: string;
    reportFile: string;
  },
): Promise<string> {
  const vitest = {
    test: { include: tests, testTimeout: 300_000, hookTimeout: 300_000, isolate: false },
  };
  const vitestFile = join(copy, "vitest.mutate.config.mjs");
  await writeFile(vitestFile, `export default ${JSON.stringify(vitest)};\n`);
  const stryker = {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: vitestFile, related: false, pool: "forks" },
    mutate: mutate.flatMap((pattern) => [
      pattern,
      ...[".test.ts", ".testing.ts"].map((end) => `!${pattern.replace(/\.ts$/, end)}`),
    ]),
    inPlace: true,
    coverageAnalysis: "perTest",
    concurrency: availableParallelism(),
    incremental: true,
    incrementalFile,
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: reportFile },
    // Beyond one and a half times what the tests took without a fault. A commit that a fault leaves
    // waiting waits this long, and there are dozens of them.
    timeoutMS: 15_000,
    dryRunTimeoutMinutes: 30,
    allowEmpty: false,
    disableTypeChecks: false,
  };
  const file = join(copy, "stryker.config.json");
  await writeFile(file, JSON.stringify(stryker, null, 2));
  return file;
}

function ignoreMissing(error: NodeJS.ErrnoException) {
  if (error.code !== "ENOENT") throw error;
}
