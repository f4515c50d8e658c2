import { setTimeout as delay } from "node:timers/promises";
import { MessageChannel, Worker } from "node:worker_threads";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Keyring } from "@keyhearth/engine/vault/keyring";
import { SignerStateError } from "../state/state-error.ts";
import { mapKeyring, toHandOver } from "./handed-over.ts";
import type { FromThread, Question, Reply, ThreadData, Told, ToThread, View } from "./messages.ts";

/** The worker died while it had the call, perhaps of it. It never happened. */
type Died = { kind: "died"; ofThis: boolean };

/** The worker could not be given the call. */
type Unsaid = { kind: "unsaid" };

/** What came of a step, and the time that it took the worker. */
export type Step = {
  reply: Reply | Died | Unsaid;
  tookMs: number | null;
  /** Resolves when the rest of the work can be done, if the call is unfinished. */
  resumable: Promise<void>;
};

/** What a step is asked for. The number is given here. */
type Asked = Omit<Extract<ToThread, { kind: "ask" }>, "id">;

/** A call at a worker, in steps. */
export type ThreadCall = { begin(asked: Asked): Promise<Step>; goOn(view: View): Promise<Step> };

/** The workers of a signer. One that dies is replaced, and the others go on. */
export type Threads = {
  readonly count: number;
  /** Resolves when all can work. Rejects with a `SignerStateError` if one cannot. */
  readonly started: Promise<void>;
  /** A new call at one of the workers, which are counted from one. */
  call(worker: number): ThreadCall;
  /** Who answers questions about codes from now on. */
  answerWith(answer: (question: Question) => Told): void;
  close(): Promise<void>;
};

export type ThreadsOptions = {
  count: number;
  keyring: Keyring;
  log: (event: CoreEvent) => void;
  /** How much heap a worker may use before it is stopped. */
  maxHeapMb?: number | undefined;
};

/** What the process runs runs its workers too, so that a bundle is one file. */
const ENTRY = new URL("../main.ts", import.meta.url);

/** As of the embedded signer: one that needs more has been sent something that it should not accept. */
const MAX_HEAP_MB = 512;
const MAX_YOUNG_HEAP_MB = 24;

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** A worker that lived for so long did not die of what killed the one before it. */
const STEADY_MS = 60_000;

type Pending = {
  resolve: (step: Step) => void;
  resumable: PromiseWithResolvers<void>;
  isUnfinished: boolean;
  /** Whether it asks for the rest of a call, which the worker keeps until then. */
  isRest: boolean;
  /** If the worker died while the call was unfinished. */
  death: Step | null;
};

type Thread = {
  number: number;
  worker: Worker | null;
  begun: ThreadData["begun"];
  /** Calls that are not answered, by their numbers. */
  pending: Map<number, Pending>;
  /** What leaves next. */
  held: ToThread[];
  delayMs: number;
};

/** How a signer starts its workers. Undefined for one: then there is no thread beside the one that serves. */
export function workersOf({ count, maxHeapMb }: Pick<ThreadsOptions, "count" | "maxHeapMb">) {
  if (count < 2) return undefined;
  return (own: Pick<ThreadsOptions, "keyring" | "log">) =>
    startThreads({ ...own, count, maxHeapMb });
}

