import { ApiError } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { type Env, headerOf, isForwarded, socketAddressOf } from "../http/request.ts";

/**
 * Only a browser or a program on this machine, at one of its own names, reads the mailbox. A page of
 * another site could otherwise read codes: by asking for them, or by a name that it points here.
 */
export function assertLocal(c: Context<Env>) {
  const host = headerOf(c, "host") ?? "";
  const isHere = /^(::1|127\.|::ffff:127\.)/.test(socketAddressOf(c) ?? "");
  if (!isHere || isForwarded(c) || !isLocalName(host, c.env?.incoming?.socket?.localPort)) {
    throw refused("the mailbox is shown only on this machine, at localhost or 127.0.0.1");
  }
  const origin = headerOf(c, "origin");
  const site = headerOf(c, "sec-fetch-site") ?? "none";
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  if (isForeign || !["same-origin", "none"].includes(site)) {
    throw refused("the mailbox is not shown to pages of other sites; open it by its address");
  }
}

function isLocalName(host: string, port: number | undefined): boolean {
  const [, name = "", given = "80"] =
    /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return name !== "" && Number(given) === port;
}

function refused(message: string): ApiError {
  return new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", message);
}
