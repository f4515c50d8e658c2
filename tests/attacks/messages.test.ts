import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { DEFAULT_RATE_LIMITS, type RateLimits } from "@keyhearth/api/config/rate-limits";
import { createLimits } from "@keyhearth/api/host/limits";
import { createMailbox } from "@keyhearth/api/mailbox/mailbox";
import { appOf } from "@keyhearth/api/testing";
import { createCourier } from "@keyhearth/courier/courier";
import { createLogos } from "@keyhearth/courier/logo";
import { newMessage } from "@keyhearth/courier/messages.testing";
import { openMessage } from "@keyhearth/courier/open-message";
import { render } from "@keyhearth/courier/render";
import type { CourierSettings } from "@keyhearth/courier/settings";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { type Message, type SealedMessage, seal } from "@keyhearth/engine/messages/message";
import { testCourier } from "@keyhearth/engine/messages.testing";
import { openSigner } from "@keyhearth/signer/signer";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  ask,
  newChild,
  newVictim,
  perform,
  proposalFor,
  setFeature,
  signUp,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

let server: Attacked;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server.stop());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const settings: CourierSettings = {
  smtp: null,
  mailFrom: { name: "Acme", address: "login@acme.example" },
  mailFromDomains: [{ domain: "acme.example", familyId: null }],
  templates: null,
  dashboardUrl: null,
  sms: null,
};

function invitation({ people: [{ userId }] }: Victim): Ask {
  return {
    endpoint: "create_invitations",
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    parameters: {
      invitations: ["grace@example.com", "attacker@example.com"].map((receiverUserEmail) => ({
        receiverUserName: "Grace",
        receiverUserEmail,
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
      })),
    },
  };
}

describe("a host without the courier's key", () => {
  test("reads neither the receiver nor the code of a message", async () => {
    const victim = await newVictim(server);
    const { messages, ...rest } = await proposalFor(server, victim, invitation(victim));
    const opened = (messages ?? []).map((each) => openMessage(each, testCourier.privateKey));
    expect(opened.map((each) => each?.recipient)).toEqual([
      "grace@example.com",
      "attacker@example.com",
    ]);
    const seen = JSON.stringify({ messages, rest });
    for (const each of opened) {
      if (each?.kind !== "invitation") throw new Error("no invitation");
      expect(seen).not.toContain(each.content.token);
    }
    const own = secretBytes(generatePrivateKey("CURVE_P256"));
    for (const each of messages ?? []) expect(openMessage(each, own)).toBeNull();
  });

  test("sends no message to another receiver, and swaps no two of them", async () => {
    const victim = await newVictim(server);
    const { messages } = await proposalFor(server, victim, invitation(victim));
    const [one, two] = messages ?? [];
    if (!one || !two) throw new Error("a proposal without its messages");
    const attempts: SealedMessage[] = [
      { ...one, sealed: two.sealed },
      { ...two, messageId: one.messageId },
      { ...one, kind: "email-code" },
      { ...one, sealed: two.sealed.slice(0, 90) + one.sealed.slice(90) },
      { ...one, sealed: one.sealed.slice(0, -4) },
      { ...one, recipient: "attacker@example.com" } as SealedMessage,
    ];
    const mailServer = await startSmtp();
    closers.push(() => mailServer.stop());
    const { port } = mailServer;
    const smtp = { host: "127.0.0.1", port, tls: "off" as const, login: null };
    const courier = createCourier({
      privateKey: testCourier.privateKey,
      settings: { ...settings, smtp },
    });
    closers.push(courier.close);
    for (const message of attempts) await courier.answer({ call: "deliver", message });
    expect(mailServer.mails.map(({ envelopeTo }) => envelopeTo)).toEqual([["grace@example.com"]]);
  });

  test("does not prolong a message", async () => {
    const message = { ...newMessage("email-code"), expiresAtMs: Date.now() - 1 };
    const prolonged = {
      ...seal(testCourier.publicKey, message, null),
      expiresAtMs: Date.now() + 1_000_000,
    };
    const courier = createCourier({ privateKey: testCourier.privateKey, settings });
    expect(await courier.answer({ call: "deliver", message: prolonged })).toEqual({
      kind: "delivery",
      delivery: { outcome: "failed", isPermanent: true, reason: "the message has expired" },
    });
  });

  test("does not get the signer to trust its own courier", async () => {
    const directory = mkdtempSync(join(tmpdir(), "keyhearth-messages-"));
    closers.push(() => rmSync(directory, { recursive: true, force: true }));
    const own = uncompressedPublicKey(
      "CURVE_P256",
      publicKeyOf("CURVE_P256", generatePrivateKey("CURVE_P256")),
    );
    const courierKey = encodeHex(own);
    const answer = server.signer.handle({ call: "describe", courierKey });
    expect(answer).toMatchObject({
      kind: "error",
      error: {
        reason: "REQUEST_NOT_AUTHORIZED",
        message: expect.stringContaining(`trust-courier ${courierKey}`),
      },
    });
    expect(server.events.at(-1)).toMatchObject({ event: "refused", call: "describe" });
    server.signer.restart();
    const described = server.signer.handle({ call: "describe" });
    expect(described).toMatchObject({ courierPublicKey: encodeHex(testCourier.publicKey) });

    // Nor one from before messages were sealed, once it has been in use.
    const log = () => {};
    const used = openSigner({ stateDirectory: directory, mayCreate: true, log });
    rmSync(join(directory, "new-installation"));
    used.close();
    const again = openSigner({ stateDirectory: directory, mayCreate: false, log });
    expect(again.handle({ call: "describe", courierKey })).toMatchObject({ kind: "error" });
    expect(again.handle({ call: "describe" })).toMatchObject({ courierPublicKey: null });
    again.close();
  });
});

