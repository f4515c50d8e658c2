import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { secret } from "@keyhearth/crypto/secret";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { type Message, seal } from "@keyhearth/engine/messages/message";
import { testCourier } from "@keyhearth/engine/messages.testing";
import { afterEach, expect, test } from "vitest";
import { createCourier } from "./courier.ts";
import type { Delivery } from "./delivery.ts";
import { createLogos } from "./logo.ts";
import { newMessage } from "./messages.testing.ts";
import type { CourierSettings, Smtp } from "./settings.ts";
import { smtpCa, startSmtp, type TestSmtp } from "./smtp.testing.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const settings: CourierSettings = {
  smtp: null,
  mailFrom: { name: "Acme Login", address: "login@acme.example" },
  mailFromDomains: [{ domain: "apps.example", familyId: null }],
  templates: null,
  dashboardUrl: null,
  sms: null,
};

async function smtp(...given: Parameters<typeof startSmtp>): Promise<TestSmtp> {
  const server = await startSmtp(...given);
  closers.push(() => server.stop());
  return server;
}

function courierAt(change: Partial<CourierSettings>, options: { ca?: string } = {}) {
  const courier = createCourier({
    privateKey: testCourier.privateKey,
    settings: { ...settings, ...change },
    logos: createLogos({ fetch: async () => Promise.reject(new Error("no logos here")) }),
    ...options,
  });
  closers.push(() => courier.close());
  return async (message: Message, familyId: string | null = null): Promise<Delivery> => {
    const answer = await courier.answer({
      call: "deliver",
      message: seal(testCourier.publicKey, message, familyId),
    });
    if (answer.kind !== "delivery") throw new Error(`unexpected answer ${answer.kind}`);
    return answer.delivery;
  };
}

const plain = ({ port }: TestSmtp): Smtp => ({ host: "127.0.0.1", port, tls: "off", login: null });

test("each kind of mail arrives as text and HTML, with the id of its message", async () => {
  const server = await smtp();
  const deliver = courierAt({ smtp: plain(server) });
  const messages = (["invitation", "email-login", "email-recovery", "email-code"] as const).map(
    (kind) => newMessage(kind, { style: { magicLinkTemplate: "https://app.example/in?b=%s" } }),
  );
  for (const message of messages) expect(await deliver(message)).toEqual({ outcome: "delivered" });
  expect(server.mails.map((mail) => mail.messageId)).toEqual(
    messages.map(({ messageId }) => `<${messageId}@acme.example>`),
  );
  const [invitation, login, recovery, code] = server.mails;
  expect(server.mails.map(({ subject }) => subject)).toEqual([
    "Ada invites you to join Acme",
    "Log in to Acme",
    "Recover your access to Acme",
    "Your code for Acme",
  ]);
  for (const mail of server.mails) {
    expect(mail.envelopeTo).toEqual(["grace@example.com"]);
    expect(mail.from?.text).toBe('"Acme Login" <login@acme.example>');
    expect(mail.html).toContain('<meta name="color-scheme" content="light dark">');
    expect(mail.html).toContain("prefers-color-scheme:dark");
    expect(mail.attachments).toEqual([]);
    expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
  }
  expect(invitation?.text).toContain("dG9rZW4dG9rZW4dG9rZW4");
  for (const mail of [login, recovery]) {
    expect(mail?.text).toContain("https://app.example/in?b=2Wd9bundle");
    expect(mail?.html).toContain('href="https://app.example/in?b=2Wd9bundle"');
  }
  expect(code?.text).toContain("7GK2-91ZQ");
  expect(code?.subject).not.toContain("7GK2");
});

test("the mail of an invitation leads to the dashboard, and the code is in no address", async () => {
  const server = await smtp();
  const deliver = courierAt({
    smtp: { host: "127.0.0.1", port: server.port, tls: "off", login: null },
    dashboardUrl: "https://keys.example.com/dashboard",
  });
  expect(await deliver(newMessage("invitation"))).toEqual({ outcome: "delivered" });
  const [mail] = server.mails;
  const [, link = ""] =
    /(https:\/\/keys\.example\.com\/dashboard\/invitation\?\S+)/.exec(mail?.text ?? "") ?? [];
  expect([...new URL(link).searchParams.keys()]).toEqual(["organization", "invitation", "user"]);
  expect(mail?.text).toContain("dG9rZW4dG9rZW4dG9rZW4");
  expect(link).not.toContain("dG9rZW4");
});

