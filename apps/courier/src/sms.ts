import { guardedRequest } from "@keyhearth/outbound/guarded-request";
import { OutboundError } from "@keyhearth/outbound/outbound-error";
import { codeOf, type Delivery, forNow, permanently } from "./delivery.ts";
import type { RenderedSms } from "./rendered.ts";
import type { Sms } from "./settings.ts";
import { isPhoneNumber } from "./text.ts";

export type Texter = { send(messageId: string, sms: RenderedSms): Promise<Delivery> };

export function createTexter(sms: Sms): Texter {
  const send = sms.kind === "twilio" ? createTwilio(sms) : createWebhook(sms);
  return {
    send: async (messageId, message) =>
      isPhoneNumber(message.to)
        ? send(messageId, message)
        : permanently("the phone number cannot be sent to"),
  };
}

type Send = Texter["send"];

function createTwilio({
  accountSid,
  authToken,
  from,
  apiUrl,
}: Extract<Sms, { kind: "twilio" }>): Send {
  // The package is large, so it is loaded when the first message is sent.
  const opened = once(async () => {
    const { default: twilio } = await import("twilio");
    const client = twilio(accountSid, authToken.open(), { timeout: 15_000, autoRetry: false });
    if (apiUrl !== undefined) client.api.baseUrl = apiUrl;
    return client;
  });
  const sender = from.startsWith("MG") ? { messagingServiceSid: from } : { from };
  return async (_messageId, { to, text }) => {
    try {
      const client = await opened();
      await client.messages.create({ to, body: text, ...sender });
      return { outcome: "delivered" };
    } catch (error) {
      const status = error instanceof Error && "status" in error ? error.status : undefined;
      if (typeof status !== "number") return forNow(`Twilio cannot be reached (${codeOf(error)})`);
      return status === 400
        ? permanently(`Twilio refused the message (${status})`)
        : forNow(`Twilio does not take the message now (${status})`);
    }
  };
}

function createWebhook(sms: Extract<Sms, { kind: "webhook" }>): Send {
  const url = sms.url.open();
  // The operator chose the address, so it may be a private one.
  const { hostname, port, protocol } = new URL(url);
  const allowPrivate = [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`];
  return async (messageId, { to, text }) => {
    try {
      const { status } = await guardedRequest(url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ to, text, messageId }),
        maxBytes: 64 * 1024,
        isCut: true,
        timeoutMs: 15_000,
        allowPrivate,
      });
      if (status >= 200 && status < 300) return { outcome: "delivered" };
      return status === 400 || status === 422
        ? permanently(`the SMS webhook refused the message (${status})`)
        : forNow(`the SMS webhook does not take the message now (${status})`);
    } catch (error) {
      const why = error instanceof OutboundError ? error.failure : "unknown reason";
      return forNow(`the SMS webhook cannot be reached (${why})`);
    }
  };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
