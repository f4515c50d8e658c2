import { shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import type { Host } from "../host/host.ts";
import { type Env, headerOf } from "../wire/request.ts";
import { isEndpoint, PROBES } from "./routes.ts";

/** Lines of one kind in a minute, if anybody can have such answers without a limit. */
const MAX_LINES = 100;
const MINUTE_MS = 60_000;

/** Gives a request its id, measures it and logs it. */
export function createObserver(host: Pick<Host, "metrics" | "log">) {
  const isLogged = boundLines((kind, requests) =>
    host.log.info({ kind, requests }, "more requests, left out of the log"),
  );
  return async function observe(c: Context<Env>, next: () => Promise<void>) {
    const { metrics, log } = host;
    const startedAt = performance.now();
    const given = headerOf(c, "x-request-id");
    const requestId = given && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();
    c.set("requestId", requestId);
    await next();
    c.res.headers.set("x-request-id", requestId);
    const seconds = (performance.now() - startedAt) / 1000;
    const route = routeOf(c);
    const { status } = c.res;
    metrics.request(route, status, seconds);
    if (!log.isLevelEnabled("info") || !isLogged(unlimitedKindOf(route, status))) return;
    const ms = Math.round(seconds * 10_000) / 10;
    const { method } = c.req;
    // A stranger must not fill the disk with long paths.
    const path = shorten(c.req.path, 200);
    log.info({ requestId, method, path, status, ms }, "request");
  };
}

/** A refusal by a limit, or a probe. Null for what has a limit. */
function unlimitedKindOf(route: string, status: number): string | null {
  if (status === 429) return "429";
  return PROBES.includes(route) ? `${status} ${route}` : null;
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
  return `/${["healthz", "readyz", "metrics", "feedback"].includes(first ?? "") ? first : "site"}`;
}
