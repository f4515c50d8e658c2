import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import type { Host } from "../host/host.ts";
import { hasBearer } from "../http/bearer.ts";
import { isLocal } from "../http/local.ts";
import { methodNotAllowed } from "../http/routes.ts";
import {
  deletePageFeedback,
  type FeedbackFilter,
  listPageFeedback,
} from "../store/page-feedback.ts";
import type { Env } from "../wire/request.ts";

/** Shows an operator on this machine what readers said, or deletes it, while the service has the database open. */
export type FeedbackAnswers = (c: Context<Env>) => Promise<Response>;

export function createFeedbackAnswers(
  { store }: Pick<Host, "store">,
  token: string,
): FeedbackAnswers {
  return async (c) => {
    if (!isLocal(c) || !hasBearer(c, token)) {
      throw new ApiError(
        "PERMISSION_DENIED",
        "REQUEST_NOT_AUTHORIZED",
        "only npm run feedback reads the answers of readers, on the machine of the service",
      );
    }
    const filter = filterIn(new URL(c.req.url).searchParams);
    const headers = { "Cache-Control": "no-store" };
    switch (c.req.method) {
      case "GET":
        return c.json(await listPageFeedback(store, filter), 200, headers);
      case "DELETE":
        return c.json({ deleted: await deletePageFeedback(store, filter) }, 200, headers);
      default:
        throw methodNotAllowed(c, "GET, DELETE", "`/feedback/answers` takes GET and DELETE");
    }
  };
}

function filterIn(query: URLSearchParams): FeedbackFilter {
  const numberOf = (name: string, otherwise: number) => {
    const value = Number(query.get(name) ?? otherwise);
    return Number.isSafeInteger(value) && value >= 0 ? value : otherwise;
  };
  return {
    page: query.get("page"),
    fromMs: numberOf("from", 0),
    beforeMs: numberOf("before", Number.MAX_SAFE_INTEGER),
  };
}
