// `npm run bench`: the numbers that we promise, measured in one run on one machine.

import { randomInt } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startCollector } from "@keyhearth/api/observability/collector.testing";
import pg from "pg";
import { readNames, readNumber, readOptions } from "../scripts/options.ts";
import { findPgbouncer, startPgbouncer } from "../tests/postgres/pgbouncer.ts";
import {
  createDatabase,
  findPostgres,
  type Postgres,
  postgresMissing,
  startPostgres,
} from "../tests/postgres/start.ts";
import {
  clientOf,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../tests/start/process.ts";
import { measureAgainst } from "./against.ts";
import { type AttackResult, type AttackTask, attackNames } from "./attack-names.ts";
import { coresOfProcess, pin, placesOf } from "./cores.ts";
import { measureEmulator } from "./emulator.ts";
import type { Floor } from "./floor.ts";
import { measureKeys } from "./keys.ts";
import type { Result, Task } from "./load.ts";
import { startOpenBao } from "./openbao.ts";
import { createSpenders, decisionMs, type Spender } from "./policies.ts";
import { measureQueries } from "./queries.ts";
import { printReport, type Report, rate, shareLine, writeReport } from "./report.ts";
import {
  growthPerTenThousand,
  processorSeconds,
  processorSecondsOfTree,
  residentMb,
  type Samples,
  serverSeconds,
} from "./resources.ts";
import { type Rival, readRival } from "./rivals.ts";
import { measureSessions } from "./sessions.ts";
import { measureSignerWorkers } from "./signer-workers.ts";
import { assertSeeded, filtersOf, seedSubOrganizations, timeListing } from "./sub-organizations.ts";
import { inTurns, median, medianRate, medianShare } from "./turns.ts";
import { measureWebhooks } from "./webhooks.ts";
import { startWorker } from "./worker.ts";

const short = [
  "postgres",
  "signer-workers",
  "keys",
  "queries",
  "workers",
  "cores",
  "pooler",
  "sessions",
  "webhooks",
  "policies",
  "tracing",
  "tenants",
  "pglite",
  "emulator",
  "memory",
  "embedded-memory",
];
const long = ["growth", "lookups"];

const help = `npm run bench -- [options]

  --full            also run the long parts: 100,000 signatures, 100,000 organizations, a million look-ups
  --only=a,b        run some parts: ${[...short, ...long].join(", ")}
  --seconds=10      length of each measurement
  --organizations=N size to which the database grows, default 100,000
  --profile=DIR     CPU profiles of the service's threads
  --against=openbao=/path/to/bao
                    also compare ourselves with OpenBao 2.4 or newer, which this starts
`;

const options = readOptions(help, {
  full: { type: "boolean", default: false },
  only: { type: "string" },
  seconds: { type: "string", default: "10" },
  organizations: { type: "string", default: "100000" },
  profile: { type: "string" },
  against: { type: "string" },
});
const seconds = readNumber(help, "--seconds", options.seconds, { least: 1, isWhole: false });
const grownOrganizations = readNumber(help, "--organizations", options.organizations, { least: 1 });
const rival = options.against === undefined ? null : readRival(help, options.against);
const parts =
  options.only === undefined
    ? [...short, ...(options.full ? long : [])]
    : readNames(help, "--only", options.only, [...short, ...long]);
// A rival that is named is measured, whichever parts are chosen.
if (rival) parts.push("against");

let hasFailed = false;
const report: Report = { lines: [], notMeasured: [], measurements: {} };
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-bench-"));

async function run() {
  const postgres = findPostgres() ? await startPostgres({ fsync: true }) : null;
  try {
    if (!postgres) report.notMeasured.push(`everything on PostgreSQL: ${postgresMissing}`);
    await part("postgres", async () => {
      if (postgres) await measurePostgres(postgres);
    });
    await part("signer-workers", async () => {
      const { lines, measured } = await measureSignerWorkers(seconds, progress);
      report.measurements.signerWorkers = measured;
      report.lines.push(...lines);
    });
    await part("keys", async () => {
      if (postgres) await measureSigning(postgres);
    });
    await part("queries", async () => {
      if (postgres) await measureQuerying(postgres);
    });
    await part("workers", async () => {
      if (postgres) await measureWorkers(postgres);
    });
    await part("cores", async () => {
      if (postgres) await measureCores(postgres);
    });
    await part("against", async () => {
      if (postgres && rival) await measureRival(postgres, rival);
    });
    await part("pooler", async () => {
      if (postgres) await measurePoolers(postgres);
    });
    await part("sessions", async () => {
      if (postgres) await measureLogins(postgres);
    });
    await part("webhooks", async () => {
      if (postgres) await measureDeliveries(postgres);
    });
    await part("policies", async () => {
      measureDecision();
      if (postgres) await measurePolicies(postgres);
    });
    await part("tracing", async () => {
      if (postgres) await measureTracing(postgres);
    });
    await part("tenants", async () => {
      if (postgres) await measureTenants(postgres);
    });
    await part("pglite", measurePglite);
    await part("emulator", async () => {
      const { lines, measured } = await measureEmulator(progress);
      report.measurements.emulator = measured;
      report.lines.push(...lines);
    });
    await part("memory", async () => {
      if (postgres) await measureMemory(postgres);
    });
    await part("embedded-memory", measureEmbeddedMemory);
    await part("growth", async () => {
      if (postgres) await measureGrowth(postgres);
    });
    await part("lookups", async () => {
      if (postgres) await measureLookups(postgres);
    });
    if (!options.full && !options.only) {
      report.notMeasured.push(
        "cost as it grows, and memory after 100,000 signatures: npm run bench -- --full",
      );
    }
  } finally {
    await postgres?.stop();
  }
}

/** A failure in one part must not hide the results of the others. */
async function part(name: string, measure: () => Promise<void>) {
  if (!parts.includes(name)) return;
  try {
    await measure();
  } catch (error) {
    report.notMeasured.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    hasFailed = true;
  }
}

/** Before this run kept to two of them. */
const coresAtStart = coresOfProcess();
let keptCores: number[] | null = null;

/** The promise is for two cores, which the load generator and the database share. */
function keepToTwoCores() {
  const cores = availableParallelism();
  if (cores === 2) return;
  if (cores > 2 && coresAtStart) {
    try {
      keptCores = coresAtStart.slice(0, 2);
      pin(process.pid, keptCores);
      return;
    } catch {
      // Without the tool.
      keptCores = null;
    }
  }
  report.notMeasured.push(`two cores: this ran on ${cores}`);
}

type Bed = {
  service: Service;
  root: RootKey;
  dataDirectory: string;
  load: (task: Omit<Task, "url">) => Promise<Result>;
  loadPid: number | undefined;
  /** All processes that are the service, without those that they have started. */
  servicePids: number[];
  stop(): Promise<void>;
};

async function startBed(name: string, environment: Record<string, string>): Promise<Bed> {
  const dataDirectory = join(temporary, name);
  // As operators run it: services of tests do without the code that is compiled for long runs.
  const nodeArguments = ["--no-liftoff-only"];
  if (options.profile) {
    const directory = join(options.profile, name);
    mkdirSync(directory, { recursive: true });
    nodeArguments.push("--cpu-prof", "--cpu-prof-dir", directory);
  }
  const service = await startService(
    { KEYHEARTH_DATA_DIR: dataDirectory, ...environment },
    nodeArguments,
  );
  const worker = startWorker<Task, Result>("load.ts");
  return {
    service,
    dataDirectory,
    root: readRootKey(dataDirectory),
    loadPid: worker.pid,
    servicePids: [Number(service.child.pid)],
    // `Omit` takes out the common member; the rest is still the union.
    load: (task) => worker.ask({ url: service.url, ...task } as Task),
    async stop() {
      worker.stop();
      await service.stop();
      if (service.stderr()) console.error(service.stderr());
    },
  };
}

async function createSubOrganizations(
  { load, root }: Bed,
  forSeconds: number,
  { withSolana = false, withEmail = false } = {},
): Promise<Result> {
  const { organizationId, apiPrivateKey } = root;
  const result = await load({
    call: "create_sub_organization",
    parent: { organizationId, privateKey: apiPrivateKey },
    withSolana,
    withEmail,
    connections: 32,
    warmUpSeconds: 1,
    seconds: forSeconds,
    maxRate: 1500,
  } as Omit<Task, "url">);
  return checked("create_sub_organization", result);
}

async function sign(
  { load }: Bed,
  over: "one" | "all",
  { connections = 32, warmUpSeconds = 4, maxRate = 6000, forSeconds = seconds } = {},
): Promise<Result> {
  const result = await load({
    call: "sign",
    over,
    connections,
    warmUpSeconds,
    seconds: forSeconds,
    maxRate,
  } as Omit<Task, "url">);
  return checked("sign_raw_payload", result);
}

function checked(name: string, result: Result): Result {
  if (result.failed > 0) {
    throw new Error(`${result.failed} requests of ${name} failed: ${result.firstFailure}`);
  }
  return result;
}

const POSTGRES_TURNS = 5;

async function measurePostgres(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "bench");
  const bed = await startBed("postgres", { DATABASE_URL: databaseUrl });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    // The organizations that sign, and what the turns write is of their size.
    progress("create_sub_organization");
    await createSubOrganizations(bed, seconds);
    await sign(bed, "one", { warmUpSeconds: 4, forSeconds: 1 });
    const before = await countActivities(database);
    const floorOf = async () => {
      const worker = startWorker<object, Floor>("floor.ts");
      const { averageBytes: recordBytes } = before;
      const forSeconds = seconds / POSTGRES_TURNS;
      return worker.ask({ databaseUrl, recordBytes, bodyBytes: 360, seconds: forSeconds });
    };
    const floors: Floor[] = [];
    const signing = { warmUpSeconds: 0.5, forSeconds: seconds / POSTGRES_TURNS };
    let answered = 0;
    const names = ["floor", "one", "many", "created"] as const;
    const measured = await inTurns(names, POSTGRES_TURNS, async (name, turn) => {
      progress(`${labels[name]}, turn ${turn} of ${POSTGRES_TURNS}`);
      if (name === "floor") {
        const floor = await floorOf();
        floors.push(floor);
        return { perSecond: floor.perSecond, organizations: 0, serviceMs: Number.NaN };
      }
      const result = await withProcessorTime(bed, database, () =>
        name === "created"
          ? createSubOrganizations(bed, signing.forSeconds)
          : sign(bed, name === "one" ? "one" : "all", signing),
      );
      if (name !== "created") answered += result.answered;
      return { ...result, serviceMs: result.processorMs.service ?? Number.NaN };
    });
    progress("one connection");
    const alone = await sign(bed, "one", { connections: 1, maxRate: 3000 });
    const after = await countActivities(database);
    if (after.count - before.count < answered + alone.answered) {
      throw new Error("answered signatures are missing in the database");
    }
    const { floor, one, many, created } = measured;
    const organizations = many.at(-1)?.organizations ?? 0;
    const floorMs = median(floors.map(({ processorMs }) => processorMs));
    const serviceMs = median(one.map((each) => each.serviceMs));
    Object.assign(report.measurements, { floors, ...measured, alone, records: after });
    const ofFloor = { what: "the floor", perSecond: medianRate(floor) };
    const ofSigning = { what: "sign_raw_payload", perSecond: medianRate(one) };
    report.lines.push(
      {
        what: "floor: verify, sign, one row per commit, 32 loops",
        result: `${rate(medianRate(floor))}; ${floorMs.toFixed(2)} ms of processor time to verify and sign`,
        target: "",
        isMet: null,
      },
      shareLine({
        what: "sign_raw_payload, 32 connections, one organization",
        perSecond: medianRate(one),
        than: ofFloor,
        share: medianShare(one, floor),
        least: 0.7,
      }),
      shareLine({
        what: `sign_raw_payload, 32 connections, ${organizations.toLocaleString("en")} organizations`,
        perSecond: medianRate(many),
        than: ofFloor,
        share: medianShare(many, floor),
        least: 0.65,
      }),
      {
        what: "processor time of the service, one sign_raw_payload",
        result: `${serviceMs.toFixed(2)} ms, ${(serviceMs / floorMs).toFixed(1)} times that of the floor to verify and sign`,
        target: "at most 2.8 times",
        isMet: serviceMs / floorMs <= 2.8,
      },
      {
        what: "sign_raw_payload, one connection, p50",
        result: `${alone.p50Ms.toFixed(2)} ms`,
        target: "under 2 ms",
        isMet: alone.p50Ms < 2,
      },
      {
        what: "sign_raw_payload, one connection, p99",
        result: `${alone.p99Ms.toFixed(2)} ms`,
        target: "under 10 ms",
        isMet: alone.p99Ms < 10,
      },
      shareLine({
        what: "create_sub_organization, one user and one wallet",
        perSecond: medianRate(created),
        than: ofSigning,
        share: medianShare(created, one),
        least: 0.3,
      }),
    );
    if (organizations < 1000) {
      report.notMeasured.push(`1,000 organizations: only ${organizations} were made in time`);
    }
  } finally {
    await bed.stop();
    await database.end();
  }
}

