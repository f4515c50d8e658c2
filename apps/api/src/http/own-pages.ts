import { isIP } from "node:net";
import { ApiError, shorten } from "@keyhearth/engine/errors";
import type { Context } from "hono";
import { type Env, headerOf } from "../wire/request.ts";

/**
 * Only pages of this site may send. A browser says which page a request is from. The site's address is
 * the public one, or the address that was asked if that is an IP address or localhost: another name
 * may be one that a stranger pointed here. `rule` begins the refusal.
 */
export function assertFromOwnPage(c: Context<Env>, publicUrl: string, rule: string) {
  const origin = headerOf(c, "origin");
  if (origin === undefined) {
    throw refused(
      rule,
      "`Origin` is missing; browsers send it, and other programs name the site's address",
    );
  }
  const site = headerOf(c, "sec-fetch-site") ?? "same-origin";
  const host = headerOf(c, "host") ?? "";
  const isOwn =
    origin === publicUrl ||
    (isFixedName(host) && (origin === `http://${host}` || origin === `https://${host}`));
  if (isOwn && site === "same-origin") return;
  throw refused(
    rule,
    `\`Origin\` is \`${shorten(origin)}\`; if this is the address of the site, its operator sets KEYHEARTH_PUBLIC_URL to it`,
  );
}

/** Whether nobody can point the name in a Host header at another machine. */
function isFixedName(host: string): boolean {
  const [, six, name = ""] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return six !== undefined
    ? isIP(six) === 6
    : isIP(name) === 4 || name.toLowerCase() === "localhost";
}

function refused(rule: string, message: string): ApiError {
  return new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", `${rule}: ${message}`);
}
