import { findActivity } from "@keyhearth/engine/activities/index";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { findQuery } from "../queries/index.ts";
import type { Env } from "../wire/request.ts";
import { nearestEndpoints } from "./nearest-endpoints.ts";

/** What orchestrators ask: who is refused or waits restarts the service, and a refusal costs no less than an answer. */
export const PROBES: readonly string[] = ["/healthz", "/readyz"];

/** Refusals of requests whose path or method has no route. */

/** Whether a path names a submission or a query. */
export function isEndpoint(path: string): boolean {
  const [, kind, name = ""] = /^\/public\/v1\/(submit|query)\/([^/]+)$/.exec(path) ?? [];
  if (kind === undefined) return false;
  return Boolean(kind === "submit" ? findActivity(name) : findQuery(name));
}

/** Why the path is not known, and what it leads to: a page for people, and a file for programs. */
export function routeNotFound(path: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    `there is no endpoint \`${shorten(path)}\`${didYouMean(path)} /api and /openapi.json list all of them`,
  );
}

function didYouMean(path: string): string {
  const near = nearestEndpoints(path).map((each) => `\`${each}\``);
  return near.length === 0 ? ";" : `: did you mean ${near.join(" or ")}?`;
}

/** `allow` lists the methods of the path, and `message` says the same in words. */
export function methodNotAllowed(c: Context<Env>, allow: string, message: string): ApiError {
  c.header("Allow", allow);
  const given = shorten(c.req.method);
  return new ApiError("INVALID_ARGUMENT", "METHOD_NOT_ALLOWED", `${message}, got ${given}`);
}

/** The refusal of a request to a path that can only be read. */
export function onlyReadable(c: Context<Env>, allow = "GET, HEAD"): ApiError {
  return methodNotAllowed(c, allow, `\`${shorten(c.req.path)}\` takes GET`);
}