/** Also shows the processor time of service, database and load, in milliseconds per request. */
async function withProcessorTime<R extends Result>(
  { service, loadPid }: Bed,
  database: pg.Client,
  measure: () => Promise<R>,
): Promise<R & { processorMs: Record<string, number | null> }> {
  const { rows } = await database.query("SELECT pg_backend_pid() AS pid");
  const read = () => ({
    service: processorSeconds(service.child.pid),
    database: serverSeconds(Number(rows[0].pid)),
    load: processorSeconds(loadPid),
  });
  const before = read();
  const result = await measure();
  const after = read();
  const each = (name: keyof typeof before) => {
    const [from, to] = [before[name], after[name]];
    return from === null || to === null ? null : ((to - from) / result.answered) * 1000;
  };
  const processorMs = { service: each("service"), database: each("database"), load: each("load") };
  return { ...result, processorMs };
}

/** Batches, transactions and keys of other kinds, compared with single digests. */
async function measureSigning(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "keys");
  const bed = await startBed("keys", { DATABASE_URL: databaseUrl });
  try {
    progress("creating organizations");
    await createSubOrganizations(bed, 2, { withSolana: true });
    const { load, service } = bed;
    const options = { load, servicePid: service.child.pid, seconds, progress };
    const { lines, measurements } = await measureKeys(options);
    report.measurements.keys = measurements;
    report.lines.push(...lines);
  } finally {
    await bed.stop();
  }
}

