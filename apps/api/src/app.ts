import { findActivity } from "@keyhearth/engine/activities/index";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import { type Context, Hono } from "hono";
import type { Host } from "./host.ts";
import { cors, errorResponse, json, preflight } from "./http/answer.ts";
import { mayReadMetrics } from "./http/metrics-access.ts";
import { observe } from "./http/observe.ts";
import type { ClientAddress, RateLimit } from "./http/rate-limit.ts";
import { type Env, limitBody, readBody, socketAddressOf, stampOf } from "./http/request.ts";
import { findQuery } from "./queries/index.ts";
import { query } from "./query/query.ts";
import { submit } from "./submission/submit.ts";

export type AppOptions = {
  host: Host;
  wellKnown: () => Promise<Record<string, unknown>>;
  openApi: () => string;
  isReady: () => Promise<{ ready: boolean; reasons: string[] }>;
  /** Only this machine may read metrics, or a request with this token. */
  metricsToken: string | null;
  rateLimit: RateLimit | null;
  clientAddress: ClientAddress;
  /** Everything that is not the API: the site. */
  site: (c: Context) => Promise<Response> | Response;
};

/** The routes. The files in `http/` read requests and make responses. */
export function createApp(options: AppOptions): Hono<Env> {
  const { host } = options;
  const app = new Hono<Env>();
  app.use("*", (c, next) => observe(c, next, host));
  app.onError((error, c) => errorResponse(c, host.log, error));
  routeApi(app, options);
  routeOperation(app, options);
  app.all("*", (c) => options.site(c));
  return app;
}

/** Submissions and queries. */
function routeApi(app: Hono<Env>, options: AppOptions) {
  const { host } = options;
  app.options("/public/*", (c) => c.body(null, 204, preflight));
  app.post("/public/v1/submit/:name", limitBody, async (c) => {
    takeToken(c, options);
    const endpoint = c.req.param("name");
    if (!findActivity(endpoint)) throw routeNotFound(c.req.path);
    const body = await readBody(c);
    const activity = await submit(host, { endpoint, body, stamp: stampOf(c) });
    return json(c, 200, { activity });
  });
  app.post("/public/v1/query/:name", limitBody, async (c) => {
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
}

/** Endpoints for the people and programs that operate the service. */
function routeOperation(app: Hono<Env>, options: AppOptions) {
  const { host } = options;
  app.get("/openapi.json", (c) =>
    c.body(options.openApi(), 200, { ...cors, "Content-Type": "application/json" }),
  );
  app.get("/.well-known/keyhearth.json", async (c) => json(c, 200, await options.wellKnown()));
  app.get("/healthz", (c) => json(c, 200, { status: "ok" }));
  app.get("/readyz", async (c) => {
    const { ready, reasons } = await options.isReady();
    if (!ready) c.header("Retry-After", "1");
    return json(c, ready ? 200 : 503, { status: ready ? "ready" : "not ready", reasons });
  });
  app.get("/metrics", async (c) => {
    if (!mayReadMetrics(c, options)) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "REQUEST_NOT_AUTHORIZED",
        "only this machine may read metrics; other machines send KEYHEARTH_METRICS_TOKEN as a bearer token",
      );
    }
    host.metrics.signerQueueDepth(host.signer.depth());
    const { contentType, body } = await host.metrics.render();
    return c.body(body, 200, { "Content-Type": contentType });
  });
}

function takeToken(c: Context<Env>, { rateLimit, clientAddress, host }: AppOptions) {
  if (!rateLimit) return;
  const socketAddress = socketAddressOf(c);
  const address = clientAddress(socketAddress, c.req.header("x-forwarded-for"));
  const headers = rateLimit.headers(address, host.now());
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  for (const [name, value] of Object.entries(rateLimit.take(address, host.now()))) {
    c.header(name, value);
  }
}

function routeNotFound(path: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `there is no endpoint \`${shorten(path)}\`; see /openapi.json for all of them`,
  );
}
