import { RequestError } from "@hono/node-server";
import { ApiError } from "@keyhearth/engine/errors";
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
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  const { body, headers } = lastWords(unreadable);
  return new Response(body, { status: 400, headers });
}