async function measureQuerying(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "queries");
  const bed = await startBed("queries", { DATABASE_URL: databaseUrl });
  try {
    progress("creating organizations");
    await createSubOrganizations(bed, 2);
    const { line, measurements } = await measureQueries({ load: bed.load, seconds, progress });
    report.measurements.queries = measurements;
    report.lines.push(line);
  } finally {
    await bed.stop();
  }
}

async function measureRival(postgres: Postgres, { binary }: Rival) {
  progress("starting OpenBao");
  const openBao = await startOpenBao(binary, join(temporary, "openbao"));
  try {
    const databaseUrl = await createDatabase(postgres.url, "against");
    const bed = await startBed("against", { DATABASE_URL: databaseUrl });
    try {
      await createSubOrganizations(bed, 1);
      const options = { load: bed.load, openBao, seconds, progress };
      const { lines, measurements } = await measureAgainst(options);
      report.measurements.against = measurements;
      report.lines.push(...lines);
    } finally {
      await bed.stop();
    }
  } finally {
    await openBao.stop();
  }
}

const WORKERS = ["1", "2", "4"] as const;
const WORKER_TURNS = 5;

/** The whole rate with more workers of one kind, which may cost little where there are no cores for them. */
async function measureWorkers(postgres: Postgres) {
  for (const variable of ["KEYHEARTH_SIGNER_WORKERS", "KEYHEARTH_API_WORKERS"] as const) {
    const beds: Record<string, Bed> = {};
    try {
      for (const workers of WORKERS) {
        progress(`starting with ${variable}=${workers}`);
        const environment = { ...oneWorkerEach, [variable]: workers };
        const bed = await startSeparateBed(postgres, `${variable}_${workers}`, environment);
        beds[workers] = bed;
        await createSubOrganizations(bed, 2);
      }
      const measured = await inTurns(WORKERS, WORKER_TURNS, (workers, turn) => {
        progress(`${variable}=${workers}, turn ${turn} of ${WORKER_TURNS}`);
        return sign(beds[workers] as Bed, "all", timesOf(turn)); // started above
      });
      report.measurements[variable] = measured;
      const rates = WORKERS.map((workers) => medianRate(measured[workers]));
      const best = Math.max(...rates);
      for (const [index, workers] of WORKERS.entries()) {
        const perSecond = rates[index] ?? Number.NaN;
        const than = { what: "the best", perSecond: best };
        const what = `sign_raw_payload, separate signer, ${variable}=${workers}`;
        report.lines.push(
          shareLine({ what, perSecond, than, share: perSecond / best, least: 0.92 }),
        );
      }
    } finally {
      for (const bed of Object.values(beds)) await bed.stop();
    }
  }
}

