import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { serveConnection } from "./door/serve.ts";
import { parseProviders } from "./oauth2/providers.ts";
import { parseIssuers } from "./oidc/issuers.ts";
import { withoutNetwork } from "./process/without-network.ts";
import { openSigner, type Signer } from "./signer.ts";
import { createFairQueue } from "./turns/fair-queue.ts";

/**
 * The embedded signer: a worker thread of the API process. It shares the memory and the user id of
 * that process, so it protects only against an edited database.
 */
export type WorkerData = {
  stateDirectory: string;
  mayCreate: boolean;
  /** As KEYHEARTH_OIDC_ISSUERS has them. */
  issuers?: string | undefined;
  /** As KEYHEARTH_OAUTH2_PROVIDERS has them. */
  providers?: string | undefined;
  /**
   * The lower 32 bits of the id of the newest call that was begun. The host reads them when this
   * thread has died.
   */
  begun: Int32Array<SharedArrayBuffer>;
};

/** Messages other than frames, sent to the thread that started this one. */
export type WorkerNote =
  | { note: "ready" }
  | { note: "failed"; message: string; isState: boolean }
  | { note: "malformed"; frame: number; reason: string }
  | { note: "event"; event: Record<string, unknown> };

withoutNetwork();
const host = parentPort;
if (!host) throw new Error("the embedded signer runs as a worker thread");
const { stateDirectory, mayCreate, issuers, providers, begun } = workerData as WorkerData;
const signer = open(host);
if (signer) serve(host, signer, begun);
else host.close();

function open(port: MessagePort): Signer | null {
  try {
    return openSigner({
      stateDirectory,
      mayCreate,
      issuers: parseIssuers(issuers),
      providers: parseProviders(providers),
      trustsHost: true,
      log: ({ cause, ...event }) => {
        const detail = cause instanceof Error ? cause.message : undefined;
        const isBug = event.reason === "INTERNAL" && cause instanceof Error;
        const stack = isBug ? cause.stack : undefined;
        port.postMessage({
          note: "event",
          event: { ...event, detail, stack },
        } satisfies WorkerNote);
      },
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isState = error instanceof Error && error.name === "SignerStateError";
    port.postMessage({ note: "failed", message, isState } satisfies WorkerNote);
    return null;
  }
}

function serve(port: MessagePort, { answer, close }: Signer, begun: WorkerData["begun"]) {
  const turns = createFairQueue({ handle: answer });
  const connection = serveConnection(turns, (frame) => port.postMessage(frame, [frame.buffer]), {
    begin: ({ id }) => void Atomics.store(begun, 0, id | 0),
    rest: () => void Atomics.store(begun, 0, 0),
  });
  let frames = 0;
  function receive(frame: Uint8Array) {
    frames += 1;
    try {
      connection.receive(frame);
    } catch (error) {
      // An error that nobody catches would end this thread, and with it the calls of others.
      const reason = error instanceof Error ? error.message : String(error);
      port.postMessage({ note: "malformed", frame: frames, reason } satisfies WorkerNote);
    }
  }
  port.on("message", (message: Uint8Array | { note: "close" }) => {
    if (message instanceof Uint8Array) return receive(message);
    turns.stop();
    close();
    port.close();
  });
  port.postMessage({ note: "ready" } satisfies WorkerNote);
}
