import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { AuthenticatorId, UserId } from "../fields/schemas.ts";
import {
  checkAuthenticator,
  checkAuthenticatorCount,
  createAuthenticators,
} from "../people/authenticators.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { checkRootRecovery } from "../people/recovery.ts";
import { keyHolderWant, takenPublicKeys } from "../people/taken-keys.ts";
import { requireUser } from "../records/organization.ts";
import { endRecovery, isRecoveryKey } from "../records/sessions.ts";

const field = "parameters.authenticator";

/** Registers a passkey of the user, and ends the recovery. The mail's key stamps it; all others need a permission. */
export const recoverUser = defineActivity({
  name: "recover_user",
  tag: "User Recovery",
  summary: "Recover a user",
  description:
    "Register a passkey of a user whom init_user_email_recovery sent a mail. The key in the mail stamps this request, for its own user alone, and counts once.",
  policy: { resource: "USER", action: "UPDATE" },
  sentBy: ["user", "recovery key"],
  defaultType: "ACTIVITY_TYPE_RECOVER_USER",
  versions: {
    ACTIVITY_TYPE_RECOVER_USER: {
      intentKey: "recoverUserIntent",
      resultKey: "recoverUserResult",
      intent: z.strictObject({
        authenticator: AuthenticatorParamsV2.describe("The passkey to register."),
        userId: UserId,
      }),
      result: z.strictObject({
        authenticatorId: z.array(AuthenticatorId).describe("Id of the authenticator, in a list."),
      }),
    },
  },
  example: {
    authenticator: {
      authenticatorName: "phone",
      challenge: "R2oC4gn_v5AJQerbALdvsr2YiA5Brefch8kVWbYkBrI",
      attestation: {
        credentialId: "6kHtPPqRTKaLms_L0xFKpw",
        clientDataJson: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
        attestationObject: "o2NmbXRkbm9uZWdhdHRTdG10oA",
        transports: ["AUTHENTICATOR_TRANSPORT_HYBRID"],
      },
    },
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },
  isOwn: ({ userId }, user) => userId === user.userId,
  // A policy about users must not make someone a root user (decision 10).
  rootQuorumOnly: ({ userId }, { rootQuorum }, submitter) =>
    userId !== submitter.userId && rootQuorum.userIds.includes(userId),
  registersPasskeys: () => true,
  wants: ({ authenticator, userId }) => [
    { type: "sessions", userId },
    keyHolderWant({ authenticators: [authenticator] }),
  ],

  check(context, { authenticator, userId }) {
    const { document, records, registrations, nowMs } = context;
    const user = requireUser(document, userId);
    const taken = takenPublicKeys({ document, records, nowMs });
    checkAll(
      // It was on when the mail was sent, and may be off by now.
      () => checkLoginFeature(context, "FEATURE_NAME_EMAIL_RECOVERY"),
      () => checkRootRecovery(document, userId),
      () => checkAuthenticatorCount(user, [authenticator], field),
      () => checkAuthenticator(authenticator, field, { taken, registrations }),
    );
  },

  execute(context, { authenticator, userId }) {
    const created = createAuthenticators([authenticator], context);
    const user = requireUser(context.update(), userId);
    user.authenticators.push(...created);
    user.updatedAtMs = context.nowMs;
    endRecovery(user);
    const { entries } = context.records.sessions(userId);
    const kept = entries.filter(({ credential }) => !isRecoveryKey(credential));
    if (kept.length < entries.length) context.write.sessions({ userId, entries: kept });
    return { authenticatorId: created.map(({ authenticatorId }) => authenticatorId) };
  },
});
