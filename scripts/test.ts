// Runs everything that can fail: lint, prose, unused code, types, generated files and the tests of every
// project. A failure does not stop the rest; the last line sums up.

import { execFile, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildPackage } from "../packages/sdk/scripts/build.ts";
import { hasCitus, startCitus } from "../tests/citus/cluster.ts";
import { findPostgres, postgresMissing, startPostgres } from "../tests/postgres/start.ts";
import { packPackages } from "./bundle/packages.ts";
import { programs } from "./bundle/programs.ts";
import { writeBundle } from "./bundle/write.ts";
import { readNames, readOptions } from "./options.ts";
import { allocation } from "./setup/allocation.mjs";
import { bitcoinlibMissing, findBitcoinlib, findTestBrowser } from "./setup/tools.mjs";
import { makeFolderInMemory } from "./temporary-folder.ts";
import { afterRerun, filesToRerun, readReport } from "./test-counts.ts";
import { bundleImports } from "./test-packages.ts";
import { bySlowest, type Counts, type Duration, type Report } from "./test-report.ts";
import { byThemselves, jobs, type Step, steps, stepsOf } from "./test-steps.ts";

type Outcome = Counts & {
  name: string;
  seconds: number;
  failures?: string[];
  /** What failed beside other files and passed by itself. */
  onlyAlone?: string[];
  slowest?: Duration[];
};

const SLOWEST_SHOWN = 40;

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, "node_modules/.cache/keyhearth");

const help = `npm test -- [options]

  --only=a,b  run some jobs:
${jobs.map((job) => `              ${job.padEnd(11)} ${namesOf(job)}`).join("\n")}
  --all       also the jobs that are left out otherwise; nothing is merged without them
  --long      all jobs with the long forms of their tests, as npm run e2e
`;

const options = readOptions(help, {
  all: { type: "boolean", default: false },
  long: { type: "boolean", default: false },
  only: { type: "string" },
});
const wanted =
  options.only === undefined ? undefined : readNames(help, "--only", options.only, jobs);

const isLong = options.long;
// We promise 30 minutes on two quiet cores for all of it. A busy machine gets twice as long, and then a step that
// hangs is ended so that the others can be reported.
const deadline = performance.now() + (isLong ? 180 : 60) * 60_000;

const temporary = makeFolderInMemory();
if (temporary) {
  process.env.TMPDIR = temporary;
  process.on("exit", () => {
    // What a killed test has mounted there stays.
    try {
      rmSync(temporary, { recursive: true, force: true });
    } catch {}
  });
}

const outcomes: Outcome[] = [];
let built: Promise<Record<string, string>> | undefined;
const chosen = stepsOf(wanted, options.all || isLong);
const checks = chosen.filter(({ countsTests }) => !countsTests);
outcomes.push(...(await performChecks(checks)));
for (const together of atOnce(chosen.filter(({ countsTests }) => countsTests))) {
  console.log(`\n=== ${together.map(({ name }) => name).join(", beside ")}`);
  const [first] = together;
  if (first.onPostgres) outcomes.push(...(await performOnPostgres(first)));
  else if (first.onCitus) outcomes.push(...(await performOnCitus(first)));
  else outcomes.push(...(await performTests(together, first.onBundles ? await builtOfRun() : {})));
}
report(outcomes);

