import { parseUrl } from "@keyhearth/crypto/encoding/url";
import type {
  CodeMessage,
  CredentialMail,
  InvitationMail,
  MessageStyle,
  OpenedMessage,
} from "@keyhearth/engine/messages/message";
import { type MailBody, mailHtml, mailText } from "./mail-body.ts";
import type { Parts, Rendered, RenderedMail, RenderedSms } from "./rendered.ts";
import type { CourierSettings } from "./settings.ts";
import { fillTemplate, readTemplate } from "./templates.ts";
import { isMailAddress, oneLine } from "./text.ts";

type Sending = Pick<CourierSettings, "mailFrom" | "mailFromDomains" | "templates" | "dashboardUrl">;

/** Writes the message. Nothing in it is trusted: whatever applications chose is text. */
export function render(message: OpenedMessage, sending: Sending): Rendered {
  const { kind, content } = message;
  switch (kind) {
    case "invitation":
      return renderInvitation(message, content, sending);
    case "email-login":
      return renderCredential(message, content, sending, LOGIN);
    case "email-recovery":
      return renderCredential(message, content, sending, RECOVERY);
    case "email-code":
      return renderCode(message, content, sending);
    case "sms-code":
      return renderSms(message, content);
  }
}

function renderInvitation(
  message: OpenedMessage,
  { organizationName, senderUserName, receiverUserName, token, ...ids }: InvitationMail,
  sending: Sending,
): RenderedMail {
  const { dashboardUrl } = sending;
  const place =
    dashboardUrl === null
      ? "enter this invitation code where you were told to sign up"
      : "open the page below and enter this invitation code there";
  const body: MailBody = {
    heading: `Join ${organizationName}`,
    hasLogo: false,
    paragraphs: [
      `Hello ${receiverUserName},`,
      `${senderUserName} invites you to join ${organizationName}. To accept, ${place}.`,
    ],
    code: token,
    ...(dashboardUrl !== null && {
      link: { text: "Accept the invitation", url: acceptanceOf(dashboardUrl, ids) },
    }),
    details: [
      ["Organization id", ids.organizationId],
      ["Invitation id", ids.invitationId],
      ["Your user id", ids.userId],
    ],
    footer: [
      `The code works once, until ${endOf(message)}.`,
      "Anyone who has the code can accept in your place, so give it to nobody. If you did not expect the invitation, ignore this mail.",
    ],
  };
  const subject = `${senderUserName} invites you to join ${organizationName}`;
  return mail(message, { body, subject, sending, style: null, parts: { code: token } });
}

/** The ids are not secret. The code is, so it is never in an address, which histories and logs keep. */
function acceptanceOf(
  dashboardUrl: string,
  ids: Pick<InvitationMail, "organizationId" | "invitationId" | "userId">,
): string {
  const { organizationId: organization, invitationId: invitation, userId: user } = ids;
  return `${dashboardUrl}/invitation?${new URLSearchParams({ organization, invitation, user })}`;
}

/** The name of the application comes after the heading, and the time at which the key ends after `works`. */
type Wording = { heading: string; purpose: string; button: string; works: string; warning: string };

const LOGIN: Wording = {
  heading: "Log in to",
  purpose: "log in",
  button: "Log in",
  works: "works until",
  warning: "If you did not ask to log in, ignore this mail.",
};

const RECOVERY: Wording = {
  heading: "Recover your access to",
  purpose: "recover your access",
  button: "Recover access",
  works: "works once, until",
  warning:
    "If you did not ask to recover your access, ignore this mail and tell the people who run the application.",
};

function renderCredential(
  message: OpenedMessage,
  { userName, credentialBundle, style, ...content }: CredentialMail,
  sending: Sending,
  { heading, purpose, button, works, warning }: Wording,
): RenderedMail {
  const app = style.appName || content.organizationName;
  const link = linkOf(style.magicLinkTemplate, credentialBundle);
  const body: MailBody = {
    heading: `${heading} ${app}`,
    hasLogo: style.logoUrl !== null,
    paragraphs: [
      `Hello ${userName},`,
      link === null
        ? `To ${purpose}, copy this code and paste it into ${app}.`
        : `To ${purpose}, open this link in the browser where you asked for it.`,
    ],
    ...(link === null ? { block: credentialBundle } : { link: { text: button, url: link } }),
    footer: [`The ${link === null ? "code" : "link"} ${works} ${endOf(message)}.`, warning],
  };
  const parts = { credentialBundle, ...(link !== null && { link }) };
  return mail(message, { body, subject: `${heading} ${app}`, sending, style, parts });
}

