import type { IncomingMessage, RequestListener } from "node:http";
import { ApiError, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import { cors } from "./answer.ts";

/** Browsers and proxies send a few dozen. */
const MOST_HEADERS = 200;

const tooMany = new ApiError(
  "INVALID_ARGUMENT",
  "FIELD_INVALID",
  `the request has more than ${MOST_HEADERS} headers; send fewer`,
);

/**
 * Each header takes up to ten times its bytes of memory, and nothing else bounds them together. Node.js itself refuses a
 * thousand. Earlier versions of it left out the rest instead, so that a proxy's own header could be missing.
 */
export function hasManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * MOST_HEADERS;
}

/** The connection gets one such answer, its last. */
export function refuseManyHeaders(listener: RequestListener): RequestListener {
  const { code, message } = tooMany;
  const body = JSON.stringify({ code: grpcCode(code), message, details: errorDetails(tooMany) });
  const headers = { ...cors, "Content-Type": "application/json", Connection: "close" };
  return (request, response) => {
    if (!hasManyHeaders(request)) return listener(request, response);
    response.writeHead(431, headers).end(body);
  };
}
