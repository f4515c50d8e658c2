import { sealMessage } from "@keyhearth/crypto/sealing/sealed-message";
import { ApiError } from "../errors.ts";

/**
 * A message that leaves the service, such as an email. The core decides what is sent and to whom, and
 * seals it to the courier. The host commits it together with the records of the proposal, as a row of
 * its outbox (decision 15).
 */
export type Message = { [K in keyof Contents]: MessageOf<K> }[keyof Contents];

type MessageOf<K extends keyof Contents> = {
  /** The request determines it, so a request that is decided twice sends one message. */
  messageId: string;
  kind: K;
  /** An email address, or a phone number in E.164 form for an SMS. */
  recipient: string;
  content: Contents[K];
  createdAtMs: number;
  /** Worthless from then on. */
  expiresAtMs: number;
};

/** Whom a message of a kind goes to. */
export type Addressee = Pick<Message, "kind" | "recipient">;

/** What a message is sent by. Every kind has one, so that none is left out of the limits. */
export const CHANNELS: Record<Message["kind"], "email" | "sms"> = {
  invitation: "email",
  "email-login": "email",
  "email-recovery": "email",
  "email-code": "email",
  "sms-code": "sms",
};

/** A message as the host gets it. Only the courier can read to whom it goes and what it says. */
export type SealedMessage = {
  messageId: string;
  kind: Message["kind"];
  sealed: string;
  createdAtMs: number;
  expiresAtMs: number;
};

/** A message of a proposal. The host counts what each receiver gets. */
export type OutgoingMessage = SealedMessage & { receiver: string };

/**
 * What the courier opens. The family is the top-level organization for which it is sent: operators give some of them a
 * sender and templates of their own. Null if an earlier version wrote the message.
 */
export type OpenedMessage = Message & { familyId: string | null };

export function seal(
  courierKey: Uint8Array | null,
  message: Message,
  familyId: OpenedMessage["familyId"],
): SealedMessage {
  if (!courierKey) throw courierUnknown();
  const { messageId, kind, createdAtMs, expiresAtMs } = message;
  const sealed = sealMessage(
    courierKey,
    { messageId, kind },
    JSON.stringify({ ...message, familyId }),
  );
  return { messageId, kind, sealed, createdAtMs, expiresAtMs };
}

function courierUnknown(): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    "the signer does not know the courier that delivers messages; restart the service, which says what to do",
  );
}

/** What each kind of message says. */
type Contents = {
  invitation: InvitationMail;
  "email-login": CredentialMail;
  "email-recovery": CredentialMail;
  "email-code": CodeMessage;
  "sms-code": CodeMessage;
};

export type InvitationMail = {
  organizationId: string;
  organizationName: string;
  invitationId: string;
  receiverUserName: string;
  senderUserName: string;
  /** The id that the new user will have. */
  userId: string;
  /** The key of the proof with which the receiver accepts: 16 bytes in base64url. Never sent back. */
  token: string;
};

/** Carries the credential that logs its reader in. */
export type CredentialMail = {
  organizationId: string;
  organizationName: string;
  userId: string;
  userName: string;
  credentialBundle: string;
  style: MessageStyle;
};

/** Carries a one-time code. */
export type CodeMessage = {
  organizationId: string;
  organizationName: string;
  otpId: string;
  code: string;
  style: MessageStyle;
};

/** How the application wants a message to look. Null leaves it to the courier. */
export type MessageStyle = {
  appName: string | null;
  logoUrl: string | null;
  /** A link with `%s` in place of the credential bundle. */
  magicLinkTemplate: string | null;
  templateVariables: Record<string, string> | null;
  templateId: string | null;
  /** The text of an SMS, with `{{.OtpCode}}` in place of the code. */
  smsTemplate: string | null;
  senderAddress: string | null;
  senderName: string | null;
  replyToAddress: string | null;
};
