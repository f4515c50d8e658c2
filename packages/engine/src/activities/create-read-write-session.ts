import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { invalid, notFound, userNotFound } from "../errors.ts";
import {
  ApiKeyId,
  CredentialBundle,
  Email,
  label,
  TargetPublicKey,
  UserId,
} from "../fields/schemas.ts";
import { InvalidateExisting, SessionSeconds, sessionOwner } from "../fields/sessions.ts";
import { issueSessionKey, withSessionDefaults } from "../people/logins.ts";
import {
  changesOfLogin,
  checkKeySince,
  checkStampedSince,
  givesSession,
  nameOfSession,
} from "../people/sessions.ts";
import { usersWithContact } from "../records/contacts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";

const common = {
  targetPublicKey: TargetPublicKey,
  apiKeyName: label(
    "Name of the session's key. `Read Write Session` and the time by default.",
  ).optional(),
  expirationSeconds: SessionSeconds,
};

const result = z.strictObject({
  ...sessionOwner,
  apiKeyId: ApiKeyId,
  credentialBundle: CredentialBundle,
});

/** Makes the key of a session in the core, and returns it encrypted to a key of the client. */
export const createReadWriteSession = defineActivity({
  name: "create_read_write_session",
  tag: "Sessions",
  summary: "Create read write session",
  description:
    "Start a session with a key that the service makes and returns, encrypted to your key. It is yours unless `userId` names another user, for which you need a permission. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "user by the parent's id"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  defaultType: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
  versions: {
    ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: {
      intentKey: "createReadWriteSessionIntent",
      resultKey: "createReadWriteSessionResult",
      intent: z.strictObject({ ...common, email: Email }),
      result,
    },
    ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: {
      intentKey: "createReadWriteSessionIntentV2",
      resultKey: "createReadWriteSessionResultV2",
      intent: z.strictObject({
        ...common,
        userId: UserId.describe("User who gets the session. You by default.").optional(),
        invalidateExisting: InvalidateExisting,
      }),
      result,
    },
  },
  example: {
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    expirationSeconds: "900",
  },
  // Only the document says whose email address it is, so the intent keeps it.
  upgrade: { ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: (old) => old },
  isOwn: (intent, { userId }, document) =>
    findOwners(intent, document, userId).some((each) => each.userId === userId),
  // Only the first version does.
  namesUserBy: "email",
  complete: (intent, { userId }) => ({ userId, ...withSessionDefaults(intent) }),
  wants: (intent, document, submitterId) =>
    findOwners(intent, document, submitterId).map(({ userId }) => ({ type: "sessions", userId })),

  check(context, intent) {
    checkStampedSince(context, ownerOf(intent, context.document, context.user));
    checkKeySince(context);
  },

  execute(context, intent) {
    const { document, organizationId, nowMs } = context;
    const owner = ownerOf(intent, document, context.user);
    const { apiKeyName, targetPublicKey, expirationSeconds, invalidateExisting } = intent;
    const { entry, credentialBundle } = issueSessionKey(context, owner, targetPublicKey, {
      apiKeyName: apiKeyName ?? nameOfSession("Read Write Session", nowMs),
      type: "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256",
      expirationSeconds,
      invalidateExisting,
    });
    return {
      organizationId,
      organizationName: document.organizationName,
      userId: owner.userId,
      username: owner.userName,
      apiKeyId: entry.apiKeyId,
      credentialBundle,
    };
  },
});

/** The first version names the user by email. */
type Naming = { userId?: string | undefined; email?: string };

/** The users whom the request means: one, unless it is wrong. */
function findOwners(
  { userId, email }: Naming,
  { users }: OrganizationDocument,
  submitterId: string,
): User[] {
  if (email !== undefined) return usersWithContact(users, { type: "email", contact: email });
  return users.filter((user) => user.userId === (userId ?? submitterId));
}

function ownerOf(naming: Naming, document: OrganizationDocument, submitter: User): User {
  const [owner, ...others] = findOwners(naming, document, submitter.userId);
  const { userId = "", email } = naming;
  if (owner && others.length === 0) return owner;
  if (email === undefined) {
    throw userNotFound("parameters.userId", userId, document.organizationId);
  }
  if (!owner) throw notFound("parameters.email", "user with the email address", email);
  throw invalid(
    "parameters.email",
    `more than one user has the email address \`${email}\`: name the user by \`userId\`, with ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2`,
  );
}
