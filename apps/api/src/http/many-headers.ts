import type { IncomingMessage, RequestListener } from "node:http";
import { ApiError } from "@keyhearth/engine/errors";
import { lastAnswer } from "./last-answer.ts";

/** Browsers and proxies send a few dozen. */
export const MAX_HEADERS = 200;

const tooMany = new ApiError(
  "INVALID_ARGUMENT",
  "FIELD_INVALID",
  `the request has more than ${MAX_HEADERS} headers; send fewer`,
);

/**
 * Each header takes up to ten times its bytes of memory, and nothing else bounds them together. Node.js itself refuses a
 * thousand. Earlier versions of it left out the rest instead, so that a proxy's own header could be missing.
 */
export function hasManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * MAX_HEADERS;
}

/** The connection gets one such answer, its last. */
export function refuseManyHeaders(listener: RequestListener): RequestListener {
  const refuse = lastAnswer(431, tooMany);
  return (request, response) => {
    if (!hasManyHeaders(request)) return listener(request, response);
    refuse(response);
  };
}
