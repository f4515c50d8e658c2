import { Worker } from "node:worker_threads";
import { StartError } from "../start/start-error.ts";
import { createCalls } from "./calls.ts";
import type { SignerClient, SignerEvent } from "./client.ts";

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
  const entry = new URL("../../../signer/src/worker.ts", import.meta.url);
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

function startError({ message, isState }: { [member: string]: unknown }): Error {
  return isState === true ? new StartError(String(message)) : new Error(String(message));
}
