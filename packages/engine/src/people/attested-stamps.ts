import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import {
  type ApiKeyStamp,
  readApiKeyStamp,
  verifyApiKeyStamp,
} from "@keyhearth/crypto/stamps/stamp";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { ApiError, BODY_CHANGED, recordRefused, unauthenticated } from "../errors.ts";
import { isObject } from "../fields/parse.ts";
import { type Contact, contactOf, hasVerified } from "../records/contacts.ts";
import type { Identity, User } from "../records/organization.ts";
import type { KnownKey, Organization } from "../records/organization-index.ts";
import { checkLoginFeature } from "./login-features.ts";
import { findByIdentity } from "./oauth-providers.ts";
import { assertMadeFor, checkIssuedSince, identityIn } from "./oidc-tokens.ts";
import { featureOf } from "./otps.ts";
import type { Registrations } from "./passkey-registrations.ts";
import {
  checkVerifiedSince,
  readVerificationToken,
  type TokenReader,
} from "./verification-tokens.ts";

// Stamps by a key that nobody has registered. A token says whose it is: it was made for this key, and it
// proves a social login or a contact of the user.

export type AttestedStamp = ApiKeyStamp & { attestation: Attestation };

type Attestation = { token: string; publicKeyAsSent: string } & (
  | { scheme: typeof BY_CODE; contact: Contact }
  | { scheme: typeof BY_OIDC; identity: Identity }
);

const BY_CODE = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN";
const BY_OIDC = "STAMP_ATTESTED_SCHEME_P256_OIDC";

const MAX_LENGTH = 16 * 1024;

/** Whether a vote shows such a stamp. Its key is nobody's credential. */
export function isAttestedScheme(scheme: string): boolean {
  return scheme === BY_CODE || scheme === BY_OIDC;
}

/** Parses the value of an `X-Stamp-Attested` header: JSON, or base64url of it. Throws if it is malformed. */
export function parseAttestedStamp(header: string): AttestedStamp {
  if (header.length > MAX_LENGTH) throw new Error("the attested stamp is too long");
  const text = header.startsWith("{") ? header : decodeUtf8(decodeBase64Url(header));
  const members = parseStrictJson(text, { maxDepth: 1 });
  if (!isObject(members)) throw new Error("the attested stamp is not an object");
  const { publicKeyAttestation: token, scheme, publicKey, signature, ...others } = members;
  if (
    typeof token !== "string" ||
    typeof publicKey !== "string" ||
    Object.keys(others).length > 0
  ) {
    throw new Error("the attested stamp has other members");
  }
  const stamp = readApiKeyStamp({ publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature });
  return {
    ...stamp,
    attestation: { token, publicKeyAsSent: publicKey, ...readToken(scheme, token) },
  };
}

/** What the token says. Nothing has verified it yet. */
function readToken(scheme: unknown, token: string) {
  if (scheme === BY_OIDC) {
    const identity = identityIn(token);
    if (identity) return { scheme: BY_OIDC, identity } as const;
  }
  if (scheme === BY_CODE) {
    const claims = peekVerificationToken(token);
    if (claims) {
      const { verification_type: type, contact } = claims;
      return { scheme: BY_CODE, contact: contactOf({ type, contact }) } as const;
    }
  }
  throw new Error("the attested stamp has no token of a known scheme");
}

/**
 * The user whom the token is about, if its contact is a verified one. A social login may have been stated only if
 * the request names this very organization. The token is not verified here.
 */
export function findAttested(
  { document }: Organization,
  { attestation, publicKey }: AttestedStamp,
  { namesParent = false }: { namesParent?: boolean } = {},
): KnownKey | undefined {
  if (attestation.scheme === BY_OIDC) {
    // Social logins are for users of sub-organizations.
    const isTop = document.parentOrganizationId === null;
    const found = isTop ? undefined : findByIdentity(document, attestation.identity);
    const type = "CREDENTIAL_TYPE_OAUTH_KEY_P256" as const;
    if (!found || (namesParent && !found.provider.isProven)) return undefined;
    const { user, provider } = found;
    return { user, session: null, credential: { id: provider.providerId, publicKey, type } };
  }
  const { contact } = attestation;
  const [user, ...others] = document.users.filter((each) => hasVerified(each, contact));
  if (!user || others.length > 0) return undefined;
  const type = "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256" as const;
  return { user, session: null, credential: { id: user.userId, publicKey, type } };
}

/** What an attestation is verified with. */
export type Attestations = TokenReader & {
  registrations: Registrations;
  parent: Organization | null;
  /** Whether the request names the parent, and not the organization that the host brought. */
  namesParent: boolean;
};

/** Verifies the stamp and its token. Whatever is wrong with either, the sender is not authenticated. */
export function authenticateAttested(
  stamp: AttestedStamp,
  {
    body,
    organization,
    attestations,
  }: { body: Uint8Array; organization: Organization; attestations: Attestations },
): KnownKey {
  const { document } = organization;
  const { parent } = attestations;
  if (document.parentOrganizationId !== null && !parent) {
    throw recordRefused("an attested stamp needs the parent's document too");
  }
  if (!verifyApiKeyStamp(stamp, body)) {
    throw unauthenticated(
      "STAMP_INVALID",
      `could not verify attested stamp signature: ${BODY_CHANGED}`,
    );
  }
  // Before anybody is looked for: a token that proves nothing must not tell whom the service knows.
  const verified = orInvalid(() => verifyToken(stamp, attestations));
  const known = findAttested(organization, stamp, attestations);
  if (!known) throw attestedNotFound(document.organizationId);
  const holder = organization.findKey(stamp.publicKey);
  if (holder && holder.user.userId !== known.user.userId) {
    throw unauthenticated(
      "STAMP_INVALID",
      "could not verify attested stamp: another user of the organization has registered its key: make a new key pair for each login",
    );
  }
  orInvalid(() => verified.checkUser(known.user));
  return known;
}

function orInvalid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "INTERNAL") throw error;
    throw unauthenticated("STAMP_INVALID", `could not verify attested stamp: ${error.message}`);
  }
}

const field = "publicKeyAttestation";

/** Verifies what does not depend on whom the token is about. */
function verifyToken({ attestation, publicKey }: AttestedStamp, given: Attestations) {
  const { document, parent, registrations } = given;
  const { token, publicKeyAsSent } = attestation;
  if (attestation.scheme === BY_OIDC) {
    const claims = registrations.readToken(token, field);
    assertMadeFor(claims, publicKeyAsSent, { token: field, key: "publicKey" });
    registrations.assertTokensSeen();
    return { checkUser: (user: User) => checkIssuedSince(given, claims, user, field) };
  }
  const proven = readVerificationToken(given, token, field);
  if (proven.publicKey !== publicKey) {
    throw unauthenticated("STAMP_INVALID", "the token was issued for another public key");
  }
  return {
    checkUser(user: User) {
      checkLoginFeature({ document, parent: parent?.document ?? null }, featureOf(proven.type));
      checkVerifiedSince(given, proven, user, field);
    },
  };
}

function attestedNotFound(organizationId: string): ApiError {
  return unauthenticated(
    "CREDENTIAL_NOT_FOUND",
    `no user of the organization, or of one of its sub-organizations, has the verified contact or the social login that the stamp attests; a social login that was only stated counts if you name the sub-organization itself organizationId=${organizationId}`,
  );
}
