import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { ApiKeyId, CredentialBundle, label, TargetPublicKey, UserId } from "../fields/schemas.ts";
import { InvalidateExisting, SessionSeconds } from "../fields/sessions.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { issueSessionKey, withSessionDefaults } from "../people/logins.ts";
import { OtpCode, OtpId } from "../people/otp-fields.ts";
import { checkSentSince, featureOf, findOtp, redeemOtp } from "../people/otps.ts";
import {
  changesOfLogin,
  checkStampedSince,
  givesSession,
  nameOfSession,
} from "../people/sessions.ts";
import { contactOf, hasContact } from "../records/contacts.ts";
import { findUser, type User } from "../records/organization.ts";
import type { Otp } from "../records/otp.ts";

/** Exchanges a code for a key that the core makes, encrypted to a key of the client. */
export const otpAuth = defineActivity({
  name: "otp_auth",
  tag: "User Auth",
  summary: "OTP auth",
  description:
    "Exchange a code that init_otp_auth sent for a key of the user whom it was sent to. The key is encrypted to yours and expires. A code works once. Three wrong attempts lock it. The request has the code in the clear, where the service's host can read it: new clients use init_otp, verify_otp and otp_login.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  answer: { failures: "refused" },
  defaultType: "ACTIVITY_TYPE_OTP_AUTH",
  versions: {
    ACTIVITY_TYPE_OTP_AUTH: {
      intentKey: "otpAuthIntent",
      resultKey: "otpAuthResult",
      intent: z.strictObject({
        otpId: OtpId,
        otpCode: OtpCode,
        targetPublicKey: TargetPublicKey,
        apiKeyName: label("Name of the key. `OTP Auth` and the time by default.").optional(),
        expirationSeconds: SessionSeconds,
        invalidateExisting: InvalidateExisting,
      }),
      result: z.strictObject({
        userId: UserId,
        apiKeyId: ApiKeyId.optional(),
        credentialBundle: CredentialBundle.optional(),
      }),
    },
  },
  example: {
    otpId: "a1c2e3f4-5b6d-4c7e-8f90-a1b2c3d4e5f6",
    otpCode: "7K2QX9ZP4",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  },
  namesUserBy: "code",
  complete: withSessionDefaults,
  // Only the record of the code says whose sessions are needed.
  wants: ({ otpId }) => [
    { type: "otp", otpId },
    { type: "sessions-for-code", otpId },
  ],

  check(context, { otpId }) {
    const otp = findOtp(context, otpId, "init_otp_auth");
    checkLoginFeature(context, featureOf(otp.type));
    const owner = ownerOf(context, otp);
    checkStampedSince(context, owner);
    checkSentSince(context, otp, owner);
  },

  execute(context, { otpId, otpCode, targetPublicKey, apiKeyName, ...session }) {
    const otp = findOtp(context, otpId, "init_otp_auth");
    const owner = ownerOf(context, otp);
    redeemOtp(context, otp, otpCode);
    const { entry, credentialBundle } = issueSessionKey(context, owner, targetPublicKey, {
      ...session,
      apiKeyName: apiKeyName ?? nameOfSession("OTP Auth", context.nowMs),
      type: "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256",
    });
    return { userId: owner.userId, apiKeyId: entry.apiKeyId, credentialBundle };
  },
});

/** The user whom the code was sent to, who must still have the contact. */
function ownerOf({ document }: Context, otp: Otp): User {
  const owner = findUser(document, otp.userId ?? "");
  if (owner && hasContact(owner, contactOf(otp))) return owner;
  throw notFound(
    "parameters.otpId",
    "user with the contact that the code was sent to",
    otp.contact,
  );
}
