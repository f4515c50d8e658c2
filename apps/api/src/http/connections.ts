import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { cut } from "./cut.ts";

/**
 * Requests that one connection may send ahead of the answer to an earlier one. Browsers and our clients send
 * none. Node.js has parsed all of a chunk before it can stop reading, so a connection with more is cut.
 */
export const MAX_AHEAD = 32;

/** Bytes of their heads, as many as one may have. Each takes five times its bytes of memory. */
const MAX_BYTES_AHEAD = 16 * 1024;

type Exchange = { request: IncomingMessage; response: ServerResponse };

/**
 * Works on one request of a connection at a time, and reads no further while others of it wait. Answers leave
 * in the order of the requests anyway. Between two of them, other connections have their turn.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** What waits on each connection with a request under way. */
  const lines = new WeakMap<Socket, Exchange[]>();

  function work({ request, response }: Exchange, line: Exchange[]) {
    const { socket } = request;
    response.once("close", () => {
      if (line.length > 0) return void setImmediate(() => workOnNext(socket, line));
      lines.delete(socket);
    });
    closeUnlessComplete(request, response);
    listener(request, response);
  }

  function workOnNext(socket: Socket, line: Exchange[]) {
    const next = line.shift();
    if (!next || socket.destroyed) return;
    if (line.length === 0) socket.resume();
    work(next, line);
  }

  return (request, response) => {
    const { socket } = request;
    // Node.js goes on with what it has parsed of a connection that was cut.
    if (socket.destroyed) return;
    const line = lines.get(socket);
    if (!line) {
      const own: Exchange[] = [];
      lines.set(socket, own);
      return work({ request, response }, own);
    }
    line.push({ request, response });
    if (line.length > MAX_AHEAD || bytesAhead(line) > MAX_BYTES_AHEAD) return void cut(socket);
    socket.pause();
  };
}

function bytesAhead(line: Exchange[]): number {
  return line.reduce((sum, { request }) => sum + headBytes(request), 0);
}

/** About as many as the head of a request has. */
export function headBytes({ url = "", rawHeaders }: Pick<IncomingMessage, "url" | "rawHeaders">) {
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, url.length);
}

/** The rest of a body that states no length has no end, so nobody reads it after the answer. */
function closeUnlessComplete(request: IncomingMessage, response: ServerResponse) {
  if (request.headers["transfer-encoding"] === undefined) return;
  response.once("finish", () => {
    if (!request.complete) request.socket.destroySoon();
  });
}