const oneWorkerEach = { KEYHEARTH_SIGNER_WORKERS: "1", KEYHEARTH_API_WORKERS: "1" };

/** Each worker compiles its own code, which the first turn is for. */
function timesOf(turn: number) {
  return { warmUpSeconds: turn === 0 ? 6 : 0.5, forSeconds: seconds / WORKER_TURNS };
}

/** One core against two for the service. Load and database are on others. */
async function measureCores(postgres: Postgres) {
  const what = "sign_raw_payload, the service on two cores against one";
  const places = placesOf(coresAtStart);
  if (typeof places === "string") {
    report.notMeasured.push(`${what}: it ${places}`);
    return;
  }
  const environment = { KEYHEARTH_SIGNER_WORKERS: "2", KEYHEARTH_API_WORKERS: "2" };
  const bed = await startSeparateBed(postgres, "cores", environment);
  try {
    pin(serverPid(postgres), places.others);
    pin(bed.loadPid ?? Number.NaN, places.others);
    await createSubOrganizations(bed, 2);
    const { one, two } = await inTurns(["one", "two"], WORKER_TURNS, (name, turn) => {
      progress(`the service on ${name}, turn ${turn} of ${WORKER_TURNS}`);
      for (const pid of bed.servicePids) pin(pid, places[name]);
      return sign(bed, "all", timesOf(turn));
    });
    report.measurements.cores = { places, one, two };
    const than = { what: "one core", perSecond: medianRate(one) };
    const share = medianShare(two, one);
    report.lines.push(shareLine({ what, perSecond: medianRate(two), than, share, least: 1.7 }));
  } finally {
    await bed.stop();
    // What is measured next shares two cores again.
    if (keptCores) pin(serverPid(postgres), keptCores);
  }
}

/** A service on PostgreSQL with its signer in a separate process. */
async function startSeparateBed(
  postgres: Postgres,
  name: string,
  environment: Record<string, string>,
): Promise<Bed> {
  const databaseName = name.toLowerCase();
  const DATABASE_URL = await createDatabase(postgres.url, databaseName);
  const signer = await startSigner(join(temporary, `signer-${name}`), [], environment);
  try {
    const KEYHEARTH_SIGNER = `unix:${signer.socket}`;
    const { KEYHEARTH_SIGNER_WORKERS: _, ...ofApi } = environment;
    const bed = await startBed(name, { DATABASE_URL, KEYHEARTH_SIGNER, ...ofApi });
    return {
      ...bed,
      servicePids: [...bed.servicePids, Number(signer.child.pid)],
      async stop() {
        await bed.stop();
        await signer.stop();
      },
    };
  } catch (error) {
    await signer.stop();
    throw error;
  }
}

/** Signatures with statements that are prepared once, with none, and through pgbouncer. */
async function measurePoolers(postgres: Postgres) {
  const pooled = { DATABASE_POOLER: "transaction" };
  const rows = [
    { name: "prepared by name", environment: {} },
    { name: "DATABASE_POOLER=transaction", environment: pooled },
    { name: "through pgbouncer", environment: pooled, isBehind: true },
  ];
  if (findPgbouncer() === null) {
    rows.pop();
    report.notMeasured.push("pgbouncer, which is not installed");
  }
  const found: Record<string, { perSecond: number; apiMs: number; databaseMs: number }> = {};
  for (const [index, { name, environment, isBehind = false }] of rows.entries()) {
    const direct = await createDatabase(postgres.url, `pooler_${index}`);
    const bouncer = isBehind ? await startPgbouncer(direct, { sessions: 20 }) : null;
    const bed = await startBed(`pooler-${index}`, {
      DATABASE_URL: bouncer?.url ?? direct,
      ...environment,
    });
    try {
      progress(name);
      await createSubOrganizations(bed, 2);
      const spent = () => [
        processorSeconds(bed.service.child.pid),
        processorSecondsOfTree(serverPid(postgres)),
      ];
      const before = spent();
      // Without a warm-up, so that what was spent is what these requests took.
      const task = { call: "sign", over: "all", kind: "digest", maxRate: 5000, warmUpSeconds: 0 };
      const sign = { ...task, connections: 32, seconds } as Omit<Task, "url">;
      const { perSecond, answered } = checked(name, await bed.load(sign));
      const [apiMs = Number.NaN, databaseMs = Number.NaN] = spent().map(
        (after, at) => (((after ?? Number.NaN) - (before[at] ?? Number.NaN)) / answered) * 1000,
      );
      found[name] = { perSecond, apiMs, databaseMs };
    } finally {
      await bed.stop();
      await bouncer?.stop();
    }
  }
  report.measurements.pooler = found;
  for (const [name, { perSecond, apiMs, databaseMs }] of Object.entries(found)) {
    report.lines.push({
      what: `sign_raw_payload, ${name}`,
      result: `${rate(perSecond)}; processor time of the API ${apiMs.toFixed(2)} ms, of PostgreSQL ${databaseMs.toFixed(2)} ms`,
      target: "",
      isMet: null,
    });
  }
}

