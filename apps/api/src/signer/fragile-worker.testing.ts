import { parentPort, workerData } from "node:worker_threads";
import type { Request } from "@keyhearth/engine/core/protocol";
import { serveConnection } from "@keyhearth/signer/door/serve";
import { openSigner } from "@keyhearth/signer/signer";
import { createFairQueue } from "@keyhearth/signer/turns/fair-queue";

/** The embedded signer with more endpoints, each of which ends it in another way. */

const port = parentPort;
if (!port) throw new Error("this runs as a worker thread");
const { stateDirectory, mayCreate, begun } = workerData;

const killers: Record<string, () => void> = {
  exhaust_memory: exhaustMemory,
  die: () => process.exit(1),
  die_when_idle: () => void setTimeout(() => process.exit(1), 50),
};

try {
  const signer = openSigner({ stateDirectory, mayCreate, log: () => {} });
  const turns = createFairQueue({
    handle(request: Request) {
      if (request.call === "submit") killers[request.endpoint]?.();
      return signer.handle(request);
    },
  });
  const connection = serveConnection(turns, (frame) => port.postMessage(frame, [frame.buffer]), {
    begin: ({ id }) => void Atomics.store(begun, 0, id),
    rest: () => void Atomics.store(begun, 0, 0),
  });
  port.on("message", (message: Uint8Array | { note: "close" }) => {
    if (message instanceof Uint8Array) return connection.receive(message);
    turns.stop();
    signer.close();
    port.close();
  });
  port.postMessage({ note: "ready" });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  port.postMessage({ note: "failed", message, isState: true });
  port.close();
}

/** In small pieces: V8 ends the whole process if one large piece does not fit. */
function exhaustMemory() {
  for (let chain: object = {}; ; ) chain = { chain };
}
