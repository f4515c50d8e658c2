import type { Courier, Shown } from "@keyhearth/courier/courier";
import { LOGO_CID, withoutLogo } from "@keyhearth/courier/mail-body";
import type { RenderedMail } from "@keyhearth/courier/rendered";
import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { Message, SealedMessage } from "@keyhearth/engine/messages/message";
import type { Host } from "../host/host.ts";
import { listWaitingMessages } from "../store/outbox.ts";

/** What a test or the page gets of a message. */
export type MailboxMessage = {
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

/** The messages that wait, the newest first, as people would see them: all, or those to one address or number. */
export type ListMessages = (to?: string) => Promise<MailboxMessage[]>;

export function createMessages(
  { store, now }: Pick<Host, "store" | "now">,
  courier: Pick<Courier, "show" | "logos">,
): ListMessages {
  const show = createShow(courier);
  return async (to) => {
    const waiting = await listWaitingMessages(store.db, { nowMs: now(), limit: LOOKED_THROUGH });
    const opened = waiting.flatMap((sealed) => show(sealed) ?? []);
    const receiver = to?.toLowerCase();
    const wanted = opened.filter(
      ({ rendered }) => receiver === undefined || rendered.to.toLowerCase() === receiver,
    );
    return Promise.all(wanted.slice(0, SHOWN).map((each) => present(each, courier)));
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