function renderCode(
  message: OpenedMessage,
  { organizationName, code, style }: CodeMessage,
  sending: Sending,
): RenderedMail {
  const app = style.appName || organizationName;
  const link = linkOf(style.magicLinkTemplate, code);
  const body: MailBody = {
    heading: `Your code for ${app}`,
    hasLogo: style.logoUrl !== null,
    paragraphs: [
      link === null
        ? "Enter this code where you were asked for it."
        : "Enter this code where you were asked for it, or open the link.",
    ],
    code,
    footer: [
      `The code works once, until ${endOf(message)}.`,
      "Give it to nobody. The people who run the application never ask for it. If you did not ask for a code, ignore this mail.",
    ],
  };
  const parts = { code, ...(link !== null && { link }) };
  if (link !== null) body.link = { text: "Continue", url: link };
  // The code is not in the subject, which a locked screen shows.
  return mail(message, { body, subject: `Your code for ${app}`, sending, style, parts });
}

function renderSms(
  { recipient }: OpenedMessage,
  { organizationName, code, style }: CodeMessage,
): RenderedSms {
  const placeholder = /\{\{\s*\.OtpCode\s*\}\}/g;
  const given = style.smsTemplate ?? "";
  const template = given.search(placeholder) < 0 ? null : given;
  const text =
    template === null
      ? `${style.appName || organizationName}: your code is ${code}`
      : template.replace(placeholder, () => code);
  return { channel: "sms", to: recipient, text: oneLine(text, 1000), parts: { code } };
}

function mail(
  { recipient, familyId }: OpenedMessage,
  {
    body,
    subject,
    sending,
    style,
    parts,
  }: {
    body: MailBody;
    subject: string;
    sending: Sending;
    style: MessageStyle | null;
    parts: Parts;
  },
): RenderedMail {
  const template = readTemplate(sending.templates, { id: style?.templateId ?? null, familyId });
  const html = template ? fillTemplate(template, { parts, style }) : mailHtml(body);
  return {
    channel: "email",
    to: recipient,
    ...senderOf(style, sending, familyId),
    subject: oneLine(subject),
    text: mailText(body),
    html,
    logoUrl: style?.logoUrl ?? null,
    parts,
  };
}

/** Sender, its name and the reply address count together, and only at a domain that the operator allows this family. */
function senderOf(
  style: MessageStyle | null,
  { mailFrom, mailFromDomains }: Sending,
  familyId: string | null,
): Pick<RenderedMail, "from" | "replyTo"> {
  const address = style?.senderAddress ?? "";
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  const isAllowed = mailFromDomains.some(
    (each) => each.domain === domain && (each.familyId === null || each.familyId === familyId),
  );
  if (!style || !isMailAddress(address) || !isAllowed) {
    return { from: mailFrom, replyTo: null };
  }
  const replyTo = style.replyToAddress ?? "";
  return {
    from: { name: oneLine(style.senderName || "Notifications"), address },
    replyTo: isMailAddress(replyTo) ? replyTo : null,
  };
}

/** Schemes that run something instead of opening a page or an app. */
const DANGEROUS = /^(javascript|data|vbscript|file|blob|about):/i;

/** Null if there is no template, or if it makes no link that a mail may show. */
function linkOf(template: string | null, bundle: string): string | null {
  if (!template?.includes("%s")) return null;
  const url = parseUrl(template.replaceAll("%s", () => encodeURIComponent(bundle)));
  return url && !DANGEROUS.test(url.protocol) ? url.href : null;
}

/** Where the reader lives is not known, so the time is that of UTC. */
function endOf({ expiresAtMs }: OpenedMessage): string {
  const [day = "", time = ""] = new Date(expiresAtMs).toISOString().split("T");
  return `${day} ${time.slice(0, 5)} UTC`;
}
