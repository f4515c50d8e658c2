import type { Context } from "hono";
import type { Env } from "../http/request.ts";
import { onlyReadable, routeNotFound } from "../http/routes.ts";
import type { Site } from "./site.ts";

/** Answers with a page. A page that exists can only be read; anything else does not exist. */
export async function answerFromSite(c: Context<Env>, site: Site): Promise<Response> {
  const answer = await site(c.req.raw);
  if (answer) return answer;
  const page = await site(new Request(c.req.url, { method: "HEAD" }));
  throw page && page.status < 400 ? onlyReadable(c) : routeNotFound(c.req.path);
}