/** The steps in their order, each with those that run beside it. */
function atOnce(wanted: readonly Step[]): [Step, ...Step[]][] {
  const groups: [Step, ...Step[]][] = [];
  for (const step of wanted) {
    const last = groups.at(-1);
    if (step.isBesideLast && last) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function namesOf(job: string): string {
  const own = steps.filter((step) => step.job === job);
  const left = { all: " (with --all, or if it is named)", named: " (only if it is named)" };
  const [isLeftTo] = own.flatMap((step) => step.isLeftTo ?? []);
  return own.map(({ name }) => name).join(", ") + (isLeftTo ? left[isLeftTo] : "");
}

/** One server for all. Each test process creates its own database on it. */
async function performOnPostgres(step: Step): Promise<Outcome[]> {
  if (!findPostgres()) {
    console.log(`skipped: ${postgresMissing}`);
    return [{ name: step.name, seconds: 0, passed: 0, failed: 0, skipped: 1 }];
  }
  const postgres = await startPostgres({ fsync: false });
  try {
    return await performTests([step], { KEYHEARTH_TEST_POSTGRES: postgres.url });
  } finally {
    await postgres.stop();
  }
}

/** One cluster for all, on whose nodes each test process creates its own database. */
async function performOnCitus(step: Step): Promise<Outcome[]> {
  if (!hasCitus()) {
    console.log("skipped: the PostgreSQL that tests use has no Citus");
    return [{ name: step.name, seconds: 0, passed: 0, failed: 0, skipped: 1 }];
  }
  const { coordinator, workers, stop } = await startCitus();
  try {
    const urls = [coordinator, ...workers].map(({ url }) => url);
    return await performTests([step], { KEYHEARTH_TEST_CITUS: urls.join(",") });
  } finally {
    await stop();
  }
}

/**
 * A service and a command start in half the time from their bundles, and several files need the SDK as it is published. What
 * keeps one of them from being made fails the test that then makes it.
 */
function builtOfRun(): Promise<Record<string, string>> {
  const bundles = join(cache, "bundles");
  const sdk = join(cache, "sdk");
  const commandLine = join(cache, "command-line");
  const imports = join(cache, "imports");
  const folders = {
    KEYHEARTH_TEST_BUNDLES: bundles,
    KEYHEARTH_TEST_SDK: sdk,
    KEYHEARTH_TEST_COMMAND_LINE: commandLine,
    KEYHEARTH_TEST_IMPORTS: imports,
  };
  built ??= Promise.all([
    ...programs.map((program) => writeBundle(root, program, join(bundles, program.name))),
    buildPackage(sdk),
    bundleImports(root, imports),
  ])
    .then(() => unpackCommandLine(commandLine))
    .then(
      () => folders,
      () => ({}),
    );
  return built;
}

/** The bundle of the API has packed it. */
async function unpackCommandLine(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const tarball = join(await packPackages(root), "keyhearth-cli.tgz");
  await promisify(execFile)("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  // What it depends on, in the versions of the lock.
  await symlink(join(root, "packages/cli/node_modules"), join(folder, "node_modules"));
}

/** Two at a time, because some use one core. What one has written is shown when it has ended. */
async function performChecks(checks: readonly Step[]): Promise<Outcome[]> {
  const found = new Map<Step, Outcome>();
  const waiting = [...checks];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const { name, command } = step;
      const seconds = stopwatch();
      const { code, output } = await execute(command, {}, "pipe");
      console.log(`\n=== ${name}\n${output.trimEnd()}`);
      const isPassed = code === 0;
      const counts = { passed: +isPassed, failed: +!isPassed, skipped: 0 };
      found.set(step, { name, seconds: seconds(), ...counts });
    }
  };
  await Promise.all([lane(), lane()]);
  return checks.flatMap((step) => found.get(step) ?? []);
}

function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

/** Runs steps at once. Only when all of them have ended, what failed runs by itself. */
async function performTests(
  together: readonly Step[],
  variables: Record<string, string> = {},
): Promise<Outcome[]> {
  const runs = together.map(async ({ name, command, longCommand, isBesideLast }) => {
    const seconds = stopwatch();
    const report = await runVitest((isLong && longCommand) || command, variables, isBesideLast);
    return { name, report, seconds: seconds() };
  });
  const outcomes: Outcome[] = [];
  for (const { name, report, seconds } of await Promise.all(runs)) {
    const again = filesToRerun(report);
    if (again.length === 0) {
      outcomes.push({ name, seconds, ...report });
      continue;
    }
    console.log(`\n=== ${name}: once more, by themselves: ${again.join(", ")}`);
    const rerun = stopwatch();
    const second = await runVitest(byThemselves(again), variables);
    outcomes.push({ name, seconds: seconds + rerun(), ...afterRerun(report, second) });
  }
  return outcomes;
}

/** What runs beside other tests has a lower priority, and is shown when it has ended. */
async function runVitest(
  command: string[],
  variables: Record<string, string>,
  isBeside = false,
): Promise<Report> {
  const directory = await mkdtemp(join(tmpdir(), "keyhearth-test-"));
  const file = join(directory, "report.json");
  const reporters = ["--reporter=default", "--reporter=./scripts/test-report.ts"];
  const { code, output } = await execute(
    [...(isBeside ? ["nice", "-n", "5"] : []), ...command, ...reporters],
    { ...variables, KEYHEARTH_TEST_REPORT: file },
    isBeside ? "pipe" : "inherit",
  );
  if (isBeside) console.log(output.trimEnd());
  const report = readReport(existsSync(file) ? await readFile(file, "utf8") : undefined, code);
  await rm(directory, { recursive: true });
  return report;
}

/**
 * Resolves with the exit code, and with what was written to a pipe. At the deadline it ends the command and everything
 * that it started.
 */
function execute(
  [command = "", ...args]: string[],
  variables: Record<string, string>,
  written: "inherit" | "pipe" = "inherit",
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment(), ...variables },
      stdio: ["inherit", written, written],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const forward = (signal: NodeJS.Signals) => {
      if (child.pid) process.kill(-child.pid, signal);
    };
    const timer = setTimeout(
      () => {
        console.error("\nout of time");
        forward("SIGKILL");
      },
      Math.max(0, deadline - performance.now()),
    );
    const interrupt = () => {
      forward("SIGTERM");
      // Another command that runs is ended first.
      setImmediate(() => process.exit(130));
    };
    process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
    const finish = (code: number) => {
      clearTimeout(timer);
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
      resolve({ code, output });
    };
    child.on("error", (error) => {
      console.error(error.message);
      finish(1);
    });
    child.on("close", (code) => finish(code ?? 1));
  });
}

