import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { Email, TargetPublicKey, UserId } from "../fields/schemas.ts";
import { SessionSeconds } from "../fields/sessions.ts";
import {
  type Customization,
  EmailAuthCustomizationParams,
  EmailCustomizationParams,
  senderFields,
} from "../messages/style.ts";
import { mailCredential, receiverOf, wantsOf } from "../people/credential-mails.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { checkRootRecovery } from "../people/recovery.ts";
import { checkStampedSince, DEFAULT_SESSION_SECONDS, nameOfSession } from "../people/sessions.ts";

const earlier = z.strictObject({
  email: Email.describe("Email address of the user."),
  targetPublicKey: TargetPublicKey,
  expirationSeconds: SessionSeconds.describe(
    "Lifetime of the recovery key in seconds, as a decimal string. 900 by default.",
  ),
  emailCustomization: EmailCustomizationParams.optional(),
  ...senderFields,
});
const result = z.strictObject({ userId: UserId });

/** Mails a user a key that registers a passkey and does nothing else. */
export const initUserEmailRecovery = defineActivity({
  name: "init_user_email_recovery",
  tag: "User Recovery",
  summary: "Init email recovery",
  description:
    "Send a mail with which a user who lost every credential registers a passkey, by recover_user. It has a key, encrypted to the key of the client that asks. Only the newest one counts. A user of the parent organization may ask for the users of a sub-organization.",
  policy: { resource: "RECOVERY", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  defaultType: "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY",
  versions: {
    ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY: {
      intentKey: "initUserEmailRecoveryIntent",
      resultKey: "initUserEmailRecoveryResult",
      intent: earlier,
      result,
    },
    ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: {
      intentKey: "initUserEmailRecoveryIntentV2",
      resultKey: "initUserEmailRecoveryResult",
      intent: earlier.extend({ emailCustomization: EmailAuthCustomizationParams }),
      result,
    },
  },
  example: {
    email: "ada@example.com",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    emailCustomization: { appName: "Example" },
  },
  upgrade: { ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: (newer) => newer },
  sendsTo: ({ email }) => [{ kind: "email-recovery", recipient: email }],
  namesUserBy: "email",
  complete: (intent) => ({
    expirationSeconds: DEFAULT_SESSION_SECONDS,
    ...intent,
  }),
  wants: ({ email }, document) => wantsOf(email, document),

  check(context, { email }) {
    const { document } = context;
    checkAll(
      () => checkLoginFeature(context, "FEATURE_NAME_EMAIL_RECOVERY"),
      () => {
        const user = receiverOf(document, email);
        checkRootRecovery(document, user.userId);
        checkStampedSince(context, user);
      },
    );
  },

  execute(context, intent) {
    const { email, targetPublicKey, expirationSeconds } = intent;
    const customization: Customization = intent;
    mailCredential(
      context,
      {
        kind: "email-recovery",
        type: "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256",
        apiKeyName: nameOfSession("Email Recovery", context.nowMs),
        email,
        targetPublicKey,
        expirationSeconds,
      },
      customization,
    );
    return { userId: receiverOf(context.document, email).userId };
  },
});