/**
 * Signatures without traces and with all that are sent, in turns, because other programs come and go. On a busy machine
 * the processor time tells more than the rate.
 */
async function measureTracing(postgres: Postgres) {
  const collector = await startCollector();
  const traced = { KEYHEARTH_TRACES: "1", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const rows = { "KEYHEARTH_TRACES=off": {}, "KEYHEARTH_TRACES=1": traced };
  const beds: { name: string; bed: Bed; rates: number[]; spent: number; answered: number }[] = [];
  try {
    for (const [name, environment] of Object.entries(rows)) {
      const number = beds.length;
      const DATABASE_URL = await createDatabase(postgres.url, `tracing_${number}`);
      const bed = await startBed(`tracing-${number}`, { DATABASE_URL, ...environment });
      beds.push({ name, bed, rates: [], spent: 0, answered: 0 });
      await createSubOrganizations(bed, 2);
    }
    const task = { call: "sign", over: "all", kind: "digest", maxRate: 5000, connections: 32 };
    for (let turn = 0; turn <= TRACING_TURNS; turn++) {
      progress(`traces, turn ${turn} of ${TRACING_TURNS}`);
      for (const each of turn % 2 === 0 ? beds : beds.toReversed()) {
        const before = processorSeconds(each.bed.service.child.pid) ?? Number.NaN;
        const times = { warmUpSeconds: 0, seconds: seconds / 4 };
        const load = each.bed.load({ ...task, ...times } as Omit<Task, "url">);
        const { perSecond, answered } = checked(each.name, await load);
        const after = processorSeconds(each.bed.service.child.pid) ?? Number.NaN;
        // The first turn warms up.
        if (turn === 0) continue;
        each.rates.push(perSecond);
        each.spent += after - before;
        each.answered += answered;
      }
    }
  } finally {
    for (const { bed } of beds) await bed.stop();
    await collector.close();
  }
  report.measurements.tracing = {
    spans: collector.spans.length,
    rows: beds.map(({ bed: _, ...measured }) => measured),
  };
  for (const { name, rates, spent, answered } of beds) {
    const median = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
    report.lines.push({
      what: `sign_raw_payload, ${name}`,
      result: `${rate(median)}, median of ${rates.length} turns; processor time of the API ${((spent / answered) * 1000).toFixed(2)} ms`,
      target: "",
      isMet: null,
    });
  }
}

const TRACING_TURNS = 10;

function serverPid({ cluster }: Postgres): number {
  return Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10);
}

/** Logins of many users, and of one busy user beside signatures. */
async function measureLogins(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "sessions");
  const bed = await startBed("sessions", { DATABASE_URL: databaseUrl });
  try {
    progress("creating organizations");
    await createSubOrganizations(bed, 4, { withEmail: true });
    const { load, service, root, dataDirectory } = bed;
    await clientOf(service, root).setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
    const { lines, measurements } = await measureSessions({
      load,
      servicePid: service.child.pid,
      seconds,
      progress,
      parent: { organizationId: root.organizationId, privateKey: root.apiPrivateKey },
      stateDirectory: join(dataDirectory, "signer"),
    });
    report.measurements.sessions = measurements;
    report.lines.push(...lines);
  } finally {
    await bed.stop();
  }
}

/** Signatures of an organization with a webhook, compared with one without. */
async function measureDeliveries(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "webhooks");
  const bed = await startBed("webhooks", {
    DATABASE_URL: databaseUrl,
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
  });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const { load, service, root } = bed;
    const options = { load, service, root, database, seconds, progress };
    const { line, measurements } = await measureWebhooks(options);
    report.measurements.webhooks = measurements;
    report.lines.push(line);
  } finally {
    await bed.stop();
    await database.end();
  }
}

function measureDecision() {
  progress("a decision by a hundred policies");
  const milliseconds = decisionMs();
  report.measurements.decisionMs = milliseconds;
  report.lines.push({
    what: "100 policies of 200 characters about an ERC-20 transfer",
    result: `${milliseconds.toFixed(3)} ms`,
    target: "under 0.3 ms",
    isMet: milliseconds < 0.3,
  });
}

const POLICY_TURNS = 60;

/**
 * Measures both in turns, so that a machine that slows down in between slows both. How fast it is
 * changes within seconds, so the turns are short, and many.
 */
