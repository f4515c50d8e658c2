import { createConnection, type Socket } from "node:net";
import { createFrameReader } from "@keyhearth/engine/core/protocol";
import { createCalls } from "./calls.ts";
import { type SignerClient, type SignerEvent, unavailable } from "./client.ts";

/**
 * Connects to a signer process, and connects again whenever the connection is lost. In the meantime
 * new requests get 503 at once.
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
  let isMissing = false;
  const calls = createCalls((frame) => link?.write(frame));

  function connect() {
    const socket = createConnection(path);
    const frames = createFrameReader(calls.receive);
    socket.on("connect", () => {
      link = socket;
      delayMs = 50;
      isMissing = false;
      onEvent({ event: "signer connected" });
      calls.open();
    });
    socket.on("data", (chunk) => {
      if (!frames(chunk)) socket.destroy();
    });
    socket.on("error", (error) => {
      socket.destroy();
      if (link === socket || isMissing || isClosing) return;
      // Once, until it is there.
      isMissing = true;
      const code = "code" in error ? error.code : error.message;
      onEvent({ event: "signer not there", path, code });
    });
    socket.on("close", () => {
      if (link === socket) {
        link = null;
        const killer = isClosing ? null : calls.suspect();
        onEvent({ event: "signer disconnected", organizationId: killer ?? undefined });
        calls.lose("the connection to the signer was lost", killer);
      }
      if (isClosing) return;
      setTimeout(connect, delayMs).unref();
      delayMs = Math.min(delayMs * 2, 1000);
    });
  }
  connect();

  return {
    path,
    call: (request, organizationId, familyId) =>
      link
        ? calls.call(request, organizationId, familyId)
        : Promise.reject(unavailable("the signer cannot be reached")),
    depth: calls.depth,
    async close() {
      isClosing = true;
      link?.destroy();
      calls.stop();
    },
  };
}
