import type { IncomingHttpHeaders } from "node:http";
import { encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import { findActivity } from "@keyhearth/engine/activities/index";
import {
  ApiError,
  type ErrorCode,
  errorDetails,
  grpcCode,
  shorten,
  unauthenticated,
} from "@keyhearth/engine/errors";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Host } from "./host.ts";
import { findQuery } from "./queries/index.ts";
import { query } from "./query/query.ts";
import type { ClientAddress, RateLimit } from "./serve/rate-limit.ts";
import { submit } from "./submission/submit.ts";

export const MAX_BODY_BYTES = 1024 * 1024;

export type AppOptions = {
  host: Host;
  wellKnown: () => Promise<Record<string, unknown>>;
  openApi: () => string;
  isReady: () => Promise<{ ready: boolean; reasons: string[] }>;
  /** Metrics are for this machine, or for who knows the token. */
  metricsToken: string | null;
  rateLimit: RateLimit | null;
  clientAddress: ClientAddress;
  /** Everything that is not the API: the site. */
  site: (c: Context) => Promise<Response> | Response;
};

type Variables = { requestId: string };
type Bindings = {
  incoming?: { headers?: IncomingHttpHeaders; socket?: { remoteAddress?: string } };
};
type Env = { Variables: Variables; Bindings: Bindings };

/** Routes, and the only place that knows HTTP statuses. */
export function createApp(options: AppOptions): Hono<Env> {
  const { host } = options;
  const app = new Hono<Env>();

  app.use("*", (c, next) => observe(c, next, options));
  app.onError((error, c) => errorResponse(c, host, error));

  app.options("/public/*", (c) => c.body(null, 204, preflight));
  const limitStream = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => raise(bodyTooLarge()) });
  // A stated length is checked as it stands: counting a stream's bytes costs more than signing.
  const limit: MiddlewareHandler<Env> = async (c, next) => {
    const length = headerOf(c, "content-length");
    if (length === undefined || headerOf(c, "transfer-encoding")) return limitStream(c, next);
    if (Number(length) > MAX_BODY_BYTES) throw bodyTooLarge();
    return next();
  };
  app.post("/public/v1/submit/:name", limit, async (c) => {
    takeToken(c, options);
    const endpoint = c.req.param("name");
    if (!findActivity(endpoint)) throw routeNotFound(c.req.path);
    const body = await readBody(c);
    const activity = await submit(host, { endpoint, body, stamp: stampOf(c) });
    return json(c, 200, { activity });
  });
  app.post("/public/v1/query/:name", limit, async (c) => {
    takeToken(c, options);
    const name = c.req.param("name");
    if (!findQuery(name)) throw routeNotFound(c.req.path);
    const body = await readBody(c);
    return json(c, 200, await query(host, { name, body, stamp: stampOf(c) }));
  });
  app.all("/public/*", (c) => {
    if (c.req.method === "POST") throw routeNotFound(c.req.path);
    c.header("Allow", preflight["Access-Control-Allow-Methods"]);
    throw new ApiError(
      "INVALID_ARGUMENT",
      "METHOD_NOT_ALLOWED",
      `the API takes POST with a JSON body, got ${c.req.method}`,
    );
  });

  app.get("/openapi.json", (c) =>
    c.body(options.openApi(), 200, { ...cors, "Content-Type": "application/json" }),
  );
  app.get("/.well-known/keyhearth.json", async (c) => json(c, 200, await options.wellKnown()));
  app.get("/healthz", (c) => json(c, 200, { status: "ok" }));
  app.get("/readyz", async (c) => {
    const { ready, reasons } = await options.isReady();
    return json(c, ready ? 200 : 503, { status: ready ? "ready" : "not ready", reasons });
  });
  app.get("/metrics", async (c) => {
    if (!mayReadMetrics(c, options)) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "REQUEST_NOT_AUTHORIZED",
        "metrics are for this machine, or for who sends KEYHEARTH_METRICS_TOKEN as a bearer token",
      );
    }
    host.metrics.signerQueueDepth(host.signer.depth());
    const { contentType, body } = await host.metrics.render();
    return c.body(body, 200, { "Content-Type": contentType });
  });
  app.all("*", (c) => options.site(c));
  return app;
}

const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "x-request-id, ratelimit-limit, ratelimit-remaining, retry-after",
};

const preflight = {
  ...cors,
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers":
    "content-type, x-stamp, x-stamp-webauthn, x-stamp-attested, x-session, x-client-version, x-request-id",
  "Access-Control-Max-Age": "86400",
};