test("TLS is used where the server has it, and required unless the operator says otherwise", async () => {
  const implicit = await smtp({ options: { secure: true } });
  const host = "receiver.test";
  const at = (port: number, tls: Smtp["tls"]): Smtp => ({
    host: "127.0.0.1",
    port,
    tls,
    login: null,
  });
  // Nobody's system trusts the test's certificate, so a client that checks it does not send.
  const untrusted = courierAt({ smtp: at(implicit.port, "implicit") });
  expect(await untrusted(newMessage("email-code"))).toMatchObject({
    outcome: "failed",
    isPermanent: false,
  });
  const trusted = courierAt(
    { smtp: { ...at(implicit.port, "implicit"), serverName: host } },
    { ca: smtpCa },
  );
  expect(await trusted(newMessage("email-code"))).toEqual({ outcome: "delivered" });
  expect(implicit.mails[0]?.isSecure).toBe(true);

  const upgraded = await smtp();
  const starttls = courierAt(
    { smtp: { ...at(upgraded.port, "required"), serverName: host } },
    { ca: smtpCa },
  );
  expect(await starttls(newMessage("email-code"))).toEqual({ outcome: "delivered" });
  expect(upgraded.mails[0]?.isSecure).toBe(true);

  const without = await smtp({ options: { disabledCommands: ["STARTTLS"] } });
  const required = courierAt({ smtp: at(without.port, "required") });
  expect(await required(newMessage("email-code"))).toMatchObject({ isPermanent: false });
  expect(without.mails).toEqual([]);
});

test("a refused receiver is permanent, and everything else is tried again", async () => {
  const server = await smtp();
  const deliver = courierAt({ smtp: plain(server) });
  server.refuse = () => ({ code: 550, text: "no grace@example.com here" });
  expect(await deliver(newMessage("email-code"))).toEqual({
    outcome: "failed",
    isPermanent: true,
    reason: "the mail server refused the message (550)",
  });
  server.refuse = () => ({ code: 451, text: "later" });
  expect(await deliver(newMessage("email-code"))).toEqual({
    outcome: "failed",
    isPermanent: false,
    reason: "the mail server does not take the message now (451)",
  });
  await server.stop();
  expect(await deliver(newMessage("email-code"))).toMatchObject({
    outcome: "failed",
    isPermanent: false,
    reason: expect.stringMatching(/^the mail server cannot be used \([A-Z]+\)$/),
  });
});

test("a login that the mail server refuses loses no message and shows no password", async () => {
  const options = {
    authOptional: false,
    onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) =>
      done(new Error("wrong password hunter2")),
  };
  const server = await smtp({ options });
  const deliver = courierAt(
    {
      smtp: {
        ...plain(server),
        tls: "required",
        serverName: "receiver.test",
        login: { user: "keyhearth", pass: secret("hunter2") },
      },
    },
    { ca: smtpCa },
  );
  const failed = await deliver(newMessage("email-code"));
  expect(failed).toMatchObject({ outcome: "failed", isPermanent: false });
  expect(JSON.stringify(failed)).not.toContain("hunter2");
});

test("the sender of a request counts only at an allowed domain, with its name and reply address", async () => {
  const server = await smtp();
  const deliver = courierAt({ smtp: plain(server) });
  const style = { senderName: "Wallet", replyToAddress: "help@apps.example" };
  const senders = ["login@apps.example", "login@evil.example", "login@sub.apps.example", null];
  for (const senderAddress of senders) {
    await deliver(newMessage("email-code", { style: { ...style, senderAddress } }));
  }
  expect(server.mails.map(({ from, replyTo }) => [from?.text, replyTo?.text])).toEqual([
    ['"Wallet" <login@apps.example>', "help@apps.example"],
    ['"Acme Login" <login@acme.example>', undefined],
    ['"Acme Login" <login@acme.example>', undefined],
    ['"Acme Login" <login@acme.example>', undefined],
  ]);
});

