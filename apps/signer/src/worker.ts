import { parentPort, workerData } from "node:worker_threads";
import { serveFrame } from "./serve.ts";
import { openSigner, type Signer } from "./signer.ts";

/**
 * The embedded signer: a worker thread of the API process. It shares the memory and the user id of
 * that process, so it protects only against an edited database.
 */
export type WorkerData = { stateDirectory: string; mayCreate: boolean };

/** Messages other than frames, sent to the thread that started this one. */
export type WorkerNote =
  | { note: "ready" }
  | { note: "failed"; message: string; isState: boolean }
  | { note: "event"; event: Record<string, unknown> };

const port = parentPort;
if (!port) throw new Error("the embedded signer runs as a worker thread");

const { stateDirectory, mayCreate } = workerData as WorkerData;
let signer: Signer | undefined;
try {
  signer = openSigner({
    stateDirectory,
    mayCreate,
    log: ({ cause, ...event }) => {
      const detail = cause instanceof Error ? cause.message : undefined;
      const stack = event.reason === "INTERNAL" && cause instanceof Error ? cause.stack : undefined;
      port.postMessage({ note: "event", event: { ...event, detail, stack } } satisfies WorkerNote);
    },
  });
  port.postMessage({ note: "ready" } satisfies WorkerNote);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  const isState = error instanceof Error && error.name === "SignerStateError";
  port.postMessage({ note: "failed", message, isState } satisfies WorkerNote);
  port.close();
}

port.on("message", (message: Uint8Array | { note: "close" }) => {
  if (!signer) return;
  if (message instanceof Uint8Array) {
    serveFrame(message, signer.handle, (frame) => port.postMessage(frame, [frame.buffer]));
    return;
  }
  signer.close();
  port.close();
});