describe("an application that chooses the style of a message", () => {
  async function mailOf(message: Message) {
    const mailServer = await startSmtp();
    const { port } = mailServer;
    const smtp = { host: "127.0.0.1", port, tls: "off" as const, login: null };
    const courier = createCourier({
      privateKey: testCourier.privateKey,
      settings: { ...settings, smtp },
    });
    const sealed = seal(testCourier.publicKey, message, null);
    const answer = await courier.answer({ call: "deliver", message: sealed });
    courier.close();
    await mailServer.stop();
    return { answer, mails: mailServer.mails };
  }

  const injection = "Acme\r\nBcc: attacker@example.com\r\n\r\n<script>alert(1)</script>";

  test("adds no header, receiver or body to a mail", async () => {
    const style = {
      appName: injection,
      senderAddress: "login@acme.example",
      senderName: `${injection}" <evil@example.com>`,
      replyToAddress: "help@acme.example\r\nBcc: attacker@example.com",
    };
    const content = { organizationName: injection, userName: injection };
    for (const kind of ["email-code", "email-login"] as const) {
      const { mails } = await mailOf(newMessage(kind, { style, content }));
      const [mail] = mails;
      expect(mail?.envelopeTo).toEqual(["grace@example.com"]);
      expect(mail?.headers.has("bcc")).toBe(false);
      expect(mail?.from?.value.map(({ address }) => address)).toEqual(["login@acme.example"]);
      expect(mail?.replyTo).toBeUndefined();
      expect(mail?.subject).not.toMatch(/[\r\n]/);
      expect(mail?.html).not.toContain("<script>");
    }
    for (const recipient of [
      "grace@example.com, attacker@example.com",
      "grace@example.com\r\nRCPT TO:<attacker@example.com>",
      "Grace <grace@example.com>",
      '"a b"@example.com',
    ]) {
      const { answer, mails } = await mailOf(newMessage("email-code", { recipient }));
      expect(answer).toMatchObject({ delivery: { outcome: "failed", isPermanent: true } });
      expect(mails).toEqual([]);
    }
  });

  test("brings no HTML and no script into a mail", () => {
    const html = `"><img src=x onerror=alert(1)><a href='javascript:alert(1)'>`;
    const style = {
      appName: html,
      magicLinkTemplate: `https://app.example/"onmouseover="alert(1)?b=%s&c=<b>`,
    };
    const content = { organizationName: html, userName: html, credentialBundle: html };
    const invited = { organizationName: html, receiverUserName: html, senderUserName: html };
    for (const message of [
      newMessage("email-login", { style, content }),
      newMessage("email-recovery", { style: { appName: html }, content }),
      newMessage("email-code", { style, content: { organizationName: html, code: html } }),
      newMessage("invitation", { content: invited }),
    ]) {
      const rendered = render({ ...message, familyId: null }, settings);
      if (rendered.channel !== "email") throw new Error("no mail");
      expect(rendered.html).not.toMatch(/<img src=x|<b>|"onmouseover|href='javascript/);
    }
    for (const scheme of ["javascript:alert(1)//%s", "data:text/html,%s", " JavaScript:%s"]) {
      const message = newMessage("email-login", { style: { magicLinkTemplate: scheme } });
      const rendered = render({ ...message, familyId: null }, settings);
      expect(rendered.parts.link).toBeUndefined();
    }
  });

  test("reads no other part of a message through its templates", () => {
    const smsTemplate = '{{.OtpCode}} $& $1 {{.Token}} {{ index .TemplateVariables "x" }}';
    const message = newMessage("sms-code", { style: { smsTemplate }, content: { code: "$&$`" } });
    expect(render({ ...message, familyId: null }, settings)).toMatchObject({
      text: '$&$` $& $1 {{.Token}} {{ index .TemplateVariables "x" }}',
    });
    for (const templateId of ["../../etc/passwd", "..", "a/b", "x".repeat(100), "unknown"]) {
      const style = { templateId, templateVariables: { x: "{{ .OtpCode }}" } };
      const message = { ...newMessage("email-code", { style }), familyId: null };
      const rendered = render(message, {
        ...settings,
        templates: import.meta.dirname,
      });
      expect(rendered).toMatchObject({ html: expect.stringContaining("Your code for Acme") });
    }
  });

  test("gets no logo that is oversized, no PNG, a bomb, or at a private address", async () => {
    const drawing = { create: { width: 4, height: 4, channels: 3 as const, background: "red" } };
    const png = await sharp(drawing).png().toBuffer();
    const jpeg = await sharp(drawing).jpeg().toBuffer();
    const huge = { create: { width: 8000, height: 8000, channels: 3 as const, background: "red" } };
    const bomb = await sharp(huge).png({ compressionLevel: 9 }).toBuffer();
    const logoOf = (bytes: Uint8Array) =>
      createLogos({ fetch: async () => bytes }).find("https://example.com/logo.png");
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>");
    expect(await logoOf(png)).not.toBeNull();
    expect(bomb.length).toBeLessThan(1024 * 1024);
    for (const refused of [
      jpeg,
      svg,
      bomb,
      Buffer.concat([png.subarray(0, 8), svg]),
      png.subarray(0, 40),
      Buffer.concat([png, Buffer.alloc(1024 * 1024)]),
      Buffer.alloc(0),
    ]) {
      expect(await logoOf(refused)).toBeNull();
    }
    const wide = await sharp({ create: { ...drawing.create, width: 2000, height: 1000 } })
      .png()
      .toBuffer();
    const { width, height } = await sharp((await logoOf(wide)) ?? undefined).metadata();
    expect([width, height]).toEqual([248, 124]);

    let asked = 0;
    const inside = createServer((_, response) => {
      asked += 1;
      response.end(png);
    });
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    closers.push(() => inside.close());
    // It listens on TCP.
    const { port } = inside.address() as AddressInfo;
    const logos = createLogos();
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254"]) {
      expect(await logos.find(`http://${host}:${port}/logo.png`)).toBeNull();
    }
    expect(asked).toBe(0);
  });
});