test("a domain and the templates of a family are nobody else's", async () => {
  const server = await smtp();
  const [familyId, others] = [randomUUID(), randomUUID()];
  const templates = mkdtempSync(join(tmpdir(), "keyhearth-templates-"));
  closers.push(() => rmSync(templates, { recursive: true }));
  mkdirSync(join(templates, familyId));
  writeFileSync(join(templates, familyId, "welcome.html"), "<p>Of the family: {{ .OtpCode }}</p>");
  const mailFromDomains = [{ domain: "apps.example", familyId }];
  const deliver = courierAt({ smtp: plain(server), mailFromDomains, templates });
  const style = { senderAddress: "login@apps.example", templateId: "welcome" };
  for (const whose of [familyId, others, null]) {
    await deliver(newMessage("email-code", { style }), whose);
  }
  expect(server.mails.map(({ from }) => from?.value[0]?.address)).toEqual([
    "login@apps.example",
    "login@acme.example",
    "login@acme.example",
  ]);
  expect(server.mails.map(({ html }) => String(html).includes("Of the family"))).toEqual([
    true,
    false,
    false,
  ]);
});

test("a message that expired, or was sealed to another key, is not sent", async () => {
  const server = await smtp();
  const deliver = courierAt({ smtp: plain(server) });
  const late = { ...newMessage("email-code"), expiresAtMs: Date.now() - 1 };
  expect(await deliver(late)).toEqual({
    outcome: "failed",
    isPermanent: true,
    reason: "the message has expired",
  });
  const privateKey = secretBytes(generatePrivateKey("CURVE_P256"));
  const other = createCourier({ privateKey, settings });
  const message = seal(testCourier.publicKey, newMessage("email-code"), null);
  expect(await other.answer({ call: "deliver", message })).toMatchObject({
    delivery: { outcome: "failed", isPermanent: false },
  });
  expect(server.mails).toEqual([]);
});

type Received = { path: string; headers: IncomingMessage["headers"]; body: string };

async function httpServer(status: () => number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    received.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(status(), { "Content-Type": "application/json" });
    response.end(JSON.stringify({ sid: "SM1", status: "queued", message: "no", code: 21211 }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  // It listens on TCP.
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("SMS goes to the operator's webhook, at a private address too", async () => {
  let status = 200;
  const { url, received } = await httpServer(() => status);
  const deliver = courierAt({ sms: { kind: "webhook", url: secret(`${url}/sms`) } });
  const message = newMessage("sms-code", { style: { smsTemplate: "Acme says {{.OtpCode}}" } });
  expect(await deliver(message)).toEqual({ outcome: "delivered" });
  expect(received).toMatchObject([{ path: "/sms" }]);
  expect(JSON.parse(received[0]?.body ?? "")).toEqual({
    to: "+14155550100",
    text: "Acme says 7GK2-91ZQ",
    messageId: message.messageId,
  });
  status = 400;
  expect(await deliver(newMessage("sms-code"))).toMatchObject({ isPermanent: true });
  status = 503;
  expect(await deliver(newMessage("sms-code"))).toMatchObject({ isPermanent: false });
});

test("SMS goes to Twilio by its client", async () => {
  let status = 201;
  const { url, received } = await httpServer(() => status);
  const accountSid = `AC${"1".repeat(32)}`;
  const from = "+14155550199";
  const sms = {
    kind: "twilio" as const,
    accountSid,
    authToken: secret("hunter2"),
    from,
    apiUrl: url,
  };
  const deliver = courierAt({ sms });
  expect(await deliver(newMessage("sms-code"))).toEqual({ outcome: "delivered" });
  expect(received[0]?.path).toBe(`/2010-04-01/Accounts/${accountSid}/Messages.json`);
  expect(received[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from(`${accountSid}:hunter2`).toString("base64")}`,
  );
  expect(Object.fromEntries(new URLSearchParams(received[0]?.body))).toEqual({
    To: "+14155550100",
    From: from,
    Body: "Acme: your code is 7GK2-91ZQ",
  });
  status = 400;
  expect(await deliver(newMessage("sms-code"))).toEqual({
    outcome: "failed",
    isPermanent: true,
    reason: "Twilio refused the message (400)",
  });
  for (status of [401, 429, 500]) {
    const failed = await deliver(newMessage("sms-code"));
    expect(failed).toMatchObject({ isPermanent: false });
    expect(JSON.stringify(failed)).not.toContain("hunter2");
  }
});
