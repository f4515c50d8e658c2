import { Worker } from "node:worker_threads";
import { encodedIn } from "./byte-arrays.ts";

/** Where the database is. In memory it can start from an archive of its files, which may be packed by brotli. */
export type PgliteStart =
  | { directory: string; snapshot?: never }
  | { directory: null; snapshot?: string };

type Rows = Record<string, unknown>[];

export type PgliteQuery = { call: "query"; name: string; text: string; parameters: unknown[] };
export type PgliteCall = PgliteQuery | { call: "open" } | { call: "close" };

/** The embedded database in its own thread, so that its work does not hold up HTTP. */
export type PgliteThread = {
  call(message: PgliteQuery): Promise<Rows>;
  close(): Promise<void>;
};

type Reply = { id: number; rows?: Rows; error?: { message: string; code?: string } };
type Waiting = { resolve: (rows: Rows) => void; reject: (error: Error) => void };

/** Most of what the thread holds is the database's memory, which is outside its heap. */
const MAX_YOUNG_HEAP_MB = 6;

/** How long a statement may take after a write of it has failed. Some never return. */
const FAILED_WRITE_MS = 5000;

/**
 * Opens the database. After a write has failed, the thread answers what it has and ends, because the
 * database may be unusable from then on: `onEnd` says so at once, and callers start another thread.
 */
export async function startPgliteThread(
  start: PgliteStart,
  onEnd: () => void,
): Promise<PgliteThread> {
  const worker = new Worker(new URL("./pglite-worker.ts", import.meta.url), {
    workerData: start,
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
  });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let ended: Error | null = null;

  function call(message: PgliteCall): Promise<Rows> {
    return new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      last += 1;
      waiting.set(last, { resolve, reject });
      const transferred = message.call === "query" ? encodedIn(message.parameters) : [];
      worker.postMessage({ id: last, ...message }, transferred);
    });
  }
  function end(error: Error) {
    if (!ended) onEnd();
    ended ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    void worker.terminate();
  }
  function endSoon(code: string) {
    if (ended) return;
    const error = Object.assign(new Error("the embedded database could not write"), { code });
    ended = error;
    onEnd();
    // The statement under way still gets its own answer.
    setTimeout(() => end(error), FAILED_WRITE_MS).unref();
  }
  worker.on("message", (message: Reply | { note: string; code: string }) => {
    if ("note" in message) return endSoon(message.code);
    const { id, rows, error } = message;
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error) caller?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else caller?.resolve(rows ?? []);
    if (ended && waiting.size === 0) end(ended);
  });
  worker.on("error", end);
  worker.on("exit", () => end(new Error("the embedded database has stopped")));

  try {
    await call({ call: "open" });
  } catch (cause) {
    await worker.terminate();
    // The write that failed explains more than what the database made of it.
    throw ended ?? cause;
  }
  return {
    call,
    async close() {
      if (ended) return void (await worker.terminate());
      await call({ call: "close" });
      ended = new Error("the embedded database has stopped");
      await worker.terminate();
    },
  };
}
