import type { Socket } from "node:net";

const { stackTraceLimit } = Error;

/**
 * Ends a connection. Node.js then makes an error for each request of it, which are hundreds if a client sent them ahead
 * of their answers, and the stack traces of these would take longer than the requests did.
 */
export function cut(socket: Socket) {
  // Of the requests that a client sent ahead, each may be a reason.
  if (socket.destroyed) return;
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  // After the listener in which Node.js makes the errors. It may cut another connection, so the limit is not that of now.
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