const TOKEN = "the-token-of-a-start";

describe("an end user who sends to many contacts", () => {
  const channels = [
    { otpType: "OTP_TYPE_EMAIL", feature: "FEATURE_NAME_OTP_EMAIL_AUTH", own: 50, most: 500 },
    { otpType: "OTP_TYPE_SMS", feature: "FEATURE_NAME_SMS_AUTH", own: 10, most: 100 },
  ];

  test.each(channels)(
    "uses up no codes of the application, and few of other end users: $otpType",
    async ({ otpType, feature, own, most }) => {
      const nowMs = Date.now();
      server.host.now = () => nowMs;
      server.host.limits = createLimits(null);
      closers.push(() => {
        server.host.now = Date.now;
        server.host.limits = createLimits(null);
      });
      const parent = await newVictim(server);
      const attacker = await newChild(server, parent);
      const other = await newChild(server, parent);
      for (const sender of [parent, attacker, other]) {
        await perform(server, sender, setFeature(feature));
      }
      server.host.limits = createLimits({
        ...DEFAULT_RATE_LIMITS,
        address: null,
        credential: null,
      });
      let sent = 0;
      const code = (): Ask => {
        sent += 1;
        const contact =
          otpType === "OTP_TYPE_SMS" ? `+4915112${String(10_000 + sent)}` : `to${sent}@example.com`;
        const type = "ACTIVITY_TYPE_INIT_OTP_V2";
        return { endpoint: "init_otp", type, parameters: { otpType, contact, appName: "Acme" } };
      };

      const replies = [];
      for (let i = 0; i < most + 10; i++) replies.push(await ask(server, attacker, code()));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(own);
      expect(replies.at(-1)).toMatchObject({
        status: 429,
        reason: "RATE_LIMITED",
        message: expect.stringContaining("of the users of this sub-organization: at most"),
      });

      await perform(server, parent, code());
      await perform(server, other, code());
      // With a key of the parent, the application sends a code for the attacker's sub-organization too.
      const of = { organizationId: attacker.organizationId, people: parent.people };
      await perform(server, of, code());
    },
  );
});

