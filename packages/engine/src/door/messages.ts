/**
 * A message that leaves the service, such as an email. The core decides what is sent and to whom. The
 * host commits it together with the records of the proposal, as a row of its outbox.
 */
export type Message = { [K in keyof Contents]: MessageOf<K> }[keyof Contents];

type MessageOf<K extends keyof Contents> = {
  /** The request determines it, so a request that is decided twice sends one message. */
  messageId: string;
  kind: K;
  /** An email address. */
  recipient: string;
  content: Contents[K];
  createdAtMs: number;
  /** Worthless from then on. */
  expiresAtMs: number;
};

/** What each kind of message says. */
type Contents = { invitation: InvitationMail };

export type InvitationMail = {
  organizationId: string;
  organizationName: string;
  invitationId: string;
  receiverUserName: string;
  senderUserName: string;
  /** The id that the new user will have. */
  userId: string;
  /** The challenge with which the receiver registers a passkey: 16 bytes in base64url. */
  token: string;
};
