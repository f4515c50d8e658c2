import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { ClientSignature, unsupported, VerificationToken } from "../fields/schemas.ts";
import {
  InvalidateExisting,
  SessionJwt,
  SessionPublicKey,
  SessionSeconds,
} from "../fields/sessions.ts";
import { checkClientSignature } from "../people/client-signatures.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { logIn, withSessionDefaults } from "../people/logins.ts";
import { featureOf } from "../people/otps.ts";
import {
  changesOfLogin,
  checkSessionKey,
  checkStampedSince,
  givesSession,
} from "../people/sessions.ts";
import {
  checkVerifiedSince,
  readVerificationToken,
  type VerifiedCode,
} from "../people/verification-tokens.ts";
import { contactOf, findByContact, usersWithContact } from "../records/contacts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";

const common = {
  verificationToken: VerificationToken,
  publicKey: SessionPublicKey,
  expirationSeconds: SessionSeconds,
  invalidateExisting: InvalidateExisting,
  sessionProfileId: unsupported(z.string(), "a session profile"),
};

const result = z.strictObject({ session: SessionJwt });

/** Logs in the user whose contact a verification token proves. */
export const otpLogin = defineActivity({
  name: "otp_login",
  tag: "Sessions",
  summary: "Login with OTP",
  description:
    "Start a session for the user who has the contact that a verification token proves. The key that the token names signs the request's public key (`clientSignature`), so nobody else can use the token. A user of the parent organization may do this for a sub-organization.",
  policy: { resource: "AUTH", action: "CREATE" },
  sentBy: ["user", "parent's user"],
  changes: changesOfLogin,
  givesBeside: givesSession,
  answer: { secret: "if voted" },
  defaultType: "ACTIVITY_TYPE_OTP_LOGIN_V2",
  versions: {
    ACTIVITY_TYPE_OTP_LOGIN: {
      intentKey: "otpLoginIntent",
      resultKey: "otpLoginResult",
      intent: z.strictObject({ ...common, clientSignature: ClientSignature.optional() }),
      result,
    },
    ACTIVITY_TYPE_OTP_LOGIN_V2: {
      intentKey: "otpLoginIntentV2",
      resultKey: "otpLoginResult",
      intent: z.strictObject({ ...common, clientSignature: ClientSignature }),
      result,
    },
  },
  example: {
    verificationToken: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl",
    publicKey: "03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17",
    clientSignature: {
      publicKey: "03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17",
      scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
      message:
        '{"login":{"publicKey":"03a1c1c81a061767be72cc01b3039b82be3f5bb909f8efdcc5dd0728bbc2bc2b17"},"tokenId":"01980000-0000-7000-8000-000000000000","type":"USAGE_TYPE_LOGIN"}',
      signature: "00".repeat(64),
    },
  },
  upgrade: {
    // The second version requires it, and the types know nothing of one that is absent.
    ACTIVITY_TYPE_OTP_LOGIN: ({ clientSignature = NONE, ...old }) => ({ ...old, clientSignature }),
  },
  namesUserBy: "verificationToken",
  complete: withSessionDefaults,
  // The token is verified later, with the same words.
  wants({ verificationToken, publicKey }, document) {
    const claims = peekVerificationToken(verificationToken);
    if (!claims) return [];
    const sought = contactOf({ type: claims.verification_type, contact: claims.contact });
    return usersWithContact(document.users, sought).map(
      ({ userId }) => ({ type: "sessions-for-login", userId, publicKey }) as const,
    );
  },

  check(context, intent) {
    const token = readVerificationToken(context, intent.verificationToken);
    checkLoginFeature(context, featureOf(token.type));
    const owner = ownerOf(context.document, token);
    checkAll(
      () => checkSignature(intent, token),
      () => checkStampedSince(context, owner),
      () => checkVerifiedSince(context, token, owner, "parameters.verificationToken"),
      () => checkSessionKey(context, owner.userId, intent.publicKey),
    );
  },

  execute(context, intent) {
    const { verificationToken: proof } = intent;
    const owner = ownerOf(context.document, readVerificationToken(context, proof));
    return { session: logIn(context, owner, { ...intent, proof }) };
  },
});

/** In place of a signature that the first version did not send. No request can send it. */
const NONE: ClientSignature = {
  publicKey: "",
  scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
  message: "",
  signature: "",
};

function checkSignature(
  { clientSignature, publicKey }: { clientSignature: ClientSignature; publicKey: string },
  token: VerifiedCode,
) {
  const signature = clientSignature === NONE ? undefined : clientSignature;
  const field = "parameters.clientSignature";
  const usage = { type: "USAGE_TYPE_LOGIN", login: { publicKey } } as const;
  checkClientSignature({ signature, field }, token, usage);
}

function ownerOf(document: OrganizationDocument, token: VerifiedCode): User {
  return findByContact(document, contactOf(token), "parameters.verificationToken");
}
