import { parseEncrypted } from "@keyhearth/crypto/sealing/bundle";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { ExpirationSeconds } from "../fields/credentials.ts";
import { unshown } from "../fields/parse.ts";
import { EncryptedBundle } from "../fields/schemas.ts";
import { SessionPublicKey } from "../fields/sessions.ts";
import { OtpCode, OtpId } from "../people/otp-fields.ts";
import { bundleInvalid, findOtp, openOtpBundle, redeemOtp } from "../people/otps.ts";
import { MAX_TOKEN_SECONDS } from "../people/verification-tokens.ts";

const DEFAULT_TOKEN_SECONDS = "3600";

const expirationSeconds = ExpirationSeconds.refine(
  (seconds) => Number(seconds) <= MAX_TOKEN_SECONDS,
  `must be at most ${MAX_TOKEN_SECONDS}`,
)
  .pipe(z.string())
  .describe(
    "Lifetime of the token in seconds, as a decimal string: at most 86400, and 3600 by default.",
  )
  .meta({ examples: ["3600"] })
  .optional();

const BUNDLE =
  '{"encappedPublic":"046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5","ciphertext":"00"}';

const EncryptedOtpBundle = EncryptedBundle.refine(
  isEncrypted,
  'invalid encrypted bundle: expected the JSON text {"encappedPublic":"04…","ciphertext":"…"} with lower-case hex',
)
  .describe(
    'The JSON {"otp_code","public_key"}, encrypted to the key of the bundle that init_otp returned: the code, and the public key of the client in hex, which the token then names.',
  )
  .meta({ examples: [BUNDLE] })
  .register(unshown, {});

function isEncrypted(bundle: string): boolean {
  try {
    parseEncrypted(bundle);
    return true;
  } catch {
    return false;
  }
}

const result = z.strictObject({
  verificationToken: z
    .string()
    .describe(
      "A signed JWT: proof that somebody read the code. Together with the key that it names, it logs in whoever has the contact.",
    )
    .meta({ examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl"] }),
});

/** What the first version sends in place of a bundle. */
type Plain = { otpCode?: string; publicKey?: string | undefined };

/** Exchanges a code for a verification token. */
export const verifyOtp = defineActivity({
  name: "verify_otp",
  tag: "User Auth",
  summary: "Verify generic OTP",
  description:
    "Exchange a code that init_otp sent for a verification token. A code works once. Three wrong attempts lock it. The first version has the code in the clear, where the service's host can read it: use the latest. A token of a parent organization counts in all of its sub-organizations, any other only in its own organization.",
  policy: { resource: "OTP", action: "VERIFY" },
  sentBy: ["user", "parent's user"],
  changes: "codes",
  givesBeside: ({ expirationSeconds = DEFAULT_TOKEN_SECONDS }) => ({
    seconds: Number(expirationSeconds),
  }),
  answer: { secret: "if voted", private: ["verificationToken"], failures: "refused" },
  defaultType: "ACTIVITY_TYPE_VERIFY_OTP_V2",
  versions: {
    ACTIVITY_TYPE_VERIFY_OTP: {
      intentKey: "verifyOtpIntent",
      resultKey: "verifyOtpResult",
      intent: z.strictObject({
        otpId: OtpId,
        otpCode: OtpCode,
        expirationSeconds,
        publicKey: SessionPublicKey.describe(
          "Public key of the client, which the token then names: P-256, compressed, in hex. Without it, anyone who reads the token can use it.",
        ).optional(),
      }),
      result,
    },
    ACTIVITY_TYPE_VERIFY_OTP_V2: {
      intentKey: "verifyOtpIntentV2",
      resultKey: "verifyOtpResult",
      intent: z.strictObject({
        otpId: OtpId,
        encryptedOtpBundle: EncryptedOtpBundle,
        expirationSeconds,
      }),
      result,
    },
  },
  example: {
    otpId: "a1c2e3f4-5b6d-4c7e-8f90-a1b2c3d4e5f6",
    encryptedOtpBundle: BUNDLE,
  },
  upgrade: { ACTIVITY_TYPE_VERIFY_OTP: (old) => ({ ...old, encryptedOtpBundle: "" }) },
  namesUserBy: "code",
  complete: (intent) => ({ expirationSeconds: DEFAULT_TOKEN_SECONDS, ...intent }),
  wants: ({ otpId }) => [{ type: "otp", otpId }],

  check(context, intent) {
    const otp = findOtp(context, intent.otpId, "init_otp");
    readGiven(context, otp.otpId, intent);
  },

  // Only somebody who may verify gets to try a code.
  execute(context, intent) {
    const otp = findOtp(context, intent.otpId, "init_otp");
    const { code, publicKey } = readGiven(context, otp.otpId, intent);
    const verifiedAtMs = redeemOtp(context, otp, code);
    const seconds = Number(intent.expirationSeconds ?? DEFAULT_TOKEN_SECONDS);
    // As old as its code: a log-out in between ends both.
    const verificationToken = context.tokens.create(otp.createdAtMs, {
      verification_type: otp.type,
      contact: otp.contact,
      organization_id: context.organizationId,
      public_key: publicKey,
      exp: String(verifiedAtMs + seconds * 1000),
    });
    return { verificationToken };
  },
});

function readGiven(
  context: Context,
  otpId: string,
  { encryptedOtpBundle, otpCode, publicKey = "" }: Plain & { encryptedOtpBundle: string },
): { code: string; publicKey: string } {
  if (otpCode !== undefined) return { code: otpCode, publicKey };
  const opened = openOtpBundle(context, otpId, encryptedOtpBundle);
  const key = SessionPublicKey.safeParse(opened.publicKey);
  if (key.success) return { code: opened.code, publicKey: key.data };
  throw bundleInvalid("has a `public_key` that is not a compressed P-256 public key in hex");
}