async function measurePolicies(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "policies");
  const bed = await startBed("policies", { DATABASE_URL: databaseUrl });
  try {
    const spenders = await createSpenders(bed.service.url, bed.root);
    const processorMs = { free: 0, bound: 0 };
    const rates = { free: 0, bound: 0 };
    const send = async (spender: Spender, turn: Pick<Task, "warmUpSeconds" | "seconds">) => {
      const load = { connections: 32, maxRate: 4000, ...turn };
      const task = { call: "sign_transaction", spender, ...load } as Omit<Task, "url">;
      return checked("sign_transaction", await bed.load(task));
    };
    const measure = async (name: keyof typeof rates) => {
      const before = processorSeconds(bed.service.child.pid) ?? Number.NaN;
      const turn = { warmUpSeconds: 0.15, seconds: seconds / 20 };
      const { perSecond, answered } = await send(spenders[name], turn);
      const after = processorSeconds(bed.service.child.pid) ?? Number.NaN;
      rates[name] += perSecond / POLICY_TURNS;
      processorMs[name] += ((after - before) / answered) * (1000 / POLICY_TURNS);
      return perSecond;
    };
    const orders = [
      ["free", "bound"],
      ["bound", "free"],
    ] as const;
    for (const name of orders[0]) await send(spenders[name], { warmUpSeconds: 4, seconds: 0.1 });
    const shares: number[] = [];
    for (let round = 0; round < POLICY_TURNS; round++) {
      if (round % 10 === 0) progress(`with policies and without, turn ${round} of ${POLICY_TURNS}`);
      const measured = { free: 0, bound: 0 };
      // The two take turns in being first, in case the machine becomes slower or faster all the time.
      for (const name of orders[round % 2] ?? []) measured[name] = await measure(name);
      shares.push(measured.bound / measured.free);
    }
    const share = rates.bound / rates.free;
    report.measurements.policies = { ...rates, shares, processorMs };
    report.lines.push({
      what: "sign_transaction by the last of 100 policies",
      result: `${rate(rates.bound)}, without policies ${rate(rates.free)}: ${share.toFixed(2)}`,
      target: "at least 0.85 of the rate without policies",
      isMet: share >= 0.85,
    });
    report.lines.push({
      what: "processor time of the service for each of them",
      result: `${processorMs.bound.toFixed(2)} ms, without policies ${processorMs.free.toFixed(2)} ms`,
      target: "",
      isMet: null,
    });
  } finally {
    await bed.stop();
  }
}

/** The signing time of one organization alone, and while others do their worst. */
async function measureTenants(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "tenants");
  const bed = await startBed("tenants", { DATABASE_URL: databaseUrl });
  const attacker = startWorker<AttackTask, AttackResult>("attacks.ts");
  const { service, root } = bed;
  let megabytes = 0;
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, residentMb(service.child.pid) ?? 0);
  }, 200);
  try {
    await createSubOrganizations(bed, 0.5);
    progress("filling the organizations that attack");
    await attacker.ask({ prepare: { url: service.url, root } });
    const victim = { connections: 4, warmUpSeconds: 2, maxRate: 2000 };
    for (const attack of attackNames) {
      progress(`signing alone, and while others attack: ${attack}`);
      const before = await sign(bed, "one", victim);
      const [{ statuses }, under] = await Promise.all([
        attacker.ask({ attack, url: service.url, seconds: seconds + victim.warmUpSeconds }),
        sign(bed, "one", victim),
      ]);
      const after = await sign(bed, "one", victim);
      const aloneMs = (before.p50Ms + after.p50Ms) / 2;
      const ratio = under.p50Ms / aloneMs;
      report.measurements[`tenants ${attack}`] = { aloneMs, under, ratio, statuses };
      const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
      report.lines.push({
        what: `signing while others attack: ${attack} (${answers.join(", ")})`,
        result: `${under.p50Ms.toFixed(1)} ms, alone ${aloneMs.toFixed(1)} ms: ${ratio.toFixed(2)}`,
        target: "at most 2 times the median alone",
        isMet: ratio <= 2,
      });
    }
    report.lines.push({
      what: "memory during these attacks, embedded signer",
      result: `${Math.round(megabytes)} MB`,
      target: "under 600 MB",
      isMet: megabytes < 600,
    });
  } finally {
    clearInterval(watch);
    attacker.stop();
    await bed.stop();
  }
}

async function measurePglite() {
  const bed = await startBed("pglite", {});
  try {
    progress("sign_raw_payload on the embedded database");
    await createSubOrganizations(bed, 1);
    const embedded = await sign(bed, "one", { maxRate: 4000 });
    report.measurements.embedded = embedded;
    report.lines.push({
      what: "sign_raw_payload, 32 connections, embedded PGlite",
      result: rate(embedded.perSecond),
      target: "500/s",
      isMet: embedded.perSecond >= 500,
    });
  } finally {
    await bed.stop();
  }
}

/** After so many the memory has its target. */
const MEMORY_SIGNATURES = 20_000;

