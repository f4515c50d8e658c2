import { shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import type { Host } from "../host.ts";
import { type Env, headerOf } from "./request.ts";
import { isEndpoint } from "./routes.ts";

/** Gives a request its id, measures it and logs it. */
export async function observe(c: Context<Env>, next: () => Promise<void>, { metrics, log }: Host) {
  const startedAt = performance.now();
  const given = headerOf(c, "x-request-id");
  const requestId = given && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID();
  c.set("requestId", requestId);
  await next();
  c.res.headers.set("x-request-id", requestId);
  const seconds = (performance.now() - startedAt) / 1000;
  const route = routeOf(c);
  metrics.request(route, c.res.status, seconds);
  if (!log.isLevelEnabled("info")) return;
  const ms = Math.round(seconds * 10_000) / 10;
  const { method } = c.req;
  // A stranger must not fill the disk with long paths.
  const path = shorten(c.req.path, 200);
  log.info({ requestId, method, path, status: c.res.status, ms }, "request");
}

/** A label from a bounded set, whatever the answer: endpoints by name, everything else by kind. */
function routeOf({ req }: Context): string {
  const [, first, , kind, name] = req.path.split("/");
  if (first === "public") return isEndpoint(req.path) ? `${kind}/${name}` : "/public";
  return `/${["healthz", "readyz", "metrics", "feedback"].includes(first ?? "") ? first : "site"}`;
}
