import { errorResponse } from "@keyhearth/api/http/answer";
import { createObserver } from "@keyhearth/api/http/observe";
import { methodNotAllowed, routeNotFound } from "@keyhearth/api/http/routes";
import { foreignnessOf } from "@keyhearth/api/mailbox/access";
import type { Log } from "@keyhearth/api/observability/log";
import type { Metrics } from "@keyhearth/api/observability/metrics";
import { type Env, headerOf } from "@keyhearth/api/wire/request";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { ApiError, invalid } from "@keyhearth/engine/errors";
import { type Context, Hono } from "hono";
import { EmulatorError } from "./errors.ts";

/** What other processes on this machine do with an emulator: `/emulator/…`, JSON in and out. */
export type ControlCalls = {
  organizations(body: Record<string, unknown>): Promise<unknown>;
  clock(body: Record<string, unknown>): Promise<unknown>;
  reset(): Promise<unknown>;
  /** What time it is. */
  now(): number;
};

const MAX_BODY_BYTES = 16 * 1024;

export function createControl(
  calls: ControlCalls,
  { log, metrics }: { log: Log; metrics: Metrics },
): Hono<Env> {
  const app = new Hono<Env>();
  app.use("*", createObserver({ log, metrics }));
  app.onError((error, c) => errorResponse(c, log, toApiError(error)));
  app.notFound((c) => errorResponse(c, log, routeNotFound(c.req.path)));
  app.use("*", async (c, next) => {
    if (foreignnessOf(c) !== null) throw notFromHere();
    await next();
    c.res.headers.set("Cache-Control", "no-store");
  });
  app.get("/emulator/clock", (c) => c.json({ nowMs: calls.now() }));
  app.post("/emulator/organizations", async (c) => {
    return c.json(await calls.organizations(await bodyOf(c)));
  });
  app.post("/emulator/clock", async (c) => c.json(await calls.clock(await bodyOf(c))));
  app.post("/emulator/reset", async (c) => {
    const [unknown] = Object.keys(await bodyOf(c));
    if (unknown !== undefined) throw invalid(unknown, `a reset takes no member \`${unknown}\``);
    return c.json(await calls.reset());
  });
  for (const path of ["/emulator/organizations", "/emulator/clock", "/emulator/reset"]) {
    app.all(path, (c) => {
      throw methodNotAllowed(c, "POST", `\`${path}\` takes POST with a JSON body`);
    });
  }
  return app;
}

/** An empty body is an empty object. */
async function bodyOf(c: Context<Env>): Promise<Record<string, unknown>> {
  const length = Number(headerOf(c, "content-length") ?? Number.NaN);
  if (headerOf(c, "transfer-encoding") !== undefined || length > MAX_BODY_BYTES) {
    throw invalid("", `the body must have a length of at most ${MAX_BODY_BYTES} bytes`);
  }
  const text = await c.req.text();
  if (text === "") return {};
  try {
    const value = parseStrictJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Its refusal is the same.
  }
  throw invalid("", "the body must be a JSON object");
}

function notFromHere(): ApiError {
  return new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "only programs and pages of this machine use the emulator, at localhost or 127.0.0.1, and only programs control it; pages of sites and requests through a proxy do not",
  );
}

function toApiError(error: unknown): unknown {
  if (!(error instanceof EmulatorError)) return error;
  return new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", error.message, { field: error.option });
}
