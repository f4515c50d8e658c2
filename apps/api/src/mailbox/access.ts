import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { hasBearer } from "../http/bearer.ts";
import { isLocal } from "../http/local.ts";
import { type Env, headerOf } from "../wire/request.ts";

/**
 * Only a browser or a program on this machine, at one of its own names, reaches the mailbox. A page of
 * another site could otherwise read codes: by asking for them, or by a name that it points here.
 */
export function assertLocal(c: Context<Env>, what = "the mailbox") {
  if (!isLocal(c)) {
    throw refused(`${what} is shown only on this machine, at localhost or 127.0.0.1`);
  }
  const origin = headerOf(c, "origin");
  const site = headerOf(c, "sec-fetch-site") ?? "none";
  const isForeign = origin !== undefined && origin !== `http://${headerOf(c, "host")}`;
  if (isForeign || !["same-origin", "none"].includes(site)) {
    throw refused(`${what} is not shown to pages of other sites; open it by its address`);
  }
}

/** A request that only looks local, such as one that a forwarder passes on unchanged, has no token. */
export function assertToken(c: Context<Env>, token: string) {
  if (hasBearer(c, token)) return;
  throw refused(
    "the mailbox opens by the link that the start of the service printed; a program sends the text of `mailbox-token`, a file in the data directory, as a bearer token",
  );
}

function refused(message: string): ApiError {
  return new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", message);
}
