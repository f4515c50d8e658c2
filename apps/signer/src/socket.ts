import { chmodSync, existsSync, rmSync, statSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { type Answer, createFrameReader, type Request } from "@keyhearth/engine/door/protocol";
import { serveFrame } from "./serve.ts";
import { SignerStateError } from "./state-error.ts";

/** Stops listening, and cuts the connections that are open. */
export type SocketServer = { close(): Promise<void> };

/**
 * Listens on a Unix socket. Whoever may connect may ask for anything at the door; the core decides
 * from stamps and notarized records alone. A connection that sends what is not a frame is cut.
 */
export async function listenOnSocket(
  path: string,
  handle: (request: Request) => Answer,
  log: (event: { event: string; [member: string]: unknown }) => void,
): Promise<SocketServer> {
  await removeDeadSocket(path);
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    socket.on("error", () => socket.destroy());
    const cut = (reason: string, detail?: string) => {
      log({ event: "connection cut", reason, detail });
      socket.destroy();
    };
    const frames = createFrameReader((frame) => {
      // What follows a malformed frame in the same chunk is not looked at either.
      if (socket.destroyed) return;
      try {
        serveFrame(frame, handle, (answer) => socket.write(answer));
      } catch (error) {
        cut("malformed frame", error instanceof Error ? error.message : String(error));
      }
    });
    socket.on("data", (chunk) => {
      if (!frames(chunk)) cut("frame too large");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // The API runs under another user id of the same group.
  chmodSync(path, 0o660);
  return {
    close() {
      // A server is closed only when its last connection is.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.destroy();
      return closed;
    },
  };
}

async function removeDeadSocket(path: string) {
  if (!existsSync(path)) return;
  if (!statSync(path).isSocket()) {
    throw new SignerStateError(`${path} is there and is no socket; give another path or move it`);
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (isAlive) throw new SignerStateError(`another signer listens on ${path}; stop it first`);
  rmSync(path);
}
