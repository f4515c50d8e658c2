import { RequestError } from "@hono/node-server";
import { ApiError, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import { cors } from "./answer.ts";

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
  const { code, message } = unreadable;
  const body = JSON.stringify({ code: grpcCode(code), message, details: errorDetails(unreadable) });
  const headers = { ...cors, "Content-Type": "application/json", Connection: "close" };
  return new Response(body, { status: 400, headers });
}
