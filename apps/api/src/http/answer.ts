import { ApiError, type ErrorCode, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { internalError, RateLimited, TryLater } from "../errors.ts";
import type { Log } from "../observability/log.ts";
import { databaseDiskFull, isDiskFull } from "../store/disk-full.ts";
import { databaseUnavailable, isDatabaseDown } from "../store/unavailable.ts";
import type { Env } from "../wire/request.ts";

/** Answers and errors as HTTP responses. */

export const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "x-request-id, ratelimit-limit, ratelimit-remaining, retry-after, x-rate-limit-request-forwarded-for, x-rate-limit-request-remote-addr",
};

/** For whoever opens an answer as if it were a page, or keeps it: it has an organization's data. */
const onlyData = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
};

/** Of every answer in JSON, also of those that are given before the app has looked at a request. */
export const jsonHeaders = { ...cors, ...onlyData, "Content-Type": "application/json" };

export const preflight = {
  ...cors,
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers":
    "content-type, x-stamp, x-stamp-webauthn, x-stamp-attested, x-session, x-client-version, x-request-id, traceparent",
  "Access-Control-Max-Age": "86400",
};

export function json(c: Context<Env>, status: number, value: unknown): Response {
  return jsonText(c, status, JSON.stringify(value));
}

/** A value that is JSON already, as text or as bytes. */
export function jsonText(
  c: Context<Env>,
  status: number,
  text: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
): Response {
  const headers = { ...jsonHeaders, ...more };
  // Hono's type lists every status that `statusOf` returns.
  return c.body(text, status as 200, headers);
}

/**
 * The answer of an endpoint, with all headers in a plain object, which is written as it is: making `Headers`, and reading
 * them again, takes longer than the rest of an answer.
 */
export function endpointAnswer(c: Context<Env>, text: string | Uint8Array<ArrayBuffer>): Response {
  c.set("hasAllHeaders", true);
  const headers = { ...jsonHeaders, ...c.get("limits"), "x-request-id": c.get("requestId") };
  return new Response(text, { status: 200, headers });
}

export function errorResponse(c: Context<Env>, log: Log, thrown: unknown): Response {
  const requestId = c.get("requestId");
  const error = toApiError(thrown);
  c.get("asked").code = error.reason;
  if (error.code === "INTERNAL") log.error({ requestId, err: thrown }, "internal error");
  const isInternal = error.code === "INTERNAL";
  const message = isInternal ? `internal server error (${requestId})` : error.message;
  const details = isInternal ? errorDetails(internalError()) : errorDetails(error);
  const isPassing = error.code === "UNAVAILABLE" || error.reason === "RATE_LIMITED";
  if (isPassing) {
    c.header("Retry-After", error instanceof TryLater ? String(error.retryAfterSeconds) : "1");
  }
  const limit: Record<string, string> = error instanceof RateLimited ? error.headers : {};
  for (const [name, value] of Object.entries(limit)) c.header(name, value);
  return json(c, statusOf(error.code, error.reason), {
    code: grpcCode(error.code),
    message,
    details,
  });
}

/** The one table from gRPC-style codes to HTTP statuses. */
export function statusOf(code: ErrorCode, reason: string) {
  switch (code) {
    case "INVALID_ARGUMENT":
      return reason === "METHOD_NOT_ALLOWED" ? 405 : 400;
    case "UNAUTHENTICATED":
      return 401;
    case "PERMISSION_DENIED":
      return 403;
    case "NOT_FOUND":
      return 404;
    case "ALREADY_EXISTS":
      return 409;
    case "PAYLOAD_TOO_LARGE":
      return 413;
    case "RESOURCE_EXHAUSTED":
      return 429;
    case "INTERNAL":
      return 500;
    case "UNAVAILABLE":
      return 503;
  }
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDiskFull(thrown)) return databaseDiskFull();
  if (isDatabaseDown(thrown)) return databaseUnavailable(thrown);
  return internalError();
}
