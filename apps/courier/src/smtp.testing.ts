import type { AddressInfo } from "node:net";
import { certificate, certificateKey } from "@keyhearth/outbound/certificate.testing";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail server that keeps what it gets. It can be told to refuse, and be stopped and started again. */
export type TestSmtp = {
  port: number;
  mails: (ParsedMail & { envelopeTo: string[]; isSecure: boolean })[];
  /** Called before a receiver is accepted. Returns the reply of a refusal. */
  refuse: (address: string) => { code: number; text: string } | null;
  stop(): Promise<void>;
};

export const smtpCa = certificate;

export async function startSmtp({
  port = 0,
  options = {},
}: {
  port?: number;
  options?: SMTPServerOptions;
} = {}): Promise<TestSmtp> {
  const smtp: TestSmtp = { port, mails: [], refuse: () => null, stop };
  const server = new SMTPServer({
    key: certificateKey,
    cert: certificate,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onRcptTo({ address }, _session, done) {
      const refused = smtp.refuse(address);
      done(refused && Object.assign(new Error(refused.text), { responseCode: refused.code }));
    },
    onData(stream, session, done) {
      simpleParser(stream).then((mail) => {
        const envelopeTo = session.envelope.rcptTo.map(({ address }) => address);
        smtp.mails.push(Object.assign(mail, { envelopeTo, isSecure: session.secure }));
        done();
      }, done);
    },
  });
  // A client that leaves in the middle of the TLS handshake.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // It listens on TCP.
  smtp.port = (server.server.address() as AddressInfo).port;
  return smtp;

  function stop() {
    return new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
