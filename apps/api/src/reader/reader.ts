import { Worker } from "node:worker_threads";
import { ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import { createRecentCosts } from "@keyhearth/engine/memory/recent-costs";
import { deferred } from "@keyhearth/outbound/deferred";
import { MissingRecord } from "../errors.ts";
import { partOf } from "../part-of.ts";
import type { PostgresPlace } from "../store/postgres.ts";
import type {
  Asks,
  Failure,
  FromThread,
  Job,
  JobAnswer,
  ReaderSetup,
  ToThread,
} from "./messages.ts";

/**
 * Makes the answers that take long in a thread, so that they hold up nobody else: large lists, simulations,
 * traces and warnings. Families take turns by what their answers cost lately, and each has one under way, for which
 * its organizations take turns before they come here.
 * See decisions/0017-turns.md.
 */
export type Reader = {
  /** `charge` is told how many milliseconds the answer took: of the thread, and of what reads and sends its bytes. */
  run(familyId: string, job: Job, asks: Asks, charge?: (ms: number) => void): Promise<JobAnswer>;
  /** How many answers wait or are under way. */
  depth(): number;
  stop(): Promise<void>;
};

const MB = 1024 * 1024;

/** The caches of the thread, for the threads of all workers together. */
export const CACHES = {
  documents: { max: 24 * MB, maxPerOrganization: 12 * MB },
  policies: { max: 24 * MB, maxPerOrganization: 12 * MB },
  interfaces: { max: 32 * MB, maxPerOrganization: 16 * MB },
} satisfies ReaderSetup["bounds"];

export type ReaderOptions = {
  /** Where the thread reads by itself. Without it, it asks for its rows. */
  database?: PostgresPlace | null;
  /** How many answers are made at once: while one waits for the database, another one goes on. */
  atOnce?: number;
  /** An answer that takes longer is given up. */
  mostMs?: number;
  /** The thread ends after so long without work. */
  idleMs?: number;
  /** How many processes have such a thread. */
  workers?: number;
  entry?: URL;
};

type Waiting = {
  id: number;
  familyId: string;
  job: Job;
  asks: Asks;
  charge: ((ms: number) => void) | undefined;
  /** How often the thread died while it worked on this. */
  deaths: number;
  timer?: NodeJS.Timeout;
  /** Statements that it had the database run. */
  reads: number;
  /** What failed of that which the job asked for. */
  refusals: Map<number, unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
};

const ENTRY = new URL("../reader-thread.ts", import.meta.url);

/** Measured: what the database and the thread that serves everybody do for each megabyte of an answer. */
const MS_PER_MB = 30;
/** The same for each statement. Without it, a long history without large records would cost its reader nothing. */
const MS_PER_READ = 1;

function costOf({ tookMs, reads, ...message }: Exclude<FromThread, { kind: "ask" }>): number {
  const answer = message.kind === "done" ? message.answer : undefined;
  const bytes = answer instanceof Uint8Array ? answer.length : 0;
  return tookMs + MS_PER_READ * reads + (MS_PER_MB * bytes) / (1024 * 1024);
}

/** The second number must fit into what Node.js adds to end only the thread. A small one is collected all the time. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 48 };

export function createReader({
  database = null,
  atOnce = 4,
  mostMs = 30_000,
  idleMs = 5 * 60_000,
  entry = ENTRY,
  workers = 1,
}: ReaderOptions = {}): Reader {
  const costs = createRecentCosts(performance.now());
  const queues = new Map<string, Waiting[]>();
  const running = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  let isStopped = false;

  function enqueue(waiting: Waiting, isFirst = false) {
    const queue = queues.get(waiting.familyId) ?? [];
    queues.set(waiting.familyId, queue);
    if (isFirst) queue.unshift(waiting);
    else queue.push(waiting);
  }

  /** Of the families that have nothing under way, the one that took the least lately. */
  function next(): Waiting | undefined {
    const busy = new Set([...running.values()].map(({ familyId }) => familyId));
    let chosen: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const familyId of queues.keys()) {
      const sum = costs.of(familyId)?.sum ?? 0;
      if (busy.has(familyId) || sum >= least) continue;
      least = sum;
      chosen = familyId;
    }
    if (chosen === undefined) return undefined;
    const queue = queues.get(chosen);
    const waiting = queue?.shift();
    if (queue?.length === 0) queues.delete(chosen);
    return waiting;
  }

  function startNext() {
    costs.decay(performance.now());
    while (running.size < atOnce) {
      const waiting = next();
      if (!waiting) break;
      running.set(waiting.id, waiting);
      waiting.timer = setTimeout(() => giveUp(waiting), mostMs);
      waiting.timer.unref();
      tell({ kind: "job", id: waiting.id, job: waiting.job });
    }
    clearTimeout(idle);
    if (running.size > 0) return;
    idle = setTimeout(() => void end(0), idleMs);
    idle.unref();
  }

  function tell(message: ToThread, transferred: ArrayBuffer[] = []) {
    worker ??= start();
    worker.postMessage(message, transferred);
  }

  const setup = (): ReaderSetup => ({
    place: database && {
      ...database,
      url: database.url.open(),
      standbyUrl: database.standbyUrl?.open() ?? null,
    },
    connections: atOnce,
    bounds: partOf(CACHES, workers),
  });

  function start(): Worker {
    const started = new Worker(entry, { resourceLimits, workerData: setup() });
    started.unref();
    started.on("message", (message: FromThread) => handle(message));
    // Without a listener, a thread that runs out of memory would end the process.
    started.on("error", () => {});
    started.on("exit", () => afterDeath(started, 1));
    return started;
  }

  function settle(id: number, tookMs: number): Waiting | undefined {
    const waiting = running.get(id);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    running.delete(id);
    // Before the charge: what the answer took is not older than its end.
    costs.decay(performance.now());
    costs.charge(waiting.familyId, tookMs);
    waiting.charge?.(tookMs);
    return waiting;
  }

  function handle(message: FromThread) {
    if (message.kind === "ask") return void answer(message);
    const reads = running.get(message.id)?.reads ?? 0;
    const waiting = settle(message.id, costOf(message) + MS_PER_READ * reads);
    startNext();
    if (message.kind === "done") waiting?.resolve(message.answer);
    else waiting?.reject(errorOf(message.failure, waiting.refusals));
  }

  async function answer({ ask, id, name, parameters }: Extract<FromThread, { kind: "ask" }>) {
    const waiting = running.get(id);
    if (!waiting) return;
    if (name === "read") waiting.reads += 1;
    try {
      // The thread's own calls have the parameters that the types say.
      const call = waiting.asks[name] as (...all: unknown[]) => Promise<unknown>;
      const value = await call(...parameters);
      if (running.get(id) !== waiting) return;
      const { sent, transferred } =
        name === "read" ? alone(value) : { sent: value, transferred: [] };
      tell({ kind: "reply", ask, value: sent }, transferred);
    } catch (error) {
      if (running.get(id) !== waiting) return;
      waiting.refusals.set(ask, error);
      tell({
        kind: "refusal",
        ask,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** The others that are under way were not at fault, and begin again. */
  function giveUp(waiting: Waiting) {
    settle(waiting.id, mostMs);
    waiting.reject(takesTooMuch());
    void end(0);
  }

  function afterDeath(dead: Worker, deaths: number) {
    if (worker !== dead) return;
    worker = null;
    for (const waiting of [...running.values()].reverse()) {
      settle(waiting.id, 0);
      const again = { ...waiting, deaths: waiting.deaths + deaths, reads: 0, refusals: new Map() };
      if (isStopped || again.deaths > MAX_DEATHS) waiting.reject(takesTooMuch());
      else enqueue(again, true);
    }
    if (!isStopped) startNext();
  }

  async function end(deaths: number) {
    const ended = worker;
    if (!ended) return;
    afterDeath(ended, deaths);
    await ended.terminate();
  }

  return {
    run(familyId: string, job: Job, asks: Asks, charge?: (ms: number) => void) {
      if (isStopped) return Promise.reject(takesTooMuch());
      const { promise, resolve, reject } = deferred<unknown>();
      lastId += 1;
      const rest = { deaths: 0, reads: 0, refusals: new Map(), resolve, reject };
      enqueue({ id: lastId, familyId, job, asks, charge, ...rest });
      startNext();
      // The thread answers with JSON.
      return promise as Promise<JobAnswer>;
    },
    depth: () => running.size + [...queues.values()].reduce((sum, { length }) => sum + length, 0),
    async stop() {
      isStopped = true;
      clearTimeout(idle);
      await end(0);
    },
  };
}

/** An answer that was there each time is the likely cause. */
const MAX_DEATHS = 1;

/** Bytes that are a part of a larger buffer are copied, and the others go to the thread as they are. */
function alone(rows: unknown): { sent: unknown; transferred: ArrayBuffer[] } {
  const transferred: ArrayBuffer[] = [];
  const sent = (rows as Record<string, unknown>[]).map((row) => {
    const entries = Object.entries(row).map(([name, value]) => {
      if (!(value instanceof Uint8Array)) return [name, value];
      const own = value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
      transferred.push(own.buffer as ArrayBuffer);
      return [name, own];
    });
    return Object.fromEntries(entries);
  });
  return { sent, transferred };
}

function errorOf(failure: Failure, refusals: Map<number, unknown>): unknown {
  switch (failure.kind) {
    case "ask":
      return refusals.get(failure.ask);
    case "database": {
      const { message, code, syscall } = failure;
      return Object.assign(new Error(message), code !== undefined && { code, syscall });
    }
    case "missing":
      return new MissingRecord(failure.record);
    case "error": {
      const { error, stack } = failure;
      if (error.code !== "INTERNAL") return fromErrorMessage(error);
      return Object.assign(new Error("the reader failed"), { stack });
    }
  }
}

function takesTooMuch(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "LIMIT_EXCEEDED",
    "making this answer takes too much time or memory; ask for less at once",
  );
}