/** Adds tools to PATH. */
function environment() {
  const path = [join(root, "node_modules/.bin"), process.env.PATH, findPostgres()];
  return {
    ...process.env,
    PATH: path.filter(Boolean).join(delimiter),
    // Tests start the same programs many times. Most of what a start takes is to strip and compile their modules.
    NODE_COMPILE_CACHE: join(cache, "compiled"),
    // With as many arenas as glibc gives it, a process of tests keeps a third more.
    ...allocation,
    ...(isLong && { KEYHEARTH_LONG: "1" }),
  };
}

function report(outcomes: Outcome[]) {
  const sum = (key: keyof Counts) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  console.log("\n");
  for (const { name, seconds, passed, failed, skipped } of outcomes) {
    const counts = [
      `${passed} passed`,
      failed && `${failed} FAILED`,
      skipped && `${skipped} skipped`,
    ];
    console.log(
      `${name.padEnd(22)} ${`${seconds.toFixed(1)} s`.padStart(9)}   ${counts.filter(Boolean).join(", ")}`,
    );
  }
  const slowest = outcomes.flatMap(({ slowest = [] }) => slowest).sort(bySlowest);
  const shown = slowest.slice(0, SLOWEST_SHOWN);
  if (shown.length > 0) console.log("\nThe files that took longest:");
  for (const { file, seconds } of shown) {
    console.log(`${seconds.toFixed(1).padStart(7)} s   ${file}`);
  }
  const failures = outcomes.flatMap(({ failures = [] }) => failures);
  if (failures.length > 0) console.log(`\n${failures.map((each) => `FAILED ${each}`).join("\n")}`);
  const onlyAlone = outcomes.flatMap(({ onlyAlone = [] }) => onlyAlone);
  if (onlyAlone.length > 0) {
    console.log(`\n${onlyAlone.map((each) => `PASSED ONLY BY ITSELF ${each}`).join("\n")}`);
  }
  if (!findPostgres()) console.log("\nskipped without PostgreSQL: apt-get install postgresql");
  if (!findTestBrowser())
    console.log("\nskipped without a browser: apt-get install chromium, or set CHROME_PATH");
  if (!findBitcoinlib()) console.log(`\nskipped: ${bitcoinlibMissing}`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
  console.log(`\n${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
}
