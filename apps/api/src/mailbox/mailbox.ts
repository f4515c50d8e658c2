import { readFileSync } from "node:fs";
import type { Courier, Shown } from "@keyhearth/courier/courier";
import { withoutLogo } from "@keyhearth/courier/mail";
import { LOGO_CID } from "@keyhearth/courier/mail-body";
import type { RenderedMail } from "@keyhearth/courier/rendered";
import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { Message, SealedMessage } from "@keyhearth/engine/messages/message";
import type { Context } from "hono";
import type { Host } from "../host/host.ts";
import { onlyReadable, routeNotFound } from "../http/routes.ts";
import { listWaitingMessages } from "../store/outbox.ts";
import type { Env } from "../wire/request.ts";
import { assertLocal, assertToken } from "./access.ts";

/**
 * Shows the messages that wait, as people would see them, where no mail server is set: to a developer, on
 * the machine that runs the service, who has the token that its start made.
 */
export type Mailbox = (c: Context<Env>) => Promise<Response>;

/** What a test or the page gets of a message. */
type MailboxMessage = {
  messageId: string;
  kind: Message["kind"];
  to: string;
  subject: string;
  text: string;
  html: string;
  code?: string;
  link?: string;
  credentialBundle?: string;
  createdAt: string;
};

/** The newest of so many are looked through, and so many shown. */
const LOOKED_THROUGH = 500;
const SHOWN = 100;
const KEPT = 1000;

/** A mail is shown without a logo that takes longer. It is there the next time. */
const LOGO_MS = 1000;

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
  { store, now }: Pick<Host, "store" | "now">,
  courier: Pick<Courier, "show" | "logos">,
  token: string,
): Mailbox {
  const files = new Map([
    ["/mailbox", read(new URL("./mailbox.html", import.meta.url), "text/html")],
    ["/mailbox/mailbox.css", read(new URL("./mailbox.css", import.meta.url), "text/css")],
    ["/mailbox/mailbox.js", read(new URL("./mailbox.js", import.meta.url), "text/javascript")],
  ]);
  const show = createShow(courier);

  return async (c) => {
    assertLocal(c);
    if (!["GET", "HEAD"].includes(c.req.method)) throw onlyReadable(c);
    const path = c.req.path.replace(/\/$/, "");
    const file = files.get(path);
    if (file) return c.body(file.text, 200, { ...headers, "Content-Type": file.type });
    if (path !== "/mailbox/messages") throw routeNotFound(c.req.path);
    assertToken(c, token);
    const waiting = await listWaitingMessages(store.db, { nowMs: now(), limit: LOOKED_THROUGH });
    const opened = waiting.flatMap((sealed) => show(sealed) ?? []);
    const to = c.req.query("to")?.toLowerCase();
    const wanted = opened.filter(
      ({ rendered }) => to === undefined || rendered.to.toLowerCase() === to,
    );
    const messages = await Promise.all(
      wanted.slice(0, SHOWN).map((each) => present(each, courier)),
    );
    return c.body(JSON.stringify(messages), 200, {
      ...headers,
      "Content-Type": "application/json; charset=utf-8",
    });
  };
}

/** Opening a message takes a millisecond, and the page asks every two seconds. */
function createShow({ show }: Pick<Courier, "show">): (sealed: SealedMessage) => Shown | null {
  const kept = new Map<string, Shown>();
  return (sealed) => {
    const found = kept.get(sealed.sealed);
    if (found) return found;
    const shown = show(sealed);
    if (!shown) return null;
    keepNewest(kept, KEPT, sealed.sealed, shown);
    return shown;
  };
}

async function present(
  { message, rendered }: Shown,
  courier: Pick<Courier, "logos">,
): Promise<MailboxMessage> {
  const { messageId, kind, createdAtMs } = message;
  const isMail = rendered.channel === "email";
  return {
    messageId,
    kind,
    to: rendered.to,
    subject: isMail ? rendered.subject : "SMS",
    text: rendered.text,
    html: isMail ? await withLogo(rendered, courier) : "",
    ...rendered.parts,
    createdAt: new Date(createdAtMs).toISOString(),
  };
}

async function withLogo(
  { html, logoUrl }: RenderedMail,
  { logos }: Pick<Courier, "logos">,
): Promise<string> {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), LOGO_MS).unref());
  const logo = logoUrl === null ? null : await Promise.race([logos.find(logoUrl), late]);
  if (!logo) return withoutLogo(html);
  return html.replaceAll(`cid:${LOGO_CID}`, `data:image/png;base64,${logo.toString("base64")}`);
}

function read(file: URL, type: string): { text: string; type: string } {
  const text = readFileSync(file, "utf8");
  return { text, type: `${type}; charset=utf-8` };
}
