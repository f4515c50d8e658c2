import { Worker } from "node:worker_threads";
import { createBoundedCache } from "@keyhearth/engine/memory/bounded-cache";
import { deferred } from "@keyhearth/outbound/deferred";
import type { Encoding } from "./encoding.ts";

export type Text = {
  bytes: Buffer<ArrayBuffer>;
  /** Tells it from every other text. */
  digest: string;
};

/**
 * The compressed forms of texts. A thread makes one after the other, at a low priority, so that strangers who ask for many
 * large texts take neither the pool of threads that reads every file nor more than what others leave of the machine.
 */
export type Forms = {
  /** Null if the plain form is to be sent: the compressed one is not smaller, or it is not here soon. */
  of(text: Text, encoding: Encoding): Promise<Buffer<ArrayBuffer> | null>;
};

/** What the thread is sent, and what it sends back. */
export type ToCompress = { bytes: Uint8Array; encoding: Encoding };
export type Compressed = Uint8Array<ArrayBuffer>;

const ENTRY = new URL("../compressor-thread.ts", import.meta.url);

const MB = 1024 * 1024;
const LIMITS = {
  /** Of each encoding, so that one leaves the other in memory. A whole build of the site takes 13 MB at most. */
  keptBytes: 32 * MB,
  /** A text waits only behind so much: about a fifth of a second. Later readers get it, and this one the plain form. */
  aheadBytes: 256 * 1024,
  /** What waits in all. Texts beyond that are not compressed this time. */
  waitingBytes: 16 * MB,
  /** Smaller texts fit in one packet either way. */
  leastBytes: 1024,
};

const IDLE_MS = 10_000;

type Form = Buffer<ArrayBuffer> | null;

type Job = {
  key: string;
  text: Text;
  encoding: Encoding;
  /** What came before it, of all that was ever asked for. */
  bytesBefore: number;
  made: Promise<Form>;
  resolve(form: Form): void;
};

export function createForms({
  entry = ENTRY,
  limits = LIMITS,
}: {
  entry?: URL;
  limits?: typeof LIMITS;
} = {}): Forms {
  // An encoding has its part of the cache, as an organization has elsewhere.
  const kept = createBoundedCache<Form>({
    max: 2 * limits.keptBytes,
    maxPerOrganization: limits.keptBytes,
  });
  /** In the order in which they are made. The first one is under way. */
  const jobs = new Map<string, Job>();
  let askedBytes = 0;
  let madeBytes = 0;
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function plan(key: string, text: Text, encoding: Encoding): Job | null {
    const { length } = text.bytes;
    const isFull = askedBytes - madeBytes + length > limits.waitingBytes;
    if (isFull && jobs.size > 0) return null;
    const { promise: made, resolve } = deferred<Form>();
    const job = { key, text, encoding, bytesBefore: askedBytes, made, resolve };
    askedBytes += length;
    jobs.set(key, job);
    if (jobs.size === 1) begin(job);
    return job;
  }

  function begin({ text: { bytes }, encoding }: Job) {
    clearTimeout(idle);
    worker ??= start();
    const sent: ToCompress = { bytes, encoding };
    worker.postMessage(sent);
  }

  function start(): Worker {
    const started = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 64 } });
    started.unref();
    started.on("message", (compressed: Compressed) => {
      const [job] = jobs.values();
      if (job) keep(job, compressed);
    });
    // Without a listener, a thread that runs out of memory would end the process.
    started.on("error", () => {});
    started.on("exit", () => {
      if (worker !== started) return;
      worker = null;
      const [job] = jobs.values();
      if (job) end(job, null);
    });
    return started;
  }

  function keep(job: Job, { buffer, byteLength }: Compressed) {
    const { key, text, encoding } = job;
    const form = byteLength < text.bytes.length ? Buffer.from(buffer) : null;
    kept.set(key, { organizationId: encoding, value: form, cost: form?.length ?? 0 });
    end(job, form);
  }

  function end({ key, text, resolve }: Job, form: Form) {
    jobs.delete(key);
    madeBytes += text.bytes.length;
    resolve(form);
    const [next] = jobs.values();
    if (next) begin(next);
    else restWhenIdle();
  }

  function restWhenIdle() {
    idle = setTimeout(() => {
      const ended = worker;
      worker = null;
      void ended?.terminate();
    }, IDLE_MS);
    idle.unref();
  }

  return {
    async of(text, encoding) {
      if (text.bytes.length < limits.leastBytes) return null;
      const key = `${encoding} ${text.digest}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const job = jobs.get(key) ?? plan(key, text, encoding);
      const isSoon = job !== null && job.bytesBefore - madeBytes <= limits.aheadBytes;
      return isSoon ? job.made : null;
    },
  };
}

/** Those of this process, so that it compresses one text at a time, whoever serves it. */
export const formsOfProcess = createForms();
