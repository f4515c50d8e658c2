import type { CredentialType } from "../fields/logins.ts";
import { type Customization, messageStyle } from "../messages/style.ts";
import { findByContact, usersWithContact } from "../records/contacts.ts";
import type { Want } from "../records/kinds.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { expiresAtMs, type SessionEntry } from "../records/sessions.ts";
import { issueSessionKey } from "./logins.ts";
import type { PersonTools } from "./tools.ts";

// Mails that carry a credential: logins and recoveries.

/** The user who gets the mail. */
export function receiverOf(document: OrganizationDocument, email: string): User {
  return findByContact(document, { type: "email", contact: email }, "parameters.email");
}

/** Records that the request needs: one, unless the address is wrong. */
export function wantsOf(email: string, { users }: OrganizationDocument): Want[] {
  const found = usersWithContact(users, { type: "email", contact: email });
  return found.map(({ userId }) => ({ type: "sessions", userId }));
}

type Credential = {
  kind: "email-login" | "email-recovery";
  type: CredentialType;
  apiKeyName: string;
  email: string;
  targetPublicKey: string;
  expirationSeconds: string | undefined;
  invalidateExisting?: boolean | undefined;
};

/**
 * Makes a key of the user, and mails it, encrypted to the key of the client that asks. The document
 * registers it: the host delivers the mail, so it must not be able to use one that no log shows, or to
 * get another one for the same request.
 */
export function mailCredential(
  context: PersonTools,
  { kind, email, targetPublicKey, ...credential }: Credential,
  customization: Customization,
): SessionEntry {
  const { document, organizationId, nowMs } = context;
  const { organizationName } = document;
  const user = receiverOf(document, email);
  const { userId, userName } = user;
  const { entry, credentialBundle } = issueSessionKey(context, user, targetPublicKey, {
    ...credential,
    isRegistered: true,
  });
  const style = messageStyle(customization);
  context.send({
    messageId: context.newId("message"),
    kind,
    // Not as the request spells it.
    recipient: user.userEmail ?? email,
    content: { organizationId, organizationName, userId, userName, credentialBundle, style },
    createdAtMs: nowMs,
    expiresAtMs: expiresAtMs(entry),
  });
  return entry;
}
