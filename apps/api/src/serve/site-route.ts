import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { onlyReadable, routeNotFound } from "../http/routes.ts";
import type { Env } from "../wire/request.ts";
import type { Site } from "./site.ts";

/** Answers with a page. A page that exists can only be read; anything else does not exist. */
export async function answerFromSite(c: Context<Env>, site: Site): Promise<Response> {
  assertReadable(c);
  const answer = await site(c.req.raw);
  if (answer) return answer;
  const page = await site(new Request(c.req.url, { method: "HEAD" }));
  throw page && page.status < 400 ? onlyReadable(c) : routeNotFound(c.req.path);
}

/** Node.js takes hosts that are none, such as 1.2.3.4.5, and targets with a user's name and password. */
function assertReadable(c: Context<Env>) {
  const url = URL.parse(c.req.url);
  if (url && !url.username && !url.password) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "FIELD_INVALID",
    "the request's target and its Host header are not the address of a page",
    { field: "Host" },
  );
}