/** gRPC-style codes to HTTP: the one table. */
function statusOf(code: ErrorCode, reason: string) {
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

async function observe(c: Context<Env>, next: () => Promise<void>, { host }: AppOptions) {
  const startedAt = performance.now();
  const given = headerOf(c, "x-request-id");
  const requestId = given && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();
  c.set("requestId", requestId);
  await next();
  c.res.headers.set("x-request-id", requestId);
  const seconds = (performance.now() - startedAt) / 1000;
  const route = routeOf(c);
  host.metrics.request(route, c.res.status, seconds);
  if (!host.log.isLevelEnabled("info")) return;
  const ms = Math.round(seconds * 10_000) / 10;
  const { method, path } = c.req;
  host.log.info({ requestId, method, path, status: c.res.status, ms }, "request");
}

/** A label of bounded variety: endpoints by name, everything else by kind. */
function routeOf({ req, res }: Context): string {
  const [, first, , third, name] = req.path.split("/");
  if (first !== "public")
    return `/${["healthz", "readyz", "metrics"].includes(first ?? "") ? first : "site"}`;
  return res.status === 404 || !name || name.length > 64 ? "/public" : `${third}/${name}`;
}

function takeToken(c: Context<Env>, { rateLimit, clientAddress, host }: AppOptions) {
  if (!rateLimit) return;
  const socketAddress = c.env?.incoming?.socket?.remoteAddress;
  const address = clientAddress(socketAddress, c.req.header("x-forwarded-for"));
  const headers = rateLimit.headers(address, host.now());
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  for (const [name, value] of Object.entries(rateLimit.take(address, host.now()))) {
    c.header(name, value);
  }
}

/** One header. Of a request over HTTP without making an object of all of them first. */
function headerOf(c: Context, name: string): string | undefined {
  const headers = c.env?.incoming?.headers;
  if (!headers) return c.req.header(name);
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

function stampOf(c: Context): StampHeader | null {
  const found = ["X-Stamp", "X-Stamp-Webauthn", "X-Stamp-Attested"].flatMap((name) => {
    const value = headerOf(c, name);
    return value === undefined ? [] : [{ name, value }];
  });
  const [only, ...others] = found;
  if (others.length > 0) {
    throw unauthenticated(
      "STAMP_MALFORMED",
      "malformed activity stamp: the request carries more than one stamp header; send one",
    );
  }
  return only ?? null;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The exact text that was stamped; bytes that are no UTF-8 have no such text. */
async function readBody(c: Context): Promise<string> {
  const bytes = await c.req.arrayBuffer();
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      "BAD_REQUEST_BODY",
      "bad request body: it is not valid UTF-8",
      { cause },
    );
  }
}

/** With the token from anywhere; without it from this machine, unless a proxy stands between. */
function mayReadMetrics(c: Context<Env>, { metricsToken, clientAddress }: AppOptions): boolean {
  const given = c.req.header("authorization") ?? "";
  if (metricsToken !== null && isEqualText(given, `Bearer ${metricsToken}`)) return true;
  const forwardedFor = c.req.header("x-forwarded-for");
  const socketAddress = c.env?.incoming?.socket?.remoteAddress;
  const address = clientAddress(socketAddress, forwardedFor);
  const isHere = /^(::1|127\.|::ffff:127\.)/.test(address);
  return isHere && (forwardedFor === undefined || address !== socketAddress);
}

/** In constant time for equal lengths: of digests, so that lengths do not show either. */
function isEqualText(a: string, b: string): boolean {
  return equalBytes(sha256(encodeUtf8(a)), sha256(encodeUtf8(b)));
}

function routeNotFound(path: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `there is no endpoint \`${shorten(path)}\`; see /openapi.json for all of them`,
  );
}

function bodyTooLarge(): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `the request body is larger than ${MAX_BODY_BYTES} bytes; send less in one request`,
  );
}

function raise(error: Error): never {
  throw error;
}

function errorResponse(c: Context<Env>, { log }: Host, thrown: unknown): Response {
  const requestId = c.get("requestId");
  const error = toApiError(thrown);
  if (error.code === "INTERNAL") log.error({ requestId, err: thrown }, "internal error");
  const isInternal = error.code === "INTERNAL";
  const message = isInternal ? `internal server error (${requestId})` : error.message;
  const details = isInternal ? errorDetails(internalError()) : errorDetails(error);
  const isPassing = error.code === "UNAVAILABLE" || error.reason === "RATE_LIMITED";
  if (isPassing) c.header("Retry-After", "1");
  return json(c, statusOf(error.code, error.reason), {
    code: grpcCode(error.code),
    message,
    details,
  });
}

function internalError(): ApiError {
  return new ApiError("INTERNAL", "INTERNAL", "internal server error");
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDatabaseDown(thrown)) {
    return new ApiError(
      "UNAVAILABLE",
      "DATABASE_UNAVAILABLE",
      "the database cannot be reached; send the same bytes again in a moment",
    );
  }
  return internalError();
}

/** Connection lost, refused, timed out or closed; server starting or stopping; too many clients. */
function isDatabaseDown(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = "code" in thrown ? String(thrown.code) : "";
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|57P0|08|53300)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|database has stopped|calling end on the pool/.test(
      thrown.message,
    )
  );
}

function json(c: Context<Env>, status: number, value: unknown): Response {
  const headers = { ...cors, "Content-Type": "application/json" };
  // Hono's own list of statuses has all that `statusOf` answers.
  return c.body(JSON.stringify(value), status as 200, headers);
}
