import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { messageStyle } from "../messages/style.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import {
  checkContact,
  DEFAULT_CODE_SECONDS,
  DEFAULT_LENGTH,
  firstEmailCustomization,
  formOf,
  namedApp,
  OtpId,
  otpBasics,
  otpExpiration,
  otpForm,
} from "../people/otp-fields.ts";
import { checkAskedRecently, codeTo, featureOf, sendOtp, targetKeyOf } from "../people/otps.ts";
import { MAX_CODE_SECONDS } from "../people/waiting-codes.ts";

/** The older versions let the mail's customization name the application. */
const OLDER_APP = "";

/** Sends a code to whoever reads mail or messages at a contact, which need not belong to a user. */
export const initOtp = defineActivity({
  name: "init_otp",
  tag: "User Auth",
  summary: "Init generic OTP",
  description:
    "Send a one-time code to an email address or a phone number, whether it belongs to a user or not. verify_otp turns the code into a verification token, with which its holder logs in, signs up or changes a contact. The client encrypts the code to the key in `otpEncryptionTargetBundle`.",
  policy: { resource: "OTP", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: "codes",
  givesBeside: () => ({ seconds: MAX_CODE_SECONDS }),
  answer: { failures: "refused" },
  defaultType: "ACTIVITY_TYPE_INIT_OTP_V3",
  versions: {
    ACTIVITY_TYPE_INIT_OTP: {
      intentKey: "initOtpIntent",
      resultKey: "initOtpResult",
      intent: z.strictObject({
        ...otpBasics,
        ...otpForm,
        ...otpExpiration,
        ...firstEmailCustomization,
      }),
      result: z.strictObject({ otpId: OtpId }),
    },
    ACTIVITY_TYPE_INIT_OTP_V2: {
      intentKey: "initOtpIntentV2",
      resultKey: "initOtpResult",
      intent: z.strictObject({ ...otpBasics, ...otpForm, ...otpExpiration, ...namedApp }),
      result: z.strictObject({ otpId: OtpId }),
    },
    ACTIVITY_TYPE_INIT_OTP_V3: {
      intentKey: "initOtpIntentV3",
      resultKey: "initOtpResultV2",
      intent: z.strictObject({ ...otpBasics, ...otpForm, ...otpExpiration, ...namedApp }),
      result: z.strictObject({
        otpId: OtpId,
        otpEncryptionTargetBundle: z
          .string()
          .describe(
            "The key to which the client encrypts the code, signed with the `verificationPublicKey` of /.well-known/keyhearth.json, as JSON text that client libraries read.",
          ),
      }),
    },
  },
  example: {
    otpType: "OTP_TYPE_EMAIL",
    contact: "ada@example.com",
    appName: "Example",
  },
  upgrade: {
    ACTIVITY_TYPE_INIT_OTP: ({ emailCustomization: { appName, ...looks } = {}, ...old }) => ({
      ...old,
      appName: appName ?? OLDER_APP,
      emailCustomization: looks,
    }),
    ACTIVITY_TYPE_INIT_OTP_V2: (old) => old,
  },
  downgrade: {
    ACTIVITY_TYPE_INIT_OTP: ({ otpId }) => ({ otpId }),
    ACTIVITY_TYPE_INIT_OTP_V2: ({ otpId }) => ({ otpId }),
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
    checkAskedRecently(context);
  },

  execute(context, intent) {
    const { otpType, contact, appName } = intent;
    const otpId = sendOtp(context, {
      sentBy: "init_otp",
      userId: null,
      type: otpType,
      contact,
      form: formOf(intent),
      expirationSeconds: Number(intent.expirationSeconds ?? DEFAULT_CODE_SECONDS),
      style: messageStyle({ ...intent, appName: appName === OLDER_APP ? undefined : appName }),
    });
    const targetPublicKey = publicKeyOf("CURVE_P256", targetKeyOf(context, otpId));
    return { otpId, otpEncryptionTargetBundle: context.bundles.otp(targetPublicKey) };
  },
});
