import type { Counted, Metrics } from "../observability/metrics.ts";
import type { FirstStart } from "./first-start.ts";

/** What is printed of a service that is ready. */
export type Shown = {
  /** Where the service listens. It differs from the configuration for port 0. */
  url: string;
  firstStart: FirstStart;
  signerPublicKey: string;
  /** The link that shows messages, with its token. Null if they are not shown. */
  mailboxUrl: string | null;
};

/** What a worker tells the process that started it. */
export type FromWorker =
  | { kind: "ready"; shown: Shown }
  /** It cannot start, or cannot go on. */
  | { kind: "ended"; sentence: string }
  /** It shows metrics, and asks what the others have counted. */
  | { kind: "count"; id: number }
  | { kind: "counted"; id: number; counted: Counted };

export type ToWorker =
  | { kind: "count"; id: number }
  | { kind: "all counted"; id: number; counted: Counted[] };

/** A worker that is busy or has just ended is not waited for. */
export const COUNTING_MS = 1000;

/** Answers what the first process asks of this worker, and asks it what the others have counted. */
export function createWorkerCounts(metrics: Pick<Metrics, "counted">) {
  const waiting = new Map<number, (counted: Counted[]) => void>();
  let lastId = 0;
  process.on("message", (message: ToWorker) => {
    const { kind, id } = message;
    if (kind === "all counted") waiting.get(id)?.(message.counted);
    else void metrics.counted().then((counted) => tell({ kind: "counted", id, counted }));
  });
  return async function countedByOthers(): Promise<Counted[]> {
    lastId += 1;
    const id = lastId;
    const { promise, resolve } = Promise.withResolvers<Counted[]>();
    waiting.set(id, resolve);
    const timer = setTimeout(() => resolve([]), 2 * COUNTING_MS);
    void tell({ kind: "count", id });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
}

/** Resolves when it is sent. The first process may be gone. Then this one ends as well, and nobody hears the rest. */
export function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
