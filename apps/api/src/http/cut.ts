import type { Socket } from "node:net";

/**
 * Ends a connection. Node.js then makes an error for each request of it, which are hundreds if a client sent them ahead
 * of their answers, and the stack traces of these would take longer than the requests did.
 */
export function cut(socket: Socket) {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  // After the listener in which Node.js makes the errors.
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}
