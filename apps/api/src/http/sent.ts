import type { Socket } from "node:net";
import type { Context } from "hono";
import type { Connection } from "../fairness/under-way.ts";
import type { Env } from "../wire/request.ts";

/** What is done when a connection ends, for all the answers that still wait on it. */
const waitingOn = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once: when the last byte of the answer has left the process, or when its connection is
 * gone. An answer that waits behind others on its connection never closes by itself if that ends.
 */
export function whenSent(c: Context<Env>, callBack: () => void): Connection | null {
  const { outgoing, incoming } = c.env ?? {};
  // A test that calls the app in memory has its answer at once.
  if (!outgoing || !incoming?.socket) {
    callBack();
    return null;
  }
  // Node.js gives both together, so it is its own connection.
  const connection = incoming.socket as Socket;
  const waiting = waitingOn.get(connection) ?? watch(connection);
  const end = () => {
    waiting.delete(end);
    outgoing.off("close", end);
    callBack();
  };
  waiting.add(end);
  outgoing.once("close", end);
  if (connection.destroyed) end();
  // Closing it would leave the system with what it has taken.
  return { sent: () => sentOn(connection), cut: () => connection.resetAndDestroy() };
}

/** Node.js counts what it has handed over, of which the handle knows how much the system has not taken yet. */
function sentOn(connection: Socket): number {
  const { _handle } = connection as Socket & { _handle?: { writeQueueSize?: number } | null };
  return connection.bytesWritten - (_handle?.writeQueueSize ?? 0);
}

function watch(connection: Socket): Set<() => void> {
  const waiting = new Set<() => void>();
  waitingOn.set(connection, waiting);
  connection.once("close", () => {
    for (const end of [...waiting]) end();
  });
  return waiting;
}
