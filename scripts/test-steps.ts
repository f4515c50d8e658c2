// What `npm test` runs, in this order. A job is what a machine of continuous integration runs by itself.

import { availableParallelism } from "node:os";

export type Step = {
  name: string;
  job: string;
  command: string[];
  /** What `--long` runs instead. */
  longCommand?: string[];
  /** A check counts as one test. For a run of vitest, its own tests are counted. */
  countsTests?: boolean;
  onPostgres?: boolean;
  /** Services are started from bundles, and the SDK is built. */
  onBundles?: boolean;
  /** Runs at the same time as the step before it, with a lower priority. */
  isBesideLast?: boolean;
  /** What it finds depends on a service elsewhere and on the day, so it runs only if its job is named. */
  isOnlyNamed?: boolean;
};

const cores = availableParallelism();
const vitest = ["vitest", "run", "--passWithNoTests"];
const onWorkers = (count: number) => [...vitest, `--maxWorkers=${count}`];
// Most tests wait for answers now and then. One process more for every two cores uses what they leave.
const onAllCores = onWorkers(Math.ceil(1.5 * cores));

// These measure time, use all processors, or attack the time, the memory and the disk of a service. Nothing
// runs beside them.
const alone = [
  ...["full-disk", "starvation"].map((name) => `tests/attacks/${name}.test.ts`),
  ...["load", "model"].map((name) => `tests/${name}/**`),
];
// Only the long forms of the fuzzer and of the failovers measure time.
const aloneInLong = [...alone, "tests/fuzz/**", "tests/failover/**"];
// These kill and freeze programs, and wait until others notice; or they measure how long something takes. They leave most
// of the machine to other tests, and are the first to get what they need of it.
const waiting = [
  ...["kill", "postgres", "signers", "start"].map((folder) => `tests/${folder}/`),
  ...[
    ...["abused-codes", "connections", "failover", "families", "login-proxy", "lost-database"],
    ...["newcomers", "signer-flood", "signer-network", "site", "slow-issuers", "starts"],
    ...["strangers", "webhooks"],
  ].map((name) => `tests/attacks/${name}.test.ts`),
  ...["approvals", "session", "wallets"].map((name) => `tests/dashboard/${name}.test.ts`),
  ...["cli/connection", "cli/drill", "delivery/delivery", "self-hosting/tracing"].map(
    (name) => `tests/${name}.test.ts`,
  ),
];
const site = ["apps/website/", "tests/shell/", "tests/site/"];
const excluding = (patterns: string[]) => patterns.flatMap((pattern) => ["--exclude", pattern]);
const everythingBelow = (paths: string[]) => paths.map((path) => path.replace(/\/$/, "/**"));
const beside = (patterns: string[]) => [
  ...onAllCores,
  "tests/",
  ...excluding([...patterns, ...everythingBelow([...site, ...waiting])]),
];
/** One file after the other. */
export const byThemselves = (patterns: string[]) => [
  ...vitest,
  "--no-file-parallelism",
  ...patterns.map((path) => path.replace("**", "")),
];

// What PostgreSQL may do differently: statements, locks, races and the order of rows. Of the activities, one of
// each way to write records: alone, in groups, of sessions, of votes, of codes, of deletions.
const rooms = [
  "documents",
  "feedback",
  "jobs",
  "limits",
  "queries",
  "query",
  "store",
  "submission",
];
const sample = [
  ...["approve-activity", "create-sub-organization", "create-users", "delete-sub-organization"],
  ...["stamp-login", "update-user", "verify-otp"],
];
const onBothDatabases = [
  ...rooms.map((room) => `apps/api/src/${room}/`),
  ...["family-storage", "shared-rate-limit"].map((name) => `apps/api/src/host/${name}.test.ts`),
  ...sample.map((name) => `packages/engine/src/activities/${name}.test.ts`),
];

// By default the compiler checks with four threads, each of which checks what the others need too. It keeps what it found,
// and checks the files that changed since, and those that depend on them.
const tsc = (project: string, name: string) => [
  ...["tsc", "--checkers", `${Math.min(cores, 4)}`, "-p", project, "--incremental"],
  ...["--tsBuildInfoFile", `node_modules/.cache/keyhearth/types/${name}.tsbuildinfo`],
];

export const steps: readonly Step[] = [
  {
    name: "lint",
    job: "check",
    command: ["biome", "check", "--error-on-warnings", "."],
  },
  { name: "prose", job: "check", command: ["node", "scripts/prose.ts"] },
  { name: "unused code", job: "check", command: ["knip"] },
  { name: "types", job: "check", command: tsc("tsconfig.json", "code") },
  { name: "types of the site", job: "check", command: tsc("apps/website/tsconfig.json", "site") },
  {
    name: "generated files",
    job: "check",
    command: ["node", "scripts/generate.ts", "--check"],
  },
  {
    name: "advisories",
    job: "advisories",
    command: ["node", "scripts/advisories.ts"],
    isOnlyNamed: true,
  },
  {
    name: "tests of the code",
    job: "core",
    countsTests: true,
    command: [...onAllCores, ...excluding(["tests/**", "apps/website/**"])],
  },
  // The previous step has tested all of it on the embedded database.
  {
    name: "endpoints on PostgreSQL",
    job: "endpoints",
    countsTests: true,
    onPostgres: true,
    command: [
      ...onAllCores,
      ...onBothDatabases,
      // Pruning is one process whose statements others do not wait for: they are the same on both.
      ...excluding([
        ...["store/pglite*", "jobs/vacuum", "jobs/prune"].map((name) => `**/${name}.test.ts`),
      ]),
    ],
    longCommand: [...onAllCores, "apps/api/", "packages/engine/src/activities/"],
  },
  {
    name: "tests that wait",
    job: "attacks",
    countsTests: true,
    onBundles: true,
    command: [...onWorkers(cores), ...waiting],
  },
  {
    name: "attacks and clients",
    job: "attacks",
    countsTests: true,
    onBundles: true,
    isBesideLast: true,
    command: beside(alone),
    longCommand: beside(aloneInLong),
  },
  {
    name: "the site in a browser",
    job: "browser",
    countsTests: true,
    onBundles: true,
    command: [...onAllCores, ...site],
  },
  {
    name: "tests that run alone",
    job: "alone",
    countsTests: true,
    onBundles: true,
    command: byThemselves(alone),
    longCommand: byThemselves(aloneInLong),
  },
];

export const jobs: readonly string[] = [...new Set(steps.map(({ job }) => job))];

/** The steps of these jobs, or without any all that need no service elsewhere. */
export function stepsOf(wanted: readonly string[] | undefined): readonly Step[] {
  return steps.filter(({ job, isOnlyNamed }) => wanted?.includes(job) ?? !isOnlyNamed);
}
