import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { hasBearer } from "../http/bearer.ts";
import { isLocal } from "../http/local.ts";
import { type Env, headerOf } from "../wire/request.ts";

/**
 * Why a request is not of a browser or a program on this machine, at one of its own names. A page of another site could
 * otherwise read codes: by asking for them, or by a name that it points here.
 */
export function foreignnessOf(c: Context<Env>): "elsewhere" | "other site" | null {
  if (!isLocal(c)) return "elsewhere";
  const origin = headerOf(c, "origin");
  const site = headerOf(c, "sec-fetch-site") ?? "none";
  const isForeign = origin !== undefined && origin !== `http://${headerOf(c, "host")}`;
  return isForeign || !["same-origin", "none"].includes(site) ? "other site" : null;
}

/** Nobody else reaches the mailbox. */
export function assertLocal(c: Context<Env>) {
  const foreignness = foreignnessOf(c);
  if (foreignness === "elsewhere") {
    throw refused("the mailbox is shown only on this machine, at localhost or 127.0.0.1");
  }
  if (foreignness === "other site") {
    throw refused("the mailbox is not shown to pages of other sites; open it by its address");
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
