import type { Socket } from "node:net";

const { stackTraceLimit } = Error;

/** What Node.js keeps at a socket of its HTTP server. Neither member is public. */
type Parsed = Socket & { parser?: { onIncoming?: unknown } | null };

/** For the parser of Node.js, a request that cannot be accepted: it stops. */
const refuse = () => -1;

/**
 * Ends a connection. Node.js then makes an error for each request of it, which can be many if a client sent them ahead
 * of their answers, and the stack traces of these would take longer than the requests did.
 */
export function cut(socket: Socket) {
  // Of the requests that a client sent ahead, each may be a reason.
  if (socket.destroyed) return;
  stopParsing(socket);
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0;
  });
  // After the listener in which Node.js makes the errors. It may cut another connection, so the limit is not that of now.
  socket.once("close", () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}

/**
 * Node.js parses all that it has read of a connection, 64 KB, even when it is destroyed meanwhile: 1,600 small
 * requests take 8 to 26 ms. Without the members, it costs just that.
 */
function stopParsing(socket: Parsed) {
  if (socket.parser) socket.parser.onIncoming = refuse;
}
