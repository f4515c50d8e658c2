/** A message as its receiver sees it. */
export type Rendered = RenderedMail | RenderedSms;

export type RenderedMail = {
  channel: "email";
  to: string;
  from: { name: string; address: string };
  replyTo: string | null;
  subject: string;
  text: string;
  /** Shows the logo, if there is one, at `cid:logo`. */
  html: string;
  logoUrl: string | null;
  /** The parts that a test or the mailbox's copy button wants alone. */
  parts: Parts;
};

export type RenderedSms = { channel: "sms"; to: string; text: string; parts: Parts };

export type Parts = { code?: string; link?: string; credentialBundle?: string };
