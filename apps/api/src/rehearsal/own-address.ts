import { randomBytes } from "node:crypto";
import { Hono } from "hono";
import { isEqualText } from "../http/bearer.ts";
import type { Env } from "../wire/request.ts";

/**
 * An app at an address with a secret in it. Other users of the machine reach the port of a rehearsal too, and a copy still
 * trusts whoever was removed since it was made, such as the key of a user who has left: it must not sign for them.
 */
export function atOwnAddress(app: Hono<Env>): { path: string; app: Pick<Hono<Env>, "fetch"> } {
  const secret = randomBytes(32).toString("base64url");
  const mounted = new Hono<Env>().mount(`/${secret}`, app.fetch);
  return {
    path: `/${secret}`,
    app: {
      fetch(request, ...rest) {
        const [, given = ""] = new URL(request.url).pathname.split("/");
        return isEqualText(given, secret) ? mounted.fetch(request, ...rest) : refusal();
      },
    },
  };
}

function refusal(): Response {
  const message =
    "this is a restored copy that is only tried, and its address is known to whoever started it alone: ask the service itself";
  return Response.json({ code: 5, message, details: [] }, { status: 404 });
}
