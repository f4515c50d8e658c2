import { createSessionJwt } from "@keyhearth/crypto/session-token";
import { peekVerificationToken } from "@keyhearth/crypto/verification-token";
import * as z from "zod";
import { checkAll } from "../errors.ts";
import { ClientSignature, unsupported } from "../fields.ts";
import { checkClientSignature } from "../people/client-signatures.ts";
import { findByContact, hasContact } from "../people/contacts.ts";
import { checkLoginFeature } from "../people/login-features.ts";
import { contactOf, featureOf } from "../people/otps.ts";
import {
  checkSessionKey,
  checkStampedSince,
  DEFAULT_SESSION_SECONDS,
  expirySeconds,
  nameOfSession,
  startSession,
} from "../people/sessions.ts";
import {
  checkVerifiedSince,
  type ProvenContact,
  readVerificationToken,
} from "../people/verification-tokens.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import {
  InvalidateExisting,
  SessionJwt,
  SessionPublicKey,
  SessionSeconds,
} from "../session-fields.ts";
import { defineActivity } from "../submission/define.ts";

const common = {
  verificationToken: z
    .string()
    .max(4096, "must have at most 4096 characters")
    .describe("Verification token of the user's contact, from verify_otp.")
    .meta({ examples: ["eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2lnbmF0dXJl"] }),
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
  parentMaySubmit: true,
  keepsDocument: ({ invalidateExisting }) => invalidateExisting !== true,
  writesSessions: true,
  isRemembered: true,
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
  complete: (intent) => ({
    expirationSeconds: DEFAULT_SESSION_SECONDS,
    invalidateExisting: false,
    ...intent,
  }),
  // The token is verified later, with the same words.
  wants({ verificationToken, publicKey }, document) {
    const claims = peekVerificationToken(verificationToken);
    if (!claims) return [];
    const sought = contactOf({ type: claims.verification_type, contact: claims.contact });
    return document.users
      .filter((user) => hasContact(user, sought))
      .map(({ userId }) => ({ type: "sessions-for-login", userId, publicKey }) as const);
  },

  check(context, intent) {
    const token = readVerificationToken(context, intent.verificationToken);
    checkLoginFeature(context, featureOf(token.type));
    const owner = ownerOf(context.document, token);
    checkAll(
      () => checkSignature(intent, token),
      () => checkStampedSince(context, owner),
      () => checkVerifiedSince(token, owner, "parameters.verificationToken"),
      () => checkSessionKey(context, owner.userId, intent.publicKey),
    );
  },

  execute(context, intent) {
    const { organizationId, nowMs } = context;
    const { publicKey, expirationSeconds, invalidateExisting } = intent;
    const user = ownerOf(
      context.document,
      readVerificationToken(context, intent.verificationToken),
    );
    const entry = startSession(context, user, {
      apiKeyId: context.newId("session"),
      apiKeyName: nameOfSession("Login", nowMs),
      publicKey,
      type: "CREDENTIAL_TYPE_LOGIN",
      expirationSeconds,
      invalidateExisting,
    });
    const session = createSessionJwt(
      {
        exp: expirySeconds(entry),
        public_key: publicKey,
        session_type: "SESSION_TYPE_READ_WRITE",
        user_id: user.userId,
        organization_id: organizationId,
      },
      context.signSession,
    );
    return { session };
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
  token: ProvenContact,
) {
  const signature = clientSignature === NONE ? undefined : clientSignature;
  const field = "parameters.clientSignature";
  const usage = { type: "USAGE_TYPE_LOGIN", login: { publicKey } } as const;
  checkClientSignature({ signature, field }, token, usage);
}

function ownerOf(document: OrganizationDocument, token: ProvenContact): User {
  return findByContact(document, contactOf(token), "parameters.verificationToken");
}
