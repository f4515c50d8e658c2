import { readFileSync } from "node:fs";
import type { Courier } from "@keyhearth/courier/courier";
import type { Context } from "hono";
import type { Host } from "../host/host.ts";
import { onlyReadable, routeNotFound } from "../http/routes.ts";
import type { Env } from "../wire/request.ts";
import { assertLocal, assertToken } from "./access.ts";
import { createMessages } from "./messages.ts";

/**
 * Shows the messages that wait, as people would see them, where no mail server is set: to a developer, on
 * the machine that runs the service, who has the token that its start made.
 */
export type Mailbox = (c: Context<Env>) => Promise<Response>;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The mails in the frames have their styles in the markup.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": policy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

export function createMailbox(
  host: Pick<Host, "store" | "now">,
  courier: Pick<Courier, "show" | "logos">,
  token: string,
): Mailbox {
  const files = new Map([
    ["/mailbox", read(new URL("./mailbox.html", import.meta.url), "text/html")],
    ["/mailbox/mailbox.css", read(new URL("./mailbox.css", import.meta.url), "text/css")],
    ["/mailbox/mailbox.js", read(new URL("./mailbox.js", import.meta.url), "text/javascript")],
  ]);
  const listMessages = createMessages(host, courier);

  return async (c) => {
    assertLocal(c);
    if (!["GET", "HEAD"].includes(c.req.method)) throw onlyReadable(c);
    const path = c.req.path.replace(/\/$/, "");
    const file = files.get(path);
    if (file) return c.body(file.text, 200, { ...headers, "Content-Type": file.type });
    if (path !== "/mailbox/messages") throw routeNotFound(c.req.path);
    assertToken(c, token);
    return c.body(JSON.stringify(await listMessages(c.req.query("to"))), 200, {
      ...headers,
      "Content-Type": "application/json; charset=utf-8",
    });
  };
}

function read(file: URL, type: string): { text: string; type: string } {
  const text = readFileSync(file, "utf8");
  return { text, type: `${type}; charset=utf-8` };
}
