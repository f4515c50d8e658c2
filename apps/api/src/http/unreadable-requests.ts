import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { ApiError, type ErrorCode, type Reason } from "@keyhearth/engine/errors";
import { lastWords } from "./last-answer.ts";
import { MAX_HEADERS } from "./many-headers.ts";

// Requests that Node.js gives to no listener, because they are not HTTP or do not come in time. It would answer each with a
// bare status, which caches may keep and nobody can read.

/** What Node.js keeps at a socket of its HTTP server: the answer that is under way. Neither member is public. */
type Answering = Socket & {
  _httpMessage?: { _headerSent?: boolean; req?: { method?: string } } | null;
};

/** Answers once and ends the connection, as Node.js itself does with what it cannot parse. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket) {
  const { _httpMessage: underWay }: Answering = socket;
  // A client that reads an answer would take this one for its rest.
  if (socket.writable && !underWay?._headerSent) {
    const { status, refusal } = refusalOf(error.code);
    // It is the answer to a request whose body cannot be read, and that to a HEAD has no body.
    socket.write(answerOf(status, refusal, { isHead: underWay?.req?.method === "HEAD" }));
  }
  socket.destroySoon();
}

function answerOf(status: number, error: ApiError, { isHead }: { isHead: boolean }): string {
  const { body, headers } = lastWords(error);
  const all = { ...headers, "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", isHead ? "" : body].join(
    "\r\n",
  );
}

function refusalOf(code = ""): { status: number; refusal: ApiError } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refused(408, "BAD_REQUEST_BODY", "the request did not come in time; send it again");
    case "HPE_HEADER_OVERFLOW":
      return refused(
        431,
        "FIELD_INVALID",
        `the request line and the headers have more than 16 KiB, or more than ${MAX_HEADERS} headers; send fewer`,
      );
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refused(
        413,
        "BODY_TOO_LARGE",
        "the chunks of the body have extensions of more than 16 KiB; send it with Content-Length",
        "PAYLOAD_TOO_LARGE",
      );
    default:
      return refused(
        400,
        "BAD_REQUEST_BODY",
        "this is not a request of HTTP/1.1; check what the client, or a proxy before the service, sends",
      );
  }
}

function refused(
  status: number,
  reason: Reason,
  message: string,
  code: ErrorCode = "INVALID_ARGUMENT",
) {
  return { status, refusal: new ApiError(code, reason, message) };
}
