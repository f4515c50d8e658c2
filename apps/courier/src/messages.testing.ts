import { randomUUID } from "node:crypto";
import type { Message, MessageStyle } from "@keyhearth/engine/messages/message";

// Messages as the core makes them.

const plainStyle: MessageStyle = {
  appName: null,
  logoUrl: null,
  magicLinkTemplate: null,
  templateVariables: null,
  templateId: null,
  smsTemplate: null,
  senderAddress: null,
  senderName: null,
  replyToAddress: null,
};

const organization = { organizationId: randomUUID(), organizationName: "Acme" };

type Change = { style?: Partial<MessageStyle>; recipient?: string; content?: object };

/** A message of each kind. `change` sets parts of its style, its receiver or its content. */
export function newMessage(kind: Message["kind"], change: Change = {}): Message {
  const createdAtMs = Date.now();
  const style = { ...plainStyle, ...change.style };
  const code = { ...organization, otpId: randomUUID(), code: "7GK2-91ZQ", style };
  const credential = {
    ...organization,
    userId: randomUUID(),
    userName: "Ada",
    credentialBundle: "2Wd9bundle",
    style,
  };
  const contents = {
    invitation: {
      ...organization,
      invitationId: randomUUID(),
      receiverUserName: "Grace",
      senderUserName: "Ada",
      userId: randomUUID(),
      token: "dG9rZW4dG9rZW4dG9rZW4",
    },
    "email-login": credential,
    "email-recovery": credential,
    "email-code": code,
    "sms-code": code,
  };
  // Kind and content belong together.
  return {
    messageId: randomUUID(),
    kind,
    recipient: change.recipient ?? (kind === "sms-code" ? "+14155550100" : "grace@example.com"),
    content: { ...contents[kind], ...change.content },
    createdAtMs,
    expiresAtMs: createdAtMs + 300_000,
  } as Message;
}
