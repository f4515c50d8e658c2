import { createTransport } from "nodemailer";
import { codeOf, type Delivery, forNow, permanently } from "./delivery.ts";
import type { Logos } from "./logo.ts";
import { LOGO_CID, withoutLogo } from "./mail-body.ts";
import type { RenderedMail } from "./rendered.ts";
import type { Smtp } from "./settings.ts";
import { isMailAddress, oneLine } from "./text.ts";

export type Mailer = {
  send(messageId: string, mail: RenderedMail): Promise<Delivery>;
  close(): void;
};

export function createMailer(
  { host, port, tls, login, serverName }: Smtp,
  { logos, ca }: { logos: Logos; ca?: string },
): Mailer {
  const transport = createTransport({
    pool: true,
    maxConnections: 4,
    maxMessages: 100,
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    tls: {
      minVersion: "TLSv1.2",
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
    },
    ...(login && { auth: { user: login.user, pass: login.pass.open() } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    dnsTimeout: 5000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(messageId, mail) {
      if (!isMailAddress(mail.to)) return permanently("the address cannot be mailed");
      try {
        const logo = mail.logoUrl === null ? null : await logos.find(mail.logoUrl);
        const domain = mail.from.address.slice(mail.from.address.lastIndexOf("@") + 1);
        await transport.sendMail({
          // Of a message that is sent again, so that mail servers and people recognize it.
          messageId: `<${messageId}@${domain}>`,
          envelope: { from: mail.from.address, to: [mail.to] },
          from: { name: oneLine(mail.from.name), address: mail.from.address },
          to: { name: "", address: mail.to },
          ...(mail.replyTo !== null && { replyTo: { name: "", address: mail.replyTo } }),
          subject: oneLine(mail.subject),
          text: mail.text,
          html: logo ? mail.html : withoutLogo(mail.html),
          headers: { "Auto-Submitted": "auto-generated" },
          attachments: logo
            ? [{ filename: "logo.png", content: logo, cid: LOGO_CID, contentType: "image/png" }]
            : [],
        });
        return { outcome: "delivered" };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * A server that refuses this message will refuse it again. A refused login or connection is the
 * operator's to correct, and the message waits.
 */
function failureOf(error: unknown): Delivery {
  const status = error instanceof Error && "responseCode" in error ? error.responseCode : undefined;
  const code = codeOf(error);
  if (typeof status !== "number") return forNow(`the mail server cannot be used (${code})`);
  const isOfMessage = ["EENVELOPE", "EMESSAGE"].includes(code);
  return status >= 500 && isOfMessage
    ? permanently(`the mail server refused the message (${status})`)
    : forNow(`the mail server does not take the message now (${status})`);
}
