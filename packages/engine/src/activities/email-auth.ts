import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { ApiKeyId, Email, label, TargetPublicKey, UserId } from "../fields/schemas.ts";
import { InvalidateExisting, SessionSeconds } from "../fields/sessions.ts";
import {
  type Customization,
  EmailAuthCustomizationParams,
  EmailCustomizationParams,
  senderFields,
} from "../messages/style.ts";
import { mailCredential, receiverOf, wantsOf } from "../people/credential-mails.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { checkStampedSince, DEFAULT_SESSION_SECONDS, nameOfSession } from "../people/sessions.ts";
import { usersWithContact } from "../records/contacts.ts";

const earlier = z.strictObject({
  email: Email.describe("Email address of the user."),
  targetPublicKey: TargetPublicKey,
  apiKeyName: label("Name of the session's key. `Email Auth` and the time by default.").optional(),
  expirationSeconds: SessionSeconds,
  emailCustomization: EmailCustomizationParams.optional(),
  invalidateExisting: InvalidateExisting,
  ...senderFields,
});
const result = z.strictObject({ userId: UserId, apiKeyId: ApiKeyId });

/** Mails a session's key, which the core makes, to a user. Anyone who reads the mail can log in. */
export const emailAuth = defineActivity({
  name: "email_auth",
  tag: "User Auth",
  summary: "Log in by email",
  description:
    "Send a mail that logs a user in. It has the key of a session, encrypted to the key of the client that asks. A user of the parent organization may ask for the users of a sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  defaultType: "ACTIVITY_TYPE_EMAIL_AUTH_V2",
  versions: {
    ACTIVITY_TYPE_EMAIL_AUTH: {
      intentKey: "emailAuthIntent",
      resultKey: "emailAuthResult",
      intent: earlier,
      result,
    },
    ACTIVITY_TYPE_EMAIL_AUTH_V2: {
      intentKey: "emailAuthIntentV2",
      resultKey: "emailAuthResult",
      intent: earlier,
      result,
    },
    ACTIVITY_TYPE_EMAIL_AUTH_V3: {
      intentKey: "emailAuthIntentV3",
      resultKey: "emailAuthResult",
      intent: earlier.extend({ emailCustomization: EmailAuthCustomizationParams }),
      result,
    },
  },
  example: {
    email: "ada@example.com",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    expirationSeconds: "900",
    emailCustomization: {
      appName: "Example",
      magicLinkTemplate: "https://app.example.com/login?bundle=%s",
    },
  },
  upgrade: {
    ACTIVITY_TYPE_EMAIL_AUTH: (old) => old,
    ACTIVITY_TYPE_EMAIL_AUTH_V3: (newer) => newer,
  },
  isOwn: ({ email }, { userId }, { users }) =>
    usersWithContact(users, { type: "email", contact: email }).some(
      (each) => each.userId === userId,
    ),
  sendsTo: ({ email }) => [{ kind: "email-login", recipient: email }],
  namesUserBy: "email",
  complete: (intent) => ({
    expirationSeconds: DEFAULT_SESSION_SECONDS,
    invalidateExisting: false,
    ...intent,
  }),
  wants: ({ email }, document) => wantsOf(email, document),

  check(context, { email }) {
    checkAll(
      () => checkLoginFeature(context, "FEATURE_NAME_EMAIL_AUTH"),
      () => checkStampedSince(context, receiverOf(context.document, email)),
    );
  },

  execute(context, intent) {
    const { email, targetPublicKey, apiKeyName, expirationSeconds, invalidateExisting } = intent;
    const customization: Customization = intent;
    const { apiKeyId } = mailCredential(
      context,
      {
        kind: "email-login",
        type: "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256",
        apiKeyName: apiKeyName ?? nameOfSession("Email Auth", context.nowMs),
        email,
        targetPublicKey,
        expirationSeconds,
        invalidateExisting,
      },
      customization,
    );
    return { userId: receiverOf(context.document, email).userId, apiKeyId };
  },
});
