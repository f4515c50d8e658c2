import { Worker } from "node:worker_threads";
import { readPicture, refused } from "./logo-form.ts";

/** From the thread: a PNG that fits into a mail, or null if the picture is broken. */
export type Fitted = Uint8Array<ArrayBuffer> | null;

const ENTRY = new URL("./logo-thread.ts", import.meta.url);

/** Mails wait no longer. Four megapixels take a tenth of it, or less. */
const MOST_MS = 2000;
const IDLE_MS = 10_000;

/** Of what JavaScript holds. Pixels are beside it, and the form of a picture bounds them. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * A stranger's picture, made to fit into a mail: decoded and written again, so that nothing of the original but its pixels
 * leaves. A thread does that, one picture at a time, and is ended if it takes too long.
 */
export function fitLogo(bytes: Uint8Array, mostMs = MOST_MS): Promise<Buffer> {
  const fitted = last.then(() => fit(bytes, mostMs));
  last = fitted.catch(() => {});
  return fitted;
}

async function fit(bytes: Uint8Array, mostMs: number): Promise<Buffer> {
  const picture = readPicture(bytes);
  clearTimeout(idle);
  thread ??= start();
  const used = thread;
  const { promise, resolve } = Promise.withResolvers<Fitted>();
  const settle = () => resolve(null);
  used.once("message", resolve);
  used.once("exit", settle);
  const timer = setTimeout(() => end(used), mostMs);
  used.ref();
  used.postMessage(picture, [picture.packed.buffer]);
  const fitted = await promise;
  clearTimeout(timer);
  used.off("message", resolve);
  used.off("exit", settle);
  used.unref();
  idle = setTimeout(() => end(used), IDLE_MS);
  idle.unref();
  if (!fitted) throw refused();
  return Buffer.from(fitted.buffer);
}

function start(): Worker {
  const started = new Worker(ENTRY, { resourceLimits });
  // Without a listener, a thread that runs out of memory would end the process.
  started.on("error", () => {});
  started.on("exit", () => forget(started));
  return started;
}

/** The next picture has another thread. */
function end(ended: Worker) {
  forget(ended);
  void ended.terminate();
}

function forget(ended: Worker) {
  if (thread === ended) thread = undefined;
}
