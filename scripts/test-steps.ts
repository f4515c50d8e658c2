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
  /** Skipped where PostgreSQL has no Citus. */
  onCitus?: boolean;
  /** Services are started from bundles, and the SDK is built. */
  onBundles?: boolean;
  /** Runs at the same time as the step before it, with a lower priority. */
  isBesideLast?: boolean;
  /**
   * What runs it, if `npm test` by itself does not: `--all` and `--long` too, or only a run that names its job, because
   * what it finds depends on a service elsewhere and on the day.
   */
  isLeftTo?: "all" | "named";
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
// Programs and machines end, freeze or cannot reach each other, for many seconds at a time. What changes of few files break.
const outages = [
  ...["kill", "postgres", "signers"].map((folder) => `tests/${folder}/`),
  ...["failover", "lost-database", "signer-network"].map((name) => `tests/attacks/${name}.test.ts`),
  ...["cli/drill", "start/signer-workers", "start/workers"].map((name) => `tests/${name}.test.ts`),
];
// What is published, installed or copied and run as its users do: releases, images, the programs of examples and pages,
// also in other languages, and data of earlier versions.
const published = [
  ...[
    "bundles",
    "containers",
    "emulator",
    "examples",
    "kit",
    "languages",
    "quickstarts",
    "release",
  ],
  ...["skills", "snippets", "upgrade"],
].map((folder) => `tests/${folder}/`);
// These kill and freeze programs, and wait until others notice; or they measure how long something takes. They leave most
// of the machine to other tests, and are the first to get what they need of it.
const waiting = [
  "tests/start/",
  ...[
    ...["abused-codes", "connections", "families", "login-proxy", "newcomers", "signer-flood"],
    ...["site", "slow-issuers", "starts", "strangers", "webhooks"],
  ].map((name) => `tests/attacks/${name}.test.ts`),
  ...["approvals", "session", "wallets"].map((name) => `tests/dashboard/${name}.test.ts`),
  ...["cli/connection", "delivery/delivery"].map((name) => `tests/${name}.test.ts`),
];
const site = ["apps/website/", "tests/shell/", "tests/site/"];
const excluding = (patterns: string[]) => patterns.flatMap((pattern) => ["--exclude", pattern]);
const everythingBelow = (paths: string[]) => paths.map((path) => path.replace(/\/$/, "/**"));
const beside = (patterns: string[]) => [
  ...onAllCores,
  "tests/",
  ...excluding([...patterns, ...everythingBelow([...site, ...waiting, ...outages, ...published])]),
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
    isLeftTo: "named",
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
    isLeftTo: "all",
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
    name: "endpoints on Citus",
    job: "endpoints",
    countsTests: true,
    onCitus: true,
    isLeftTo: "all",
    command: [
      ...onAllCores,
      ...onBothDatabases,
      ...excluding(["store/pglite*", "jobs/vacuum"].map((name) => `**/${name}.test.ts`)),
    ],
  },
  {
    name: "tests that wait",
    job: "attacks",
    countsTests: true,
    onBundles: true,
    command: [...onWorkers(cores), ...waiting, ...excluding(everythingBelow(outages))],
  },
  {
    name: "attacks and clients",
    job: "attacks",
    countsTests: true,
    onBundles: true,
    isBesideLast: true,
    command: beside([...alone, "tests/failover/**"]),
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
    name: "outages",
    job: "outages",
    countsTests: true,
    onBundles: true,
    isLeftTo: "all",
    command: [...onWorkers(cores), ...outages, "tests/failover/"],
    longCommand: [...onWorkers(cores), ...outages],
  },
  {
    name: "what is published",
    job: "published",
    countsTests: true,
    onBundles: true,
    isBesideLast: true,
    isLeftTo: "all",
    command: [...onAllCores, ...published],
  },
  {
    name: "tests that run alone",
    job: "alone",
    countsTests: true,
    isLeftTo: "all",
    onBundles: true,
    command: byThemselves(alone),
    longCommand: byThemselves(aloneInLong),
  },
];

export const jobs: readonly string[] = [...new Set(steps.map(({ job }) => job))];

/** The steps of these jobs, or without any those of `npm test`, or all that need no service elsewhere. */
export function stepsOf(wanted: readonly string[] | undefined, isAll = false): readonly Step[] {
  return steps.filter(
    ({ job, isLeftTo }) => wanted?.includes(job) ?? (!isLeftTo || (isAll && isLeftTo === "all")),
  );
}
