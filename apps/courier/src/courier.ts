import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Message, SealedMessage } from "@keyhearth/engine/messages/message";
import { type Delivery, forNow, permanently } from "./delivery.ts";
import { courierPublicKeyOf } from "./key-file.ts";
import { createLogos, type Logos } from "./logo.ts";
import { createMailer } from "./mail.ts";
import { openMessage } from "./open-message.ts";
import type { Answer, Channel, Request } from "./protocol.ts";
import { render } from "./render.ts";
import type { Rendered } from "./rendered.ts";
import type { CourierSettings } from "./settings.ts";
import { createTexter } from "./sms.ts";

export type CourierOptions = {
  privateKey: SecretBytes;
  settings: CourierSettings;
  now?: () => number;
  logos?: Logos;
  /** Certificates to trust for the mail server in place of the system's. */
  ca?: string;
};

export type Courier = {
  answer(request: Request): Promise<Answer>;
  /** The message as its receiver sees it, for the mailbox of a developer. Null if it does not open. */
  show(sealed: SealedMessage): Shown | null;
  logos: Logos;
  close(): void;
};

export type Shown = { message: Message; rendered: Rendered };

/** Opens messages that the core sealed, renders and sends them. */
export function createCourier({
  privateKey,
  settings,
  now = Date.now,
  logos = createLogos(),
  ca,
}: CourierOptions): Courier {
  const mailer = settings.smtp && createMailer(settings.smtp, { logos, ca });
  const texter = settings.sms && createTexter(settings.sms);
  const publicKey = courierPublicKeyOf(privateKey);
  const channels: Channel[] = [
    ...(mailer ? (["email"] as const) : []),
    ...(texter ? (["sms"] as const) : []),
  ];

  function show(sealed: SealedMessage): Shown | null {
    const message = openMessage(sealed, privateKey);
    return message && { message, rendered: render(message, settings) };
  }

  async function deliver(sealed: SealedMessage): Promise<Delivery> {
    const shown = show(sealed);
    // Another courier's key may be brought back from a backup, so the message waits.
    if (!shown) return forNow("the message was not sealed to this courier's key, or was changed");
    const { message, rendered } = shown;
    // The host's column could say otherwise.
    if (now() >= message.expiresAtMs) return permanently("the message has expired");
    const { messageId } = message;
    if (rendered.channel === "sms") {
      return texter ? texter.send(messageId, rendered) : forNow("no provider sends SMS");
    }
    return mailer ? mailer.send(messageId, rendered) : forNow("no mail server is set");
  }

  return {
    async answer(request) {
      switch (request.call) {
        case "describe":
          return { kind: "description", publicKey, channels };
        case "deliver":
          return { kind: "delivery", delivery: await deliver(request.message) };
      }
    },
    show,
    logos,
    close: () => mailer?.close(),
  };
}