async function measureMemory(postgres: Postgres) {
  if (!existsSync("/proc/self/status")) {
    report.notMeasured.push("memory: this system has no /proc");
    return;
  }
  const count = options.full ? 100_000 : MEMORY_SIGNATURES;
  for (const form of ["embedded", "separate"] as const) {
    progress(`memory with the ${form} signer`);
    const databaseUrl = await createDatabase(postgres.url, `memory_${form}`);
    const signer =
      form === "separate" ? await startSigner(join(temporary, `signer-${form}`)) : null;
    const bed = await startBed(`memory-${form}`, {
      DATABASE_URL: databaseUrl,
      ...(signer && { KEYHEARTH_SIGNER: `unix:${signer.socket}` }),
    });
    try {
      await createSubOrganizations(bed, 0.2);
      const samples: Samples = [];
      const step = count / 20;
      for (let done = step; done <= count; done += step) {
        const task = { call: "sign-count", count: step, connections: 32 };
        checked("sign_raw_payload", await bed.load({ ...task, ...unlimited } as Omit<Task, "url">));
        const api = residentMb(bed.service.child.pid) ?? Number.NaN;
        const other = signer ? (residentMb(signer.child.pid) ?? Number.NaN) : 0;
        samples.push({ signatures: done, megabytes: api + other });
      }
      const { megabytes } = samples.find(({ signatures }) => signatures === MEMORY_SIGNATURES) ?? {
        megabytes: Number.NaN,
      };
      const growth = growthPerTenThousand(samples);
      report.measurements[`memory-${form}`] = { samples, growthPerTenThousand: growth };
      const isSteady = !options.full || growth < 2;
      report.lines.push({
        what: `memory, ${form} signer, after ${MEMORY_SIGNATURES.toLocaleString("en")} signatures`,
        result: `${Math.round(megabytes)} MB, ${growth.toFixed(1)} MB for each 10,000 more`,
        target: options.full ? "under 320 MB, growth under 2 MB" : "under 320 MB",
        isMet: megabytes < 320 && isSteady,
      });
    } finally {
      await bed.stop();
      await signer?.stop();
    }
  }
}

/** One process with nothing beside it: embedded database, embedded signer, from the first start on. */
async function measureEmbeddedMemory() {
  if (!existsSync("/proc/self/status")) {
    report.notMeasured.push("memory of the embedded database: this system has no /proc");
    return;
  }
  progress("memory with the embedded database");
  const bed = await startBed("embedded-memory", {});
  const memory = async () => {
    // What the start left behind is returned to the system within seconds.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    return residentMb(bed.service.child.pid) ?? Number.NaN;
  };
  const lines: [string, number][] = [];
  try {
    lines.push(["after the first start", await memory()]);
    await createSubOrganizations(bed, 0.2);
    const task = { call: "sign-count", count: MEMORY_SIGNATURES, connections: 32, ...unlimited };
    checked("sign_raw_payload", await bed.load(task as Omit<Task, "url">));
    const count = MEMORY_SIGNATURES.toLocaleString("en");
    lines.push([`after ${count} signatures`, await memory()]);
  } finally {
    await bed.stop();
  }
  const floor = await embeddedFloor([]);
  const settled = await embeddedFloor(["-c", "shared_buffers=16MB"]);
  report.measurements["memory-embedded-database"] = { lines, floor, settled };
  report.lines.push({
    what: "floor: PGlite alone in a process, 20,000 rows",
    result: `${Math.round(floor)} MB, with our settings ${Math.round(settled)} MB`,
    target: "",
    isMet: null,
  });
  for (const [when, megabytes] of lines) {
    report.lines.push({
      what: `memory, embedded database and signer, ${when}`,
      result: `${Math.round(megabytes)} MB`,
      target: "under 400 MB",
      isMet: megabytes < 400,
    });
  }
}

/** A database that exists is opened, so that creating it does not count. */
async function embeddedFloor(settings: string[]): Promise<number> {
  const directory = join(temporary, "pglite-floor");
  let megabytes = Number.NaN;
  for (let start = 0; start < 2; start++) {
    const worker = startWorker<object, { megabytes: number }>("pglite-floor.ts");
    ({ megabytes } = await worker.ask({ directory, settings }));
    const ended = new Promise<void>((resolve) => worker.ended(resolve));
    worker.stop();
    await ended;
  }
  return megabytes;
}

/** For tasks that end after a number of requests. */
const unlimited = { warmUpSeconds: 0, seconds: 3600 };

const GROWN_SIGNATURES_EACH = 9;

/** Uses one process, and so the same query plans, from an empty database to a large one. */
const SOUGHT = 400;
const MANY_SUB_ORGANIZATIONS = 1_000_000;

/** Finds sub-organizations of a parent that has a million of them. */
async function measureLookups(postgres: Postgres) {
  const databaseUrl = await createDatabase(postgres.url, "lookups");
  const bed = await startBed("lookups", { DATABASE_URL: databaseUrl });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    progress("writing the look-ups of a million sub-organizations");
    await seedSubOrganizations(database, bed.root.organizationId, MANY_SUB_ORGANIZATIONS);
    await assertSeeded(database);
    const numbers = Array.from({ length: SOUGHT }, () => randomInt(1, MANY_SUB_ORGANIZATIONS));
    const sought: Awaited<ReturnType<typeof filtersOf>>[] = [];
    for (const number of numbers) sought.push(await filtersOf(database, number));
    const kinds = ["EMAIL", "PUBLIC_KEY", "NAME", "USERNAME", "WALLET_ACCOUNT_ADDRESS"] as const;
    for (const filterType of kinds) {
      const filters = sought.map((each) => ({ filterType, filterValue: each[filterType] }));
      await timeListing(bed.service.url, bed.root, filters.slice(0, SOUGHT / 2));
      const times = await timeListing(bed.service.url, bed.root, filters.slice(SOUGHT / 2));
      const [p50, p95] = [0.5, 0.95].map((share) => times[Math.floor(share * times.length)] ?? 0);
      report.measurements[`list_suborgs by ${filterType}`] = { p50, p95, times };
      report.lines.push({
        what: `list_suborgs by ${filterType} of a million sub-organizations`,
        result: `${p50?.toFixed(1)} ms, 95 % within ${p95?.toFixed(1)} ms`,
        target: "under 5 ms",
        isMet: (p50 ?? Infinity) < 5,
      });
    }
  } finally {
    await bed.stop();
    await database.end();
  }
}