function startThreads(options: ThreadsOptions): Threads {
  const { count, log } = options;
  let answer: (question: Question) => Told = () => {
    throw new Error("nobody counts codes yet");
  };
  let isClosing = false;
  let lastId = 0;
  const threads = Array.from({ length: count }, (_, index) => newThread(index + 1));
  const started = Promise.all(threads.map((thread) => start(thread))).then(() => {});
  // Those who wait for it see the error.
  started.catch(() => {});

  /** A worker that sleeps is always woken. */
  function toldOf(question: Question): Told {
    try {
      return answer(question);
    } catch (cause) {
      log({ event: "a question about codes failed", cause });
      return { failed: true };
    }
  }

  /** Resolves when the worker can work. */
  function start(thread: Thread): Promise<void> {
    const startedAt = performance.now();
    const ready = Promise.withResolvers<void>();
    const { worker, begun, codes } = startWorker(options);
    let isReady = false;
    let reason = "it ended while it started";
    thread.worker = worker;
    thread.begun = begun;
    flush(thread);
    codes.on("message", (question: Question) => {
      const told = toldOf(question);
      if ("told" in told && told.told instanceof Uint8Array) {
        const copy = toHandOver(told.told as SecretBytes);
        codes.postMessage({ told: copy }, [copy.buffer]);
      } else codes.postMessage(told);
      codes.wake();
    });
    worker.on("message", (messages: FromThread[]) => {
      for (const message of messages) {
        if (message.kind !== "ready") receive(thread, message);
        else isReady = true;
      }
      if (messages[0]?.kind === "ready") ready.resolve();
    });
    worker.on("error", (error: Error) => {
      reason = error.message;
    });
    // Nobody knows which call it was about. The calls of the next worker are made again.
    worker.on("messageerror", () => void worker.terminate());
    worker.once("exit", () => {
      codes.close();
      thread.worker = null;
      ready.reject(new SignerStateError(`a worker of the signer does not start: ${reason}`));
      if (isClosing) return;
      if (performance.now() - startedAt > STEADY_MS) thread.delayMs = FIRST_DELAY_MS;
      log({ event: "a worker of the signer died", worker: thread.number, detail: reason });
      bury(thread, isReady ? Atomics.load(begun, 0) : 0);
      void startAgain(thread);
    });
    return ready.promise;
  }

  async function startAgain(thread: Thread) {
    const waitMs = thread.delayMs;
    thread.delayMs = Math.min(2 * waitMs, LONGEST_DELAY_MS);
    await delay(waitMs, undefined, { ref: false });
    if (isClosing) return;
    // If it ends before it can work, its end starts the next one.
    await start(thread).then(
      () => log({ event: "signer started", worker: thread.number }),
      () => {},
    );
  }

  /** What is said in one turn is one message, because each costs much. */
  function send(thread: Thread, message: ToThread) {
    thread.held.push(message);
    if (thread.held.length === 1) queueMicrotask(() => flush(thread));
  }

  /** If there is no worker, the next one gets it. */
  function flush({ worker, held, pending }: Thread) {
    if (!worker || held.length === 0) return;
    const messages = held.splice(0);
    if (isPosted(worker, messages)) return;
    // A host can send what JSON can hold and no thread can be given: members that are nested more deeply than functions can
    // be. What is said with it comes to the worker.
    for (const message of messages) {
      if (isPosted(worker, [message])) continue;
      pending.get(message.id)?.resolve(UNSAID);
      pending.delete(message.id);
    }
  }

  return {
    count,
    started,
    call(number) {
      const thread = threads[number - 1];
      if (!thread) throw new Error("a call for a worker that is not there");
      lastId = lastId === MAX_ID ? 1 : lastId + 1;
      const id = lastId;
      let pending: Pending | undefined;
      const step = (message: ToThread) =>
        new Promise<Step>((resolve) => {
          const resumable = Promise.withResolvers<void>();
          const isRest = message.kind === "go on";
          pending = { resolve, resumable, isUnfinished: false, isRest, death: null };
          thread.pending.set(id, pending);
          send(thread, message);
        });
      return {
        begin: (asked) => step({ id, ...asked }),
        goOn: async (view) => pending?.death ?? step({ id, kind: "go on", view }),
      };
    },
    answerWith(next) {
      answer = next;
    },
    async close() {
      isClosing = true;
      await Promise.all(threads.map(({ worker }) => worker?.terminate()));
    },
  };
}

/** The numbers of calls are compared by 32 bits. */
const MAX_ID = 0x7fff_ffff;

function newThread(number: number): Thread {
  return {
    number,
    worker: null,
    begun: new Int32Array(new SharedArrayBuffer(4)),
    pending: new Map(),
    held: [],
    delayMs: FIRST_DELAY_MS,
  };
}

function receive(thread: Thread, message: Exclude<FromThread, { kind: "ready" }>) {
  const pending = thread.pending.get(message.id);
  if (!pending) return;
  if (message.kind === "resumable") return pending.resumable.resolve();
  const { id, tookMs, ...reply } = message;
  const isLeft = reply.kind === "not begun" && pending.isRest;
  pending.isUnfinished = reply.kind === "unfinished" || isLeft;
  if (!pending.isUnfinished) thread.pending.delete(id);
  else if (reply.kind !== "unfinished" || !reply.waits) pending.resumable.resolve();
  const isBegun = reply.kind !== "not begun";
  pending.resolve({ reply, tookMs: isBegun ? tookMs : null, resumable: pending.resumable.promise });
}

/** False if the worker cannot be given this. */
function isPosted(worker: Worker, messages: readonly ToThread[]): boolean {
  try {
    worker.postMessage(messages);
    return true;
  } catch {
    return false;
  }
}

const UNSAID: Step = { reply: { kind: "unsaid" }, tookMs: null, resumable: Promise.resolve() };

/** Tells all calls of a dead worker, of which it may have worked on one. */
function bury(thread: Thread, begun: number) {
  const calls = [...thread.pending];
  thread.pending.clear();
  thread.held = [];
  for (const [id, pending] of calls) {
    const death = died(id === begun);
    // What is unfinished learns it when it goes on.
    pending.death = death;
    if (pending.isUnfinished) pending.resumable.resolve();
    else pending.resolve(death);
  }
}

function died(ofThis: boolean): Step {
  return { reply: { kind: "died", ofThis }, tookMs: null, resumable: Promise.resolve() };
}

function startWorker({ count, keyring, maxHeapMb = MAX_HEAP_MB }: ThreadsOptions) {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const asked = new Int32Array(new SharedArrayBuffer(4));
  const { port1: codes, port2 } = new MessageChannel();
  // Its own copy, handed over: no other copy is left behind on the way.
  const copies: ArrayBuffer[] = [];
  const copy = mapKeyring(keyring, (secret) => {
    const bytes = toHandOver(secret);
    copies.push(bytes.buffer);
    return bytes as Uint8Array as SecretBytes;
  });
  const workerData: ThreadData = { keyring: copy, cores: count + 1, begun, asked, codes: port2 };
  const worker = new Worker(ENTRY, {
    workerData,
    transferList: [port2, ...copies],
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb,
      maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
    },
  });
  const wake = () => {
    Atomics.store(asked, 0, 1);
    Atomics.notify(asked, 0);
  };
  return { worker, begun, codes: Object.assign(codes, { wake }) };
}
