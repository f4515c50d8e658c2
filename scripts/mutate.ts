// Puts one fault after the other into the core, and runs the tests that must notice it. Faults that
// no test notices are listed in tests/mutation/survivors.md with the reason why they are harmless.
//
//   npm run mutate                      all modules
//   npm run mutate -- votes marks       some of them
//
// It can be stopped with Ctrl-C. The next run goes on from there, and later ones look only at what changed.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyTree, writeConfig } from "./mutate/copy.ts";
import { type Module, modules } from "./mutate/modules.ts";
import { judge, readListed, readReport, type Verdict } from "./mutate/survivors.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const results = join(root, ".cache/mutate");
const list = join(root, "tests/mutation/survivors.md");

// StrykerJS ends by itself: the terminal sends it the same signal.
let isStopped = false;
process.on("SIGINT", () => {
  isStopped = true;
});

await main(process.argv.slice(2));

async function main(names: string[]) {
  const unknown = names.find((name) => !modules.some((module) => module.name === name));
  if (unknown !== undefined) {
    const known = modules.map(({ name }) => `"${name}"`).join(", ");
    console.error(`no module is called ${JSON.stringify(unknown)}; there are ${known}`);
    process.exitCode = 1;
    return;
  }
  const verdicts: Verdict[] = [];
  for (const module of modules) {
    if (names.length > 0 && !names.includes(module.name)) continue;
    verdicts.push(await perform(module));
    if (isStopped) {
      console.log("\nStopped. The next run goes on from here.");
      process.exitCode = 130; // 128 + SIGINT
      return;
    }
  }
  report(verdicts);
}

async function perform(module: Module): Promise<Verdict> {
  console.log(`\n=== ${module.name}`);
  await mkdir(results, { recursive: true });
  const copy = await mkdtemp(join(tmpdir(), "keyhearth-mutate-"));
  try {
    await copyTree(root, copy);
    const name = module.name.replaceAll(" ", "-");
    const reportFile = join(results, `${name}.report.json`);
    await rm(reportFile, { force: true });
    const incrementalFile = join(results, `${name}.json`);
    const config = await writeConfig(copy, { ...module, incrementalFile, reportFile });
    const code = await execute(copy, config);
    // It writes none if a test fails before any fault is put in. Its output says which.
    if (!existsSync(reportFile) && !isStopped)
      console.error(`StrykerJS ended with ${code} and wrote no report`);
    const text = existsSync(reportFile) ? await readFile(reportFile, "utf8") : '{"files":{}}';
    return judge(module.name, readReport(text), readListed(await readFile(list, "utf8")));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function execute(copy: string, config: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const bin = join(copy, "node_modules/@stryker-mutator/core/bin/stryker.js");
    const child = spawn(process.execPath, [bin, "run", config], { cwd: copy, stdio: "inherit" });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

function report(verdicts: Verdict[]) {
  console.log("\n");
  for (const { module, caught, total, unlisted, outdated } of verdicts) {
    const share = ((100 * caught) / Math.max(1, total)).toFixed(1);
    console.log(`${module.padEnd(20)} ${share.padStart(5)} % of ${total} faults caught`);
    for (const row of unlisted) console.log(`  not listed: ${row}`);
    for (const row of outdated) console.log(`  listed, but caught or gone: ${row}`);
  }
  const isFailed = verdicts.some(({ isPassed }) => !isPassed);
  if (isFailed) {
    console.log(
      "\nWrite a test that notices each fault that is not listed. If a fault is harmless, add its row to tests/mutation/survivors.md with the reason.",
    );
  }
  process.exitCode = isFailed ? 1 : 0;
}
