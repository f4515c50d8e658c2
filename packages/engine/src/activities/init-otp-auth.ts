import type { OtpType } from "@keyhearth/crypto/tokens/verification-token";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { messageStyle } from "../messages/style.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { storedAs } from "../people/named-users.ts";
import {
  checkContact,
  DEFAULT_CODE_SECONDS,
  DEFAULT_LENGTH,
  FIRST_LENGTH,
  firstEmailCustomization,
  formOf,
  namedApp,
  OtpId,
  otpBasics,
  otpExpiration,
  otpForm,
} from "../people/otp-fields.ts";
import { checkAskedRecently, codeTo, featureOf, sendOtp } from "../people/otps.ts";
import { MAX_CODE_SECONDS } from "../people/waiting-codes.ts";
import { contactOf, findByContact } from "../records/contacts.ts";
import type { User } from "../records/organization.ts";

const result = z.strictObject({ otpId: OtpId });

/** Sends a code to a user, with which otp_auth logs the user in. */
export const initOtpAuth = defineActivity({
  name: "init_otp_auth",
  tag: "User Auth",
  summary: "Init OTP auth",
  description:
    "Send a one-time code to the email address or phone number of a user. otp_auth exchanges it for a key. A user of the parent organization may do this for a sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: "codes",
  givesBeside: () => ({ seconds: MAX_CODE_SECONDS }),
  answer: { failures: "refused" },
  defaultType: "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
  versions: {
    ACTIVITY_TYPE_INIT_OTP_AUTH: {
      intentKey: "initOtpAuthIntent",
      resultKey: "initOtpAuthResult",
      intent: z.strictObject({ ...otpBasics, ...firstEmailCustomization }),
      result,
    },
    ACTIVITY_TYPE_INIT_OTP_AUTH_V2: {
      intentKey: "initOtpAuthIntentV2",
      resultKey: "initOtpAuthResultV2",
      intent: z.strictObject({ ...otpBasics, ...otpForm, ...firstEmailCustomization }),
      result,
    },
    ACTIVITY_TYPE_INIT_OTP_AUTH_V3: {
      intentKey: "initOtpAuthIntentV3",
      resultKey: "initOtpAuthResultV2",
      intent: z.strictObject({ ...otpBasics, ...otpForm, ...otpExpiration, ...namedApp }),
      result,
    },
  },
  example: {
    otpType: "OTP_TYPE_EMAIL",
    contact: "ada@example.com",
    emailCustomization: { appName: "Example" },
  },
  upgrade: {
    ACTIVITY_TYPE_INIT_OTP_AUTH: (old) => ({
      ...old,
      otpLength: FIRST_LENGTH,
      alphanumeric: false,
    }),
    ACTIVITY_TYPE_INIT_OTP_AUTH_V3: ({ appName, emailCustomization, ...newer }) => ({
      ...newer,
      emailCustomization: { appName, ...emailCustomization },
    }),
  },
  sendsTo: codeTo,
  namesUserBy: "contact",
  complete: (intent) => ({
    otpLength: DEFAULT_LENGTH,
    alphanumeric: true,
    expirationSeconds: DEFAULT_CODE_SECONDS,
    ...intent,
  }),

  check(context, intent) {
    checkLoginFeature(context, featureOf(intent.otpType));
    checkContact(intent);
    ownerOf(context, intent);
    checkAskedRecently(context);
  },

  execute(context, intent) {
    const { otpType, contact } = intent;
    // Only the third version has one, which its upgrade keeps.
    const { expirationSeconds = DEFAULT_CODE_SECONDS } = intent as { expirationSeconds?: string };
    const owner = ownerOf(context, intent);
    const otpId = sendOtp(context, {
      sentBy: "init_otp_auth",
      userId: owner.userId,
      type: otpType,
      // Not as the request spells it.
      contact: storedAs(owner, contactOf({ type: otpType, contact })) ?? contact,
      form: formOf(intent),
      expirationSeconds: Number(expirationSeconds),
      style: messageStyle(intent),
    });
    return { otpId };
  },
});

function ownerOf(
  { document }: Context,
  { otpType, contact }: { otpType: OtpType; contact: string },
): User {
  return findByContact(document, contactOf({ type: otpType, contact }), "parameters.contact");
}
