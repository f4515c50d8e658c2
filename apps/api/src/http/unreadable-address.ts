import { RequestError } from "@hono/node-server";
import { ApiError } from "@keyhearth/engine/errors";
import { internalError } from "../errors.ts";
import { lastWords } from "./last-answer.ts";

const unreadable = new ApiError(
  "INVALID_ARGUMENT",
  "FIELD_INVALID",
  "the request's target and its Host header are not an address; send a path and the name of a host",
  { field: "Host" },
);

/**
 * Answers a request whose address is none, before the app has looked at it. So no other bound counts it, and its
 * connection gets one such answer, its last.
 */
export function refuseUnreadableAddress(error: unknown): Response {
  // The app answers its own errors.
  const isUnreadable = error instanceof RequestError;
  const { body, headers } = lastWords(isUnreadable ? unreadable : internalError());
  return new Response(body, { status: isUnreadable ? 400 : 500, headers });
}
