import { openMessage as open } from "@keyhearth/crypto/sealing/sealed-message";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { OpenedMessage, SealedMessage } from "@keyhearth/engine/messages/message";
import * as z from "zod";

// Anyone who knows the courier's public key can seal a message, so its shape is checked like any input.

const Text = z.string().max(100_000);
const Optional = Text.nullable();

const Style = z.object({
  appName: Optional,
  logoUrl: Optional,
  magicLinkTemplate: Optional,
  templateVariables: z.record(Text, Text).nullable(),
  templateId: Optional,
  smsTemplate: Optional,
  senderAddress: Optional,
  senderName: Optional,
  replyToAddress: Optional,
});

const Organization = { organizationId: Text, organizationName: Text };

const Invitation = z.object({
  ...Organization,
  invitationId: Text,
  receiverUserName: Text,
  senderUserName: Text,
  userId: Text,
  token: Text,
});

const Credential = z.object({
  ...Organization,
  userId: Text,
  userName: Text,
  credentialBundle: Text,
  style: Style,
});

const Code = z.object({ ...Organization, otpId: Text, code: Text, style: Style });

const Envelope = {
  messageId: z.uuid(),
  recipient: z.string().max(320),
  createdAtMs: z.int(),
  expiresAtMs: z.int(),
  // Messages that wait from an earlier version have none.
  familyId: z.uuid().nullable().default(null),
};

const Opened = z.discriminatedUnion("kind", [
  z.object({ ...Envelope, kind: z.literal("invitation"), content: Invitation }),
  z.object({ ...Envelope, kind: z.literal("email-login"), content: Credential }),
  z.object({ ...Envelope, kind: z.literal("email-recovery"), content: Credential }),
  z.object({ ...Envelope, kind: z.literal("email-code"), content: Code }),
  z.object({ ...Envelope, kind: z.literal("sms-code"), content: Code }),
]) satisfies z.ZodType<OpenedMessage>;

/** What a sealed message says. Null if it was not sealed for this key, or not under this id and kind. */
export function openMessage(
  { messageId, kind, sealed }: Pick<SealedMessage, "messageId" | "kind" | "sealed">,
  privateKey: SecretBytes,
): OpenedMessage | null {
  try {
    const text = open(privateKey, { messageId, kind }, sealed);
    const message = Opened.parse(JSON.parse(text));
    return message.messageId === messageId && message.kind === kind ? message : null;
  } catch {
    return null;
  }
}
