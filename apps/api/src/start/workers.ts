import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { StartError } from "../config/start-error.ts";
import type { Log } from "../observability/log.ts";
import type { Counted } from "../observability/metrics.ts";
import { COUNTING_MS, type FromWorker, type Shown, type ToWorker } from "./worker.ts";

/** Several processes that answer at one port. */
export type Workers = {
  shown: Shown;
  /** Resolves if they cannot go on, with the reason. */
  ended: Promise<StartError>;
  stop(): Promise<void>;
};

/** How long after the end of a worker another one takes its place: longer each time, until one has lived for a while. */
const AGAIN = { firstMs: 250, longestMs: 10_000, untilMs: 60_000 };

/** Longer than a worker takes to finish what is under way. */
const KILL_MS = 12_000;

/**
 * Starts workers, the first one alone: it makes what all share, such as the tables and the root organization. This process
 * has the socket that listens, and gives each new connection to the next worker. One that ends is replaced.
 */
export async function startWorkers(count: number, log: Log): Promise<Workers> {
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<StartError>();
  const counts = createCounts();
  let isStopping = false;

  // The script that this process was started with prepares a process, and then runs this one.
  cluster.setupPrimary({ exec: fileURLToPath(new URL("../main.ts", import.meta.url)), args: [] });

  /** Resolves when it is ready. Throws if it ends before. */
  function startOne(againMs = AGAIN.firstMs): Promise<Shown> {
    const { promise: ready, resolve, reject } = Promise.withResolvers<Shown>();
    const worker = cluster.fork();
    const startedAt = performance.now();
    let isReady = false;
    let sentence = "a worker of the API ended while it started";
    worker.on("message", (message: FromWorker) => {
      switch (message.kind) {
        case "ready":
          isReady = true;
          return resolve(message.shown);
        case "ended":
          sentence = message.sentence;
          // What one of them cannot go on with, the others have too.
          return isReady ? onEnd(new StartError(sentence)) : undefined;
        case "count":
          return counts.ask(worker, message.id);
        case "counted":
          return counts.note(worker, message);
      }
    });
    worker.once("exit", (code, signal) => {
      counts.forget(worker);
      reject(new StartError(sentence));
      if (!isReady || isStopping) return;
      log.error({ worker: worker.process.pid, code, signal }, "a worker of the API ended");
      const hasLived = performance.now() - startedAt > AGAIN.untilMs;
      startAgain(hasLived ? AGAIN.firstMs : againMs);
    });
    return ready;
  }

  function startAgain(waitMs: number) {
    const nextMs = Math.min(2 * waitMs, AGAIN.longestMs);
    setTimeout(() => {
      if (isStopping) return;
      startOne(nextMs).then(
        () => log.info("a worker of the API took the place of the one that ended"),
        (error: StartError) => {
          if (isStopping) return;
          log.error({ reason: error.message }, "a worker of the API did not start");
          startAgain(nextMs);
        },
      );
    }, waitMs);
  }

  async function stop() {
    isStopping = true;
    await Promise.all(running().map(stopOne));
  }

  try {
    const shown = await startOne();
    await Promise.all(Array.from({ length: count - 1 }, () => startOne()));
    return { shown, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function stopOne(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve();
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), KILL_MS);
    worker.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    worker.process.kill("SIGTERM");
  });
}

type Counting = { asking: Worker; id: number; waitedFor: Set<Worker>; counted: Counted[] };

/** Collects for one worker what the others have counted. */
function createCounts() {
  const asked = new Map<number, Counting>();
  let lastId = 0;

  function send(worker: Worker, message: ToWorker) {
    if (worker.isConnected()) worker.send(message, () => {});
  }

  function finish(id: number) {
    const counting = asked.get(id);
    if (!asked.delete(id) || !counting) return;
    const { counted } = counting;
    send(counting.asking, { kind: "all counted", id: counting.id, counted });
  }

  return {
    ask(asking: Worker, idOfAsking: number) {
      lastId += 1;
      const id = lastId;
      const others = running().filter((worker) => worker !== asking);
      asked.set(id, { asking, id: idOfAsking, waitedFor: new Set(others), counted: [] });
      if (others.length === 0) return finish(id);
      for (const worker of others) send(worker, { kind: "count", id });
      setTimeout(() => finish(id), COUNTING_MS);
    },
    note(worker: Worker, { id, counted }: { id: number; counted: Counted }) {
      const counting = asked.get(id);
      if (!counting?.waitedFor.delete(worker)) return;
      counting.counted.push(counted);
      if (counting.waitedFor.size === 0) finish(id);
    },
    forget(worker: Worker) {
      for (const [id, { waitedFor }] of asked) {
        if (waitedFor.delete(worker) && waitedFor.size === 0) finish(id);
      }
    },
  };
}
