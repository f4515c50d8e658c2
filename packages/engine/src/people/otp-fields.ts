import type { OtpType as Type } from "@keyhearth/crypto/tokens/verification-token";
import * as z from "zod";
import { checkAll, invalid } from "../errors.ts";
import { ExpirationSeconds } from "../fields/credentials.ts";
import { unshown } from "../fields/parse.ts";
import { Email, label, oneLine, PhoneNumber, textLine } from "../fields/schemas.ts";
import {
  EmailCustomizationParams,
  EmailCustomizationParamsV2,
  SmsCustomizationParams,
  senderFields,
} from "../messages/style.ts";
import type { CodeForm } from "./one-time-codes.ts";
import { MAX_CODE_SECONDS } from "./waiting-codes.ts";

/** Field types that the activities of one-time codes share. */

export const OtpId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "not a UUID in lower case (OTP id)")
  .describe("Unique identifier of the code.")
  .meta({ format: "uuid", examples: ["a1c2e3f4-5b6d-4c7e-8f90-a1b2c3d4e5f6"] });

const OtpType = z
  .enum(["OTP_TYPE_SMS", "OTP_TYPE_EMAIL"], "invalid OTP type")
  .describe("Whether the code is sent by email or by SMS.");

const Contact = textLine(254)
  .min(1, "must not be empty")
  .describe("Where the code is sent: an email address, or a phone number in E.164 form.")
  .meta({ examples: ["ada@example.com"] });

export const OtpCode = z
  .string()
  .min(1, "must not be empty")
  .max(64, "must have at most 64 characters")
  .describe("The code, in either case. O counts as 0, and I and L as 1.")
  .meta({ examples: ["7K2QX9ZP4"] })
  .register(unshown, {});

const OtpLength = z
  .int("must be 6, 7, 8 or 9")
  .min(6, "must be 6, 7, 8 or 9")
  .max(9, "must be 6, 7, 8 or 9")
  .describe("Number of characters in the code, from 6 to 9. The default is 9.")
  .meta({ format: "int32", minimum: 6, maximum: 9, default: 9 });

const CodeSeconds = ExpirationSeconds.refine(
  (seconds) => Number(seconds) <= MAX_CODE_SECONDS,
  `must be at most ${MAX_CODE_SECONDS}`,
)
  .pipe(z.string())
  .describe(
    "Lifetime of the code in seconds, as a decimal string: at most 600, and 300 by default.",
  )
  .meta({ examples: ["300"] });

export const DEFAULT_CODE_SECONDS = "300";
export const DEFAULT_LENGTH = 9;
/** The first versions had no parameter for it. */
export const FIRST_LENGTH = 6;

/** What all versions have. */
export const otpBasics = {
  otpType: OtpType,
  contact: Contact,
  smsCustomization: SmsCustomizationParams.optional(),
  userIdentifier: oneLine
    .min(1, "must not be empty")
    .describe(
      "Opaque text about whoever asks, such as a hash of their address. Requests with the same text are limited together.",
    )
    .optional(),
  ...senderFields,
};

export const otpForm = {
  otpLength: OtpLength.optional(),
  alphanumeric: z
    .boolean()
    .describe("Whether the code has letters too (Crockford's base32). The default is true.")
    .optional(),
};

export const otpExpiration = { expirationSeconds: CodeSeconds.optional() };

export const firstEmailCustomization = { emailCustomization: EmailCustomizationParams.optional() };

export const namedApp = {
  appName: label("Name of the application, as the message shows it."),
  emailCustomization: EmailCustomizationParamsV2.optional(),
};

type Asked = { otpType: Type; contact: string; userIdentifier?: string | undefined };

/** The contact must be of the type that the code is sent by. */
export function checkContact({ otpType, contact }: Asked) {
  const field = "parameters.contact";
  const isEmail = otpType === "OTP_TYPE_EMAIL";
  const parsed = (isEmail ? Email : PhoneNumber).safeParse(contact);
  checkAll(() => {
    if (parsed.success) return;
    throw invalid(
      field,
      isEmail
        ? `\`${field}\` is not an email address, which ${otpType} needs`
        : `\`${field}\` is not an E.164 phone number such as +14155550100, which ${otpType} needs`,
    );
  });
}

/** The form of the code that a request asks for. */
export function formOf({
  otpLength = DEFAULT_LENGTH,
  alphanumeric = true,
}: {
  otpLength?: number | undefined;
  alphanumeric?: boolean | undefined;
}): CodeForm {
  return { length: otpLength, isAlphanumeric: alphanumeric };
}