async function measureGrowth(postgres: Postgres) {
  const beds: Partial<Record<Size, Bed>> = {};
  const databaseUrl = await createDatabase(postgres.url, "growth");
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    const DATABASE_URL = await createDatabase(postgres.url, "growth_small");
    beds.small = await startBed("growth-small", { DATABASE_URL });
    const large = await startBed("growth", { DATABASE_URL: databaseUrl });
    beds.large = large;
    // Its plans are those of an empty database, as in a process that has run since the first day.
    progress("signing on a small database");
    await createSubOrganizations(large, seconds);
    await sign(large, "one");
    const times = await growDatabase(large, database, databaseUrl);
    const { count } = await countActivities(database);
    await createSubOrganizations(beds.small, seconds);

    const names = kindsOfGrowth.flatMap((kind) => [`small ${kind}`, `large ${kind}`] as const);
    const measured = await inTurns(names, GROWTH_TURNS, (name, turn) => {
      progress(`${name}, turn ${turn} of ${GROWTH_TURNS}`);
      const [size, kind] = name.split(" ") as [Size, (typeof kindsOfGrowth)[number]];
      const bed = beds[size] as Bed; // started above
      const forSeconds = seconds / GROWTH_TURNS;
      if (kind === "created") return createSubOrganizations(bed, forSeconds);
      const warmUpSeconds = turn === 0 ? 4 : 0.5;
      return sign(bed, kind === "one" ? "one" : "all", { warmUpSeconds, forSeconds });
    });
    report.measurements.growth = { ...measured, activities: count, ...times };
    for (const kind of kindsOfGrowth) {
      const [small, large] = [measured[`small ${kind}`], measured[`large ${kind}`]];
      report.lines.push(
        shareLine({
          what: `${labels[kind]}, with ${grownOrganizations.toLocaleString("en")} organizations and ${count.toLocaleString("en")} activities`,
          perSecond: medianRate(large),
          than: { what: "an empty database", perSecond: medianRate(small) },
          share: medianShare(large, small),
          least: 0.9,
        }),
      );
    }
  } finally {
    for (const bed of Object.values(beds)) await bed.stop();
    await database.end();
  }
}

type Size = "small" | "large";

const kindsOfGrowth = ["created", "one", "many"] as const;
const GROWTH_TURNS = 5;

/** Fills the database of a running service, and waits until all of it is sealed. Returns what that took. */
async function growDatabase(
  { dataDirectory, root }: Bed,
  database: pg.Client,
  databaseUrl: string,
) {
  progress(`writing ${grownOrganizations} organizations, ten activities each`);
  const startedAt = performance.now();
  const secondsSince = (from: number) => (performance.now() - from) / 1000;
  const shown = setInterval(async () => {
    const { count } = await countActivities(database);
    progress(`${count} activities are written`);
  }, 30_000);
  try {
    await Promise.all(
      [0, 1].map((number) => {
        const stateDirectory = join(temporary, `seed-${number}`);
        cpSync(join(dataDirectory, "signer"), stateDirectory, { recursive: true });
        const worker = startWorker<object, object>("seed.ts");
        return worker.ask({
          databaseUrl,
          stateDirectory,
          parent: { organizationId: root.organizationId, privateKey: root.apiPrivateKey },
          organizations: Math.ceil(grownOrganizations / 2),
          signaturesEach: GROWN_SIGNATURES_EACH,
        });
      }),
    );
  } finally {
    clearInterval(shown);
  }
  const seededSeconds = secondsSince(startedAt);
  progress(`waiting for the sealer, after ${Math.round(seededSeconds)} seconds of writing`);
  const sealingAt = performance.now();
  await untilSealed(database);
  const sealedSeconds = secondsSince(sealingAt);
  await database.query("CHECKPOINT");
  return { seededSeconds, sealedSeconds };
}

const labels = {
  floor: "the floor",
  created: "create_sub_organization",
  one: "sign_raw_payload, one organization",
  many: "sign_raw_payload, 1,000 organizations",
};

async function untilSealed(database: pg.Client) {
  for (;;) {
    const { rows } = await database.query("SELECT EXISTS (SELECT 1 FROM leaves) AS open");
    if (!rows[0].open) return;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function countActivities(database: pg.Client) {
  const { rows } = await database.query(
    `SELECT count(*)::int AS count,
       coalesce(round(avg(octet_length(record)) FILTER (WHERE type LIKE '%SIGN%')), 1700)::int AS bytes
     FROM activities`,
  );
  return { count: Number(rows[0].count), averageBytes: Number(rows[0].bytes) };
}

function progress(text: string) {
  console.log(`measuring: ${text}`);
}

// At the end, when everything above is defined.
try {
  keepToTwoCores();
  await run();
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
printReport(report);
console.log(`\n${writeReport(report)}`);
process.exitCode = hasFailed || report.lines.some(({ isMet }) => isMet === false) ? 1 : 0;
