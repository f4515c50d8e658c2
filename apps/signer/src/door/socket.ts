import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import {
  createFrameReader,
  encodeFrame,
  MAX_FRAME_BYTES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { boundConnections } from "@keyhearth/outbound/bound-connections";
import { SignerStateError } from "../state/state-error.ts";
import { type Call, createFairQueue, type Handled } from "../turns/fair-queue.ts";
import { serveConnection } from "./serve.ts";

/** Each process of the API has one connection, and a health check perhaps another. */
const MAX_CONNECTIONS = 256;

/** What all connections together may hold: frames that have not come to their end, and answers that nobody reads. */
const MAX_HELD_BYTES = 4 * MAX_FRAME_BYTES;

/** `close` stops listening and cuts the open connections. */
export type SocketServer = { close(): Promise<void> };

/**
 * Listens on a Unix socket. Anyone who can connect can send any request, but the core trusts only
 * stamps and notarized records. A connection that sends a malformed frame is cut.
 */
export async function listenOnSocket(
  path: string,
  handle: (request: Request) => Handled,
  log: (event: { event: string; [member: string]: unknown }) => void,
): Promise<SocketServer> {
  await removeDeadSocket(path);
  /** The bytes of the unfinished frame of each connection. */
  const sockets = new Map<Socket, number>();
  const turns = createFairQueue({ handle });
  const server = createServer((socket) => {
    const send = (frame: Uint8Array) => {
      socket.write(frame);
      cutIfCrowded();
    };
    const connection = serveConnection(turns, send, announcerOf(socket));
    sockets.set(socket, 0);
    socket.on("close", () => {
      sockets.delete(socket);
      connection.close();
    });
    socket.on("error", () => socket.destroy());
    const cut = (reason: string, detail?: string) => {
      log({ event: "connection cut", reason, detail });
      socket.destroy();
    };
    const cutIfCrowded = () => {
      if (!socket.destroyed && heldBytes(sockets) > MAX_HELD_BYTES) {
        cut("too many bytes wait on all connections");
      }
    };
    const frames = createFrameReader((frame) => {
      // The rest of a chunk is ignored after a malformed frame.
      if (socket.destroyed) return;
      sockets.set(socket, (sockets.get(socket) ?? 0) - frame.length);
      try {
        connection.receive(frame);
      } catch (error) {
        cut("malformed frame", error instanceof Error ? error.message : String(error));
      }
    });
    socket.on("data", (chunk) => {
      sockets.set(socket, (sockets.get(socket) ?? 0) + chunk.length);
      if (frames(chunk)) cutIfCrowded();
      else cut("frame too large");
    });
  });
  boundConnections(server, MAX_CONNECTIONS, log);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: Error) => reject(listenError(path, cause)));
    server.listen(path, resolve);
  });
  // After the first error, the one above is gone, and an error that nobody hears ends the process.
  server.on("error", (cause) => log({ event: "the socket failed", cause }));
  // The API runs under a different user id of the same group.
  chmodSync(path, 0o660);
  return {
    close() {
      turns.stop();
      // A server closes only after its last connection.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets.keys()) socket.destroy();
      return closed;
    },
  };
}

function heldBytes(sockets: ReadonlyMap<Socket, number>): number {
  let bytes = 0;
  for (const [{ writableLength }, unfinished] of sockets) bytes += writableLength + unfinished;
  return bytes;
}

/**
 * Tells the host whose call is handled next: if this process dies, the host knows who caused it. The
 * bytes leave before the call begins.
 */
function announcerOf(socket: Socket): (call: Call) => void {
  let announced = "";
  return ({ id, organizationId }) => {
    if (organizationId === announced) return;
    announced = organizationId;
    socket.write(encodeFrame([{ id, message: { kind: "begun" } }]));
  };
}

function listenError(path: string, cause: Error): SignerStateError {
  const code = "code" in cause ? String(cause.code) : cause.message;
  return new SignerStateError(
    `the signer cannot listen on the socket ${path} (${code}); choose a path of at most 103 bytes in a directory that exists and that this user may write to`,
    { cause },
  );
}

async function removeDeadSocket(path: string) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) {
    throw new SignerStateError(
      `${path} exists and is not a socket; move it or choose another path`,
    );
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (isAlive) throw new SignerStateError(`another signer is listening on ${path}; stop it first`);
  rmSync(path);
}