describe("strangers who sign up with several families", () => {
  const channels = [
    { otpType: "OTP_TYPE_EMAIL", feature: "FEATURE_NAME_OTP_EMAIL_AUTH" },
    { otpType: "OTP_TYPE_SMS", feature: "FEATURE_NAME_SMS_AUTH" },
  ];
  let sent = 0;

  async function allowCodes(senders: Victim[]) {
    for (const sender of senders) {
      for (const { feature } of channels) {
        await perform(server, sender, setFeature(feature));
      }
    }
  }

  /** Time stands still, so that nothing is earned again while a test sends. */
  function limit(config: Partial<RateLimits> = {}) {
    const nowMs = Date.now();
    server.host.now = () => nowMs;
    const limits = { ...DEFAULT_RATE_LIMITS, address: null, credential: null, ...config };
    server.host.limits = createLimits(limits);
    closers.push(() => {
      server.host.now = Date.now;
      server.host.limits = createLimits(null);
    });
  }

  function code(otpType: string, to?: string): Ask {
    sent += 1;
    const contact =
      to ?? (otpType === "OTP_TYPE_SMS" ? `+4915113${10_000 + sent}` : `of${sent}@example.com`);
    const parameters = { otpType, contact, appName: "Acme" };
    return { endpoint: "init_otp", type: "ACTIVITY_TYPE_INIT_OTP_V2", parameters };
  }

  /** How many of these are sent, and how the last one is refused. */
  async function flood(senders: Victim[], each: number, newCode: () => Ask) {
    let count = 0;
    let refusal: unknown = null;
    for (let i = 0; i < each; i++) {
      for (const sender of senders) {
        const reply = await ask(server, sender, newCode());
        if (reply.status === 200) count += 1;
        else refusal = reply;
      }
    }
    return { count, refusal };
  }

  const most = { most: 60, withinMs: 600_000 };
  const totals = { totalEmail: most, totalSms: most };

  test.each(channels)(
    "use up half of what all may send, and nothing that the operator's organizations need: $otpType",
    async ({ otpType }) => {
      const own = [await newVictim(server), await newVictim(server)];
      const strangers = [];
      for (let i = 0; i < 10; i++) strangers.push(await signUp(server, `203.0.113.${i}`));
      await allowCodes([...own, ...strangers]);
      limit(totals);
      expect(await flood(strangers, 8, () => code(otpType))).toMatchObject({
        count: 30,
        refusal: {
          status: 429,
          reason: "RATE_LIMITED",
          message: expect.stringContaining("of all organizations that signed up: at most 30 in"),
        },
      });
      expect(await flood(own, 15, () => code(otpType))).toEqual({ count: 30, refusal: null });
    },
  );

  test("send a part of it from one address, and of an IPv6 site from all of its networks", async () => {
    const ofOne = [];
    for (let i = 0; i < 10; i++) ofOne.push(await signUp(server, "203.0.113.77"));
    const ofSite = [];
    for (let i = 0; i < 10; i++) ofSite.push(await signUp(server, `2001:db8:7:${i}::1`));
    const other = await signUp(server, "203.0.113.78");
    await allowCodes([...ofOne, ...ofSite, other]);
    limit(totals);
    const sms = () => code("OTP_TYPE_SMS");
    expect(await flood(ofOne, 3, sms)).toMatchObject({
      count: 6,
      refusal: { message: expect.stringContaining("signed up from one network: at most 6 in") },
    });
    expect(await flood(ofSite, 3, sms)).toMatchObject({
      count: 15,
      refusal: { message: expect.stringContaining("signed up from one IPv6 site: at most 15 in") },
    });
    await perform(server, other, sms());
  });

  test.each(channels)(
    "keep no receiver from the codes of the operator's organizations: $otpType",
    async ({ otpType }) => {
      const receiver = otpType === "OTP_TYPE_SMS" ? "+4915199887766" : "grace@example.org";
      const own = await newVictim(server);
      const strangers = [];
      for (let i = 0; i < 20; i++) strangers.push(await signUp(server, `198.51.100.${i}`));
      await allowCodes([own, ...strangers]);
      limit();
      // The receiver is protected from them all the same.
      const codes = () => code(otpType, receiver);
      expect(await flood(strangers, 2, codes)).toMatchObject({ count: 15 });
      expect(await flood([own], 3, codes)).toEqual({ count: 3, refusal: null });
    },
  );

  test("send a receiver no more from one address, however many of them there are", async () => {
    const strangers = [];
    for (let i = 0; i < 10; i++) strangers.push(await signUp(server, "192.0.2.7"));
    const other = await signUp(server, "192.0.2.8");
    await allowCodes([...strangers, other]);
    limit();
    const codes = () => code("OTP_TYPE_EMAIL", "hedy@example.org");
    expect(await flood(strangers, 3, codes)).toMatchObject({ count: 7 });
    await perform(server, other, codes());
  });

  test("or families of the operator keep no receiver from the first code of another family", async () => {
    const others = [];
    for (let i = 0; i < 10; i++) others.push(await newVictim(server));
    const own = await newVictim(server);
    await allowCodes([...others, own]);
    limit();
    const codes = () => code("OTP_TYPE_EMAIL", "lise@example.org");
    expect(await flood(others, 3, codes)).toEqual({ count: 30, refusal: null });
    await perform(server, own, codes());
    expect(await ask(server, own, codes())).toMatchObject({ status: 429 });
  });
});

