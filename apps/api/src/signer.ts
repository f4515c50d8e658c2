import { createConnection, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/door/protocol";
import { ApiError } from "@keyhearth/engine/errors";
import { StartError } from "./start/start-error.ts";

/** The host's side of the door. */
export type SignerClient = {
  call(request: Request): Promise<Answer>;
  /** Calls that wait for an answer. */
  depth(): number;
  close(): Promise<void>;
};

export type SignerEvent = { event: string; [member: string]: unknown };

/** Frames that may be under way at once; what comes meanwhile shares the next one. */
const FRAMES_UNDER_WAY = 2;
const CALL_TIMEOUT_MS = 30_000;

type Waiting = {
  resolve: (answer: Answer) => void;
  reject: (error: ApiError) => void;
  frame: { open: number };
  startedAt: number;
};

/** Puts calls together to frames and finds the caller of each answer. */
function createCalls(send: (frame: Uint8Array<ArrayBuffer>) => void) {
  const waiting = new Map<number, Waiting>();
  const queue: { id: number; message: Request }[] = [];
  let last = 0;
  let underWay = 0;
  let scheduled = false;

  function flush() {
    scheduled = false;
    if (queue.length === 0 || underWay >= FRAMES_UNDER_WAY) return;
    const batch: Envelope<Request>[] = queue.splice(0, queue.length);
    const frame = { open: batch.length };
    for (const { id } of batch) {
      const caller = waiting.get(id);
      if (caller) caller.frame = frame;
    }
    underWay += 1;
    send(encodeFrame(batch));
  }

  // A signer that hangs must not hold requests for ever.
  const watch = setInterval(() => {
    const before = performance.now() - CALL_TIMEOUT_MS;
    for (const [id, { startedAt, reject }] of waiting) {
      if (startedAt > before) break;
      waiting.delete(id);
      reject(unavailable("the signer did not answer in time"));
    }
  }, 1000);
  watch.unref();

  return {
    call(request: Request): Promise<Answer> {
      return new Promise((resolve, reject) => {
        last += 1;
        const startedAt = performance.now();
        waiting.set(last, { resolve, reject, frame: { open: 0 }, startedAt });
        queue.push({ id: last, message: request });
        if (scheduled) return;
        scheduled = true;
        setImmediate(flush);
      });
    },
    receive(frame: Uint8Array) {
      for (const { id, message } of decodeFrame<Answer>(frame)) {
        const caller = waiting.get(id);
        if (!caller) continue;
        waiting.delete(id);
        caller.frame.open -= 1;
        if (caller.frame.open === 0) underWay -= 1;
        caller.resolve(message);
      }
      flush();
    },
    /** Every caller hears that the signer is gone; nothing of theirs was committed. */
    fail(message: string) {
      const callers = [...waiting.values()];
      waiting.clear();
      queue.length = 0;
      underWay = 0;
      for (const { reject } of callers) reject(unavailable(message));
    },
    depth: () => waiting.size,
    stop: () => clearInterval(watch),
  };
}

/** Starts the embedded signer: a worker thread with the same protocol as the socket. */
export async function startEmbeddedSigner({
  stateDirectory,
  mayCreate,
  onEvent,
}: {
  stateDirectory: string;
  mayCreate: boolean;
  onEvent: (event: SignerEvent) => void;
}): Promise<SignerClient> {
  const entry = new URL("../../signer/src/worker.ts", import.meta.url);
  const worker = new Worker(entry, { workerData: { stateDirectory, mayCreate } });
  const calls = createCalls((frame) => worker.postMessage(frame, [frame.buffer]));
  let isClosing = false;

  await new Promise<void>((resolve, reject) => {
    worker.on("message", (message: Uint8Array | { note: string; [member: string]: unknown }) => {
      if (message instanceof Uint8Array) return calls.receive(message);
      if (message.note === "ready") return resolve();
      if (message.note === "failed") return reject(startError(message));
      if (message.note === "event") onEvent(message.event as SignerEvent);
    });
    worker.on("error", reject);
    worker.on("exit", () => {
      calls.fail("the signer has stopped");
      if (!isClosing) onEvent({ event: "signer stopped" });
      reject(new Error("the signer has stopped"));
    });
  });

  return {
    call: calls.call,
    depth: calls.depth,
    async close() {
      isClosing = true;
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage({ note: "close" });
      await ended;
      calls.stop();
    },
  };
}

/**
 * Connects to a signer process. The connection is made again whenever it is lost; until then
 * callers get 503 at once.
 */
export function connectToSigner({
  path,
  onEvent,
}: {
  path: string;
  onEvent: (event: SignerEvent) => void;
}): SignerClient {
  let link: Socket | null = null;
  let isClosing = false;
  let delayMs = 50;
  const calls = createCalls((frame) => link?.write(frame));

  function connect() {
    const socket = createConnection(path);
    const frames = createFrameReader(calls.receive);
    socket.on("connect", () => {
      link = socket;
      delayMs = 50;
      onEvent({ event: "signer connected" });
    });
    socket.on("data", (chunk) => {
      if (!frames(chunk)) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      if (link === socket) {
        link = null;
        onEvent({ event: "signer disconnected" });
      }
      calls.fail("the connection to the signer was lost");
      if (isClosing) return;
      setTimeout(connect, delayMs).unref();
      delayMs = Math.min(delayMs * 2, 1000);
    });
  }
  connect();

  return {
    call: (request) =>
      link ? calls.call(request) : Promise.reject(unavailable("the signer cannot be reached")),
    depth: calls.depth,
    async close() {
      isClosing = true;
      link?.destroy();
      calls.stop();
    },
  };
}

function startError({ message, isState }: { [member: string]: unknown }): Error {
  return isState === true ? new StartError(String(message)) : new Error(String(message));
}

function unavailable(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", `${message}; try again in a moment`);
}
