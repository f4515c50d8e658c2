import { chmodSync, lstatSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { boundConnections } from "@keyhearth/outbound/bound-connections";
import { SignerStateError } from "../state/state-error.ts";
import type { Door, Log } from "./door.ts";

/** Each process of the API has one connection, and a health check perhaps another. */
const MAX_CONNECTIONS = 256;

/** `close` stops listening and cuts the open connections of the door. */
export type Listener = { close(): Promise<void> };

/**
 * Listens on a Unix socket. Anyone who can connect can send any request, but the core trusts only
 * stamps and notarized records.
 */
export async function listenOnSocket(path: string, door: Door, log: Log): Promise<Listener> {
  await removeDeadSocket(path);
  const server = createServer(door.serve);
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
      // A server closes only after its last connection.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      door.close();
      return closed;
    },
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