describe("a page of another site", () => {
  async function startMailbox(): Promise<number> {
    const courier = createCourier({ privateKey: testCourier.privateKey, settings });
    const app = appOf(server.host, { mailbox: createMailbox(server.host, courier, TOKEN) });
    const listener = createServer(getRequestListener(app.fetch));
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    closers.push(() => listener.close());
    // It listens on TCP.
    return (listener.address() as AddressInfo).port;
  }

  function ask(port: number, headers: Record<string, string>, path = "/mailbox/messages") {
    return new Promise<{ status: number; cors: unknown }>((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path, headers };
      request(options, (response) => {
        response.resume();
        const cors = response.headers["access-control-allow-origin"];
        resolve({ status: response.statusCode ?? 0, cors });
      })
        .on("error", reject)
        .end();
    });
  }

  test("reads nothing in the mailbox, by whatever name it reaches this machine", async () => {
    const port = await startMailbox();
    // Not even if it has the token.
    const Authorization = `Bearer ${TOKEN}`;
    const own = { Authorization, Host: `localhost:${port}` };
    for (const Host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { Authorization, Host };
      expect(await ask(port, headers)).toEqual({ status: 200, cors: undefined });
    }
    const same = { ...own, Origin: `http://localhost:${port}`, "Sec-Fetch-Site": "same-origin" };
    expect(await ask(port, same)).toMatchObject({ status: 200 });
    for (const headers of [
      { Host: "attacker.example" },
      { Host: `attacker.example:${port}` },
      { Host: `localhost.attacker.example:${port}` },
      { Host: `127.0.0.1.attacker.example:${port}` },
      { Host: "localhost" },
      { Host: `localhost:${port + 1}` },
      { ...own, Origin: "http://attacker.example" },
      { ...own, Origin: "null" },
      { ...own, Origin: `http://localhost:${port + 1}` },
      { ...own, "Sec-Fetch-Site": "cross-site" },
      { ...own, "Sec-Fetch-Site": "same-site" },
      { ...own, "X-Forwarded-For": "203.0.113.7" },
      { ...own, "X-Forwarded-Proto": "https" },
      { ...own, Forwarded: "proto=https" },
      { ...own, Via: "1.1 proxy" },
      { ...own, "X-Real-IP": "127.0.0.1" },
    ]) {
      for (const path of ["/mailbox", "/mailbox/messages", "/mailbox/mailbox.js"]) {
        expect(await ask(port, headers, path), JSON.stringify(headers)).toMatchObject({
          status: 403,
        });
      }
    }
  });

  test("reads nothing in the mailbox through a proxy that shows no sign of itself, without the token", async () => {
    const port = await startMailbox();
    // As a bare `proxy_pass` or a TCP forwarder asks.
    const Host = `127.0.0.1:${port}`;
    const guesses: Record<string, string>[] = [
      {},
      { Authorization: "Bearer " },
      { Authorization: `Bearer ${TOKEN.slice(0, -1)}` },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: TOKEN },
      { Cookie: `token=${TOKEN}` },
    ];
    for (const headers of guesses) {
      for (const query of ["", `?token=${TOKEN}`, `?to=ada@example.com&access_token=${TOKEN}`]) {
        const answer = await ask(port, { Host, ...headers }, `/mailbox/messages${query}`);
        expect([headers, query, answer.status]).toEqual([headers, query, 403]);
      }
    }
    expect((await ask(port, { Host, Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });
});
