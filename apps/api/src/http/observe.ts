import { shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import type { Host } from "../host/host.ts";
import type { Attributes, Span } from "../observability/spans.ts";
import type { Tracing } from "../observability/tracing.ts";
import { type Asked, type Env, headerOf } from "../wire/request.ts";
import { isEndpoint } from "./routes.ts";

/** An id of 36 characters fits. A longer one is cut, in the log and in the answer: it must not fill the log. */
const MAX_ID_LENGTH = 40;

/** Lines of one kind in a minute, if strangers can have such answers: they must not fill the log. */
const MAX_LINES = 100;
const MINUTE_MS = 60_000;

/** Gives a request its id, measures it and logs it. */
export function createObserver(host: Pick<Host, "metrics" | "log"> & { tracing?: Tracing }) {
  const isLogged = boundLines((kind, requests) =>
    host.log.warn({ kind, requests }, "more requests, left out of the log"),
  );
  /** Only what works for an organization is traced: neither pages nor probes. */
  function begin(c: Context<Env>, next: () => Promise<void>): Promise<void> {
    const { tracing } = host;
    if (!tracing?.isOn || !isTraced(c)) return observe(c, next);
    const traceparent = headerOf(c, "traceparent");
    const route = routeOf(c);
    const attributes = { "http.request.method": "POST", "http.route": route };
    return tracing.root(`POST ${route}`, { kind: "server", traceparent, attributes }, (span) =>
      observe(c, next, span),
    );
  }
  async function observe(c: Context<Env>, next: () => Promise<void>, span?: Span) {
    const { metrics, log } = host;
    const startedAt = performance.now();
    const given = headerOf(c, "x-request-id");
    const requestId =
      given && /^[\w.-]{1,128}$/.test(given) ? given.slice(0, MAX_ID_LENGTH) : crypto.randomUUID();
    c.set("requestId", requestId);
    const asked: Asked = {};
    c.set("asked", asked);
    await next();
    if (!c.get("hasAllHeaders")) c.res.headers.set("x-request-id", requestId);
    const seconds = (performance.now() - startedAt) / 1000;
    const route = routeOf(c);
    const { status } = c.res;
    metrics.request(route, status, seconds);
    span?.set(attributesOf(status, asked));
    const level = status >= 400 && route !== "/site" ? "warn" : "info";
    if (!log.isLevelEnabled(level) || !isLogged(boundedKindOf(route, status, asked))) return;
    const ms = Math.round(seconds * 10_000) / 10;
    const { method } = c.req;
    // A stranger must not fill the disk with long paths.
    const path = shorten(c.req.path, 200);
    log[level]({ requestId, method, path, status, ms, ...asked }, "request");
  }
  return begin;
}

function isTraced({ req }: Context): boolean {
  return req.method === "POST" && (isEndpoint(req.path) || req.path.startsWith("/proxy/v1/"));
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The organization may be only named by the request, and what has not the form of an id is left out. */
function attributesOf(status: number, { code, organizationId = "" }: Asked): Attributes {
  return {
    "http.response.status_code": status,
    ...(code !== undefined && { "error.type": code }),
    ...(UUID.test(organizationId) && { "keyhearth.organization.id": organizationId }),
  };
}

/**
 * An answer to somebody who is not known to be a user: a refusal, a page, or a call of the login proxy. Null for what a user
 * gets. The limits of one address let it write 13 GB of lines a day.
 */
function boundedKindOf(route: string, status: number, { code, userId }: Asked): string | null {
  return userId === undefined ? `${status} ${code ?? route}` : null;
}

/** Whether a line is one of the first of its kind in a minute. At its end, it is told how many more there were. */
function boundLines(tell: (kind: string, more: number) => void) {
  const counts = new Map<string, number>();
  function endMinute() {
    for (const [kind, count] of counts) if (count > MAX_LINES) tell(kind, count - MAX_LINES);
    counts.clear();
  }
  return (kind: string | null): boolean => {
    if (kind === null) return true;
    if (counts.size === 0) setTimeout(endMinute, MINUTE_MS).unref();
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= MAX_LINES;
  };
}

/** A label from a bounded set, whatever the answer: endpoints by name, everything else by kind. */
function routeOf({ req }: Context): string {
  const [, first, , kind, name] = req.path.split("/");
  if (first === "public") return isEndpoint(req.path) ? `${kind}/${name}` : "/public";
  const named = ["healthz", "readyz", "metrics", "feedback", "assistant", "proxy"];
  return `/${named.includes(first ?? "") ? first : "site"}`;
}
