import { Worker } from "node:worker_threads";
import { StartError } from "../config/start-error.ts";
import { type Calls, createCalls } from "./calls.ts";
import type { SignerClient, SignerEvent } from "./client.ts";

export type EmbeddedOptions = {
  stateDirectory: string;
  mayCreate: boolean;
  /** Whose tokens count, as KEYHEARTH_OIDC_ISSUERS has them. */
  issuers?: string | undefined;
  /** Where codes are exchanged, as KEYHEARTH_OAUTH2_PROVIDERS has it. */
  providers?: string | undefined;
  onEvent: (event: SignerEvent) => void;
  /** The signer died without a request to blame, or none can be started. The service must end. */
  onEnd: (error: StartError) => void;
  /** How much heap the signer may use before it is stopped. */
  maxHeapMb?: number;
  /** What the thread runs. */
  entry?: URL;
};

type Note = { note: string; [member: string]: unknown };
type Link = { worker: Worker; begun: Int32Array<SharedArrayBuffer> };

const ENTRY = new URL("../../../signer/src/worker.ts", import.meta.url);

/** A signer that needs more than this has been sent something that it should not accept. */
const MAX_HEAP_MB = 512;

/**
 * What becomes old at once must fit into the 16 MB that Node.js adds to end only the thread. If it does
 * not fit, V8 ends the process.
 */
const MAX_YOUNG_HEAP_MB = 24;

/** How long calls wait for the next signer. It starts within a second, unless the machine is busy. */
const HOLD_MS = 10_000;

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** A signer that lived for so long did not die of what killed the one before it. */
const STEADY_MS = 60_000;

/**
 * Starts the embedded signer: a worker thread with the same protocol as the socket. If a request
 * kills it, another one is started.
 */
export async function startEmbeddedSigner(options: EmbeddedOptions): Promise<SignerClient> {
  const { onEvent, onEnd } = options;
  let link: Link | null = null;
  let isClosing = false;
  let delayMs = FIRST_DELAY_MS;
  let restart: NodeJS.Timeout | undefined;
  const send = (frame: Uint8Array<ArrayBuffer>) => link?.worker.postMessage(frame, [frame.buffer]);
  const calls = createCalls(send, { holdMs: HOLD_MS });

  async function start(mayCreate: boolean) {
    const startedAt = performance.now();
    link = await startWorker({ ...options, mayCreate }, calls);
    if (isClosing) return endWorker(link.worker);
    calls.open();
    link.worker.once("exit", () => {
      if (isClosing) return calls.lose("the signer has stopped", null);
      if (performance.now() - startedAt > STEADY_MS) delayMs = FIRST_DELAY_MS;
      afterDeath(link?.begun);
      link = null;
    });
  }

  function afterDeath(begun: Link["begun"] | undefined) {
    if (!calls.isBusy()) {
      calls.lose("the signer has stopped", null);
      return onEnd(new StartError("the signer stopped by itself; the log has the reason"));
    }
    const killer = begun ? calls.organizationOf(Atomics.load(begun, 0)) : null;
    onEvent({ event: "signer stopped", organizationId: killer, restartsAfterMs: delayMs });
    calls.lose("the signer has stopped", killer);
    restart = setTimeout(() => {
      if (isClosing) return;
      start(false).catch((error: unknown) => {
        if (isClosing) return;
        const why = error instanceof Error ? error.message : String(error);
        onEnd(new StartError(`the signer stopped and cannot be started again: ${why}`));
      });
    }, delayMs);
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  }

  await start(options.mayCreate);
  return {
    call: calls.call,
    depth: calls.depth,
    async close() {
      isClosing = true;
      clearTimeout(restart);
      if (link) await endWorker(link.worker);
      calls.stop();
    },
  };
}

function startWorker(
  {
    stateDirectory,
    mayCreate,
    issuers,
    providers,
    onEvent,
    maxHeapMb = MAX_HEAP_MB,
    entry = ENTRY,
  }: EmbeddedOptions,
  calls: Calls,
): Promise<Link> {
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(entry, {
    workerData: { stateDirectory, mayCreate, issuers, providers, begun },
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb,
      maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
    },
  });
  return new Promise((resolve, reject) => {
    worker.on("message", (message: Uint8Array | Note) => {
      if (message instanceof Uint8Array) return calls.receive(message);
      if (message.note === "ready") return resolve({ worker, begun });
      if (message.note === "failed") return reject(startError(message));
      if (message.note === "malformed") {
        onEvent({ event: "malformed frame", reason: message.reason });
        return calls.refuse(Number(message.frame));
      }
      if (message.note === "event") onEvent(message.event as SignerEvent);
    });
    worker.on("error", (error: Error) => {
      onEvent({ event: "signer failed", reason: error.message });
      reject(new StartError(`the signer does not start: ${error.message}`, { cause: error }));
    });
    worker.on("exit", () => reject(new StartError("the signer stopped while it was starting")));
  });
}

async function endWorker(worker: Worker) {
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  worker.postMessage({ note: "close" });
  await ended;
}

function startError({ message, isState }: Note): Error {
  return isState === true ? new StartError(String(message)) : new Error(String(message));
}
