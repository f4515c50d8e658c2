import { decodeBase64Url, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  type ApiKeyCurve,
  type ApiKeyStamp,
  curveOfScheme,
  parseApiKeyStamp,
  type StampKey,
  verifyApiKeyStamp,
} from "@keyhearth/crypto/stamps/stamp";
import {
  isFromRelyingParty,
  parseWebAuthnStamp,
  verifyWebAuthnStamp,
  type WebAuthnStamp,
} from "@keyhearth/crypto/webauthn/webauthn";
import { ApiError, BODY_CHANGED, shorten, unauthenticated } from "../errors.ts";
import { type CredentialType, traitsOf } from "../fields/logins.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";
import type { Credential, KnownKey, Organization } from "../records/organization-index.ts";
import { isCommitted, isLive, type SessionEntry, type Sessions } from "../records/sessions.ts";
import {
  type Attestations,
  type AttestedStamp,
  authenticateAttested,
  findAttested,
  parseAttestedStamp,
} from "./attested-stamps.ts";
import type { StartedBy } from "./proven-facts.ts";
import type { StampKeys } from "./stamp-keys.ts";

/** The header with the stamp, as it was sent. */
export type StampHeader = { name: string; value: string };

/** A stamp by an API key, by a key that a token attests, or by a passkey, which names only the id of its credential. */
export type Stamp = ApiKeyStamp | AttestedStamp | WebAuthnStamp;

export type Authenticated = {
  user: User;
  credential: Credential;
  /** What a vote shows of the stamp. With the message, it is all that a verification needs. */
  stamp: StartedBy;
  /** The entry in the user's sessions record, if the key expires. */
  session: SessionEntry | null;
};

/** Parses the stamp header. Checks only its form, not the signature. */
export function parseStamp(header: StampHeader | null, takesAttested = false): Stamp {
  if (!header) {
    throw unauthenticated(
      "STAMP_MISSING",
      "no valid authentication signature found for request: cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)",
    );
  }
  switch (header.name.toLowerCase()) {
    case "x-stamp":
      return parsed(
        () => parseApiKeyStamp(header.value),
        "api key stamp; expected base64url of {publicKey, scheme, signature}",
      );
    case "x-stamp-webauthn":
      return parsed(
        () => parseWebAuthnStamp(header.value),
        "webauthn stamp; expected JSON of {authenticatorData, clientDataJson, credentialId, signature}, each in base64url without padding",
      );
    case "x-stamp-attested":
      if (!takesAttested) throw attestedNotTaken();
      return parsed(
        () => parseAttestedStamp(header.value),
        "attested stamp; expected JSON, or base64url of JSON, of {publicKeyAttestation, scheme, publicKey, signature}",
      );
    default:
      throw unauthenticated(
        "STAMP_MALFORMED",
        `malformed activity stamp: \`${shorten(header.name)}\` stamps are not supported by this version of the service; stamp with an API key in \`X-Stamp\` or with a passkey in \`X-Stamp-Webauthn\``,
      );
  }
}

export function attestedNotTaken(): ApiError {
  return unauthenticated(
    "STAMP_MALFORMED",
    "malformed activity stamp: `X-Stamp-Attested` stamps only start a session, with stamp_login; stamp other requests with the key of the session in `X-Stamp`",
  );
}

function parsed(parse: () => Stamp, what: string): Stamp {
  try {
    return parse();
  } catch {
    throw unauthenticated("STAMP_MALFORMED", `malformed activity stamp: could not extract ${what}`);
  }
}

/** The credential of a stamp, if it does not expire. What a stamp attests counts too, before it is verified. */
export function findLongLived(organization: Organization, stamp: Stamp): KnownKey | undefined {
  if (isPasskeyStamp(stamp)) return organization.findPasskey(stamp.credentialId);
  return isAttestedStamp(stamp)
    ? findAttested(organization, stamp)
    : organization.findKey(stamp.publicKey);
}

export function isPasskeyStamp(stamp: Stamp): stamp is WebAuthnStamp {
  return "credentialId" in stamp;
}

export function isAttestedStamp(stamp: Stamp): stamp is AttestedStamp {
  return "attestation" in stamp;
}

/**
 * Whether a public key made the stamp. That of an API key says which key that is, and if the key is `imported`, half of
 * the work is done.
 */
export type IsBy = (publicKey: string, imported?: StampKey) => boolean;

/** Verifies a stamp over a body once, however many ask about one key. */
export function verifierOf(stamp: Stamp, body: Uint8Array): IsBy {
  let last: { publicKey: string; isBy: boolean } | undefined;
  return (publicKey, imported) => {
    if (last?.publicKey === publicKey) return last.isBy;
    const isBy = isPasskeyStamp(stamp)
      ? verifyWebAuthnStamp(stamp, body, decodeBase64Url(publicKey))
      : publicKey === stamp.publicKey && verifyApiKeyStamp(stamp, body, imported);
    last = { publicKey, isBy };
    return isBy;
  };
}

/**
 * Verifies the stamp over the exact bytes of the body, and finds its key among the users of one organization. Long-lived
 * keys and passkeys are in the document, expiring keys in their user's sessions record. Returns why it is no user's stamp,
 * since the request may be that of a user of another organization. Who has not signed with a key hears nothing that
 * depends on it: not whether it is registered, and of no organization but the one that they named themselves.
 */
export function authenticate({
  stamp,
  ...given
}: Request & { stamp: Stamp }): Authenticated | ApiError {
  if (isPasskeyStamp(stamp)) return authenticatePasskey(stamp, given);
  if (!isAttestedStamp(stamp)) return authenticateApiKey(stamp, given);
  const { attestations } = given;
  if (!attestations) return attestedNotTaken();
  const { scheme, token } = stamp.attestation;
  const { publicKey, signature } = stamp;
  const known = authenticateAttested(stamp, { ...given, attestations });
  const attestationDigest = encodeHex(sha256(encodeUtf8(token)));
  return { ...known, stamp: { publicKey, scheme, signature, attestationDigest } };
}

type Request = {
  body: Uint8Array;
  /** Whether a public key made the stamp over the body. */
  isBy: IsBy;
  /** The id of the organization that the request names: this one or, for some requests, another one of its family. */
  named: string;
  organization: Organization;
  sessions: Sessions[];
  stampKeys: StampKeys;
  /** Absent where attested stamps do not count. */
  attestations?: Attestations;
  /** The pages whose passkeys count. Asked only about passkeys. */
  origins: () => readonly string[];
  nowMs: number;
};

function authenticatePasskey(
  stamp: WebAuthnStamp,
  { isBy, named, organization, origins }: Request,
): Authenticated | ApiError {
  const known = organization.findPasskey(stamp.credentialId);
  // The stamp does not say the public key, so it is looked up first, and whatever is wrong has one answer.
  if (!known || !isBy(known.credential.publicKey)) return credentialNotFound(stamp, named);
  const [clientData, authenticatorData] = [stamp.clientDataJson, stamp.authenticatorData].map(
    (part) => decodeBase64Url(part),
  ) as [Uint8Array, Uint8Array];
  if (!isFromRelyingParty(clientData, authenticatorData, origins()))
    return pageNotAllowed(stamp, named);
  return { ...known, stamp: shownStamp(stamp, known.credential.publicKey) };
}

/** A passkey's signature is not over the message alone, so the vote has the whole stamp. */
export function shownStamp(
  { authenticatorData, clientDataJson, credentialId, signature }: WebAuthnStamp,
  publicKey: string,
): Authenticated["stamp"] {
  const parts = { authenticatorData, clientDataJson, credentialId, signature };
  return { publicKey, scheme: PASSKEY_SCHEME, signature: JSON.stringify(parts) };
}

export const PASSKEY_SCHEME = "SIGNATURE_SCHEME_TK_WEBAUTHN";

function authenticateApiKey(
  stamp: ApiKeyStamp,
  { isBy, named, organization, sessions, stampKeys, nowMs }: Request,
): Authenticated | ApiError {
  const { publicKey, scheme } = stamp;
  const { organizationId } = organization.document;
  // Before anything is looked up.
  if (!isBy(publicKey, stampKeys.find(organizationId, publicKey, scheme))) {
    return stampInvalid(stamp, named);
  }
  const known = findHolder(organization, sessions, { publicKey, nowMs });
  if (!known) return credentialNotFound(stamp, named);
  if (known instanceof ApiError) return known;
  const { user, credential, session } = known;
  if (traitsOf(credential.type).curve !== curveOfScheme(scheme)) return stampInvalid(stamp, named);
  stampKeys.import(organizationId, publicKey, scheme);
  if (session && !isLive(session, nowMs)) {
    return unauthenticated(
      "CREDENTIAL_EXPIRED",
      `could not authenticate: rpc error: code = Unauthenticated desc = expired api key publicKey=${stamp.publicKey}`,
    );
  }
  return { user, credential, stamp, session };
}

/** Says what may be wrong, but not which check failed. Clients look for the first part of the text. */
export function stampInvalid({ publicKey }: ApiKeyStamp, organizationId?: string): ApiError {
  const at = organizationId === undefined ? "" : ` organizationId=${organizationId}`;
  return unauthenticated(
    "STAMP_INVALID",
    `could not verify api key signature${at} publicKey=${publicKey}: ${BODY_CHANGED}`,
  );
}

function pageNotAllowed({ credentialId }: WebAuthnStamp, organizationId: string): ApiError {
  return unauthenticated(
    "STAMP_INVALID",
    `could not verify WebAuthN signature organizationId=${organizationId} credentialId=${credentialId}: ask for the passkey on a page that the organization allows`,
  );
}

/**
 * Clients look for these texts. A key that could not be found did sign the body. Of a passkey nobody can tell, so its
 * text is for both.
 */
export function credentialNotFound(
  stamp: ApiKeyStamp | WebAuthnStamp,
  organizationId?: string,
): ApiError {
  const at = organizationId === undefined ? "" : ` organizationId=${organizationId}`;
  return unauthenticated(
    "CREDENTIAL_NOT_FOUND",
    isPasskeyStamp(stamp)
      ? `credential ID could not be found in organization or its parent organization${at} credentialId=${stamp.credentialId}, or could not verify WebAuthN signature: ${BODY_CHANGED}`
      : `could not find public key in organization or its parent organization${at} publicKey=${stamp.publicKey}`,
  );
}

/** The key of a recovery mail authenticates nobody for anything else. */
export function onlyRecovers(): ApiError {
  return new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: the key of a recovery mail stamps recover_user for its own user, and nothing else",
  );
}

export function credentialTypeOfCurve(curve: ApiKeyCurve): CredentialType {
  switch (curve) {
    case "API_KEY_CURVE_P256":
      return "CREDENTIAL_TYPE_API_KEY_P256";
    case "API_KEY_CURVE_SECP256K1":
      return "CREDENTIAL_TYPE_API_KEY_SECP256K1";
    case "API_KEY_CURVE_ED25519":
      return "CREDENTIAL_TYPE_API_KEY_ED25519";
  }
}

/**
 * The user who holds the key now, or held it last. A key that two users hold is nobody's: the stamp
 * does not say which of them made it.
 */
function findHolder(
  organization: Organization,
  sessions: Sessions[],
  { publicKey, nowMs }: { publicKey: string; nowMs: number },
): KnownKey | ApiError | undefined {
  const { document } = organization;
  const longLived = organization.findKey(publicKey);
  const known = [
    ...(longLived ? [longLived] : []),
    ...sessions.flatMap((each) => findSessionKey(document, each, publicKey) ?? []),
  ];
  const live = known.filter(({ session }) => !session || isLive(session, nowMs));
  const [holder] = live;
  if (live.some(({ user }) => user.userId !== holder?.user.userId)) {
    return unauthenticated(
      "CREDENTIAL_AMBIGUOUS",
      `more than one user holds the public key organizationId=${document.organizationId} publicKey=${publicKey}`,
    );
  }
  return holder ?? known[0];
}

function findSessionKey(
  document: OrganizationDocument,
  { userId, entries }: Sessions,
  publicKey: string,
): KnownKey | undefined {
  const user = findUser(document, userId);
  const session = entries.findLast((entry) => entry.credential.publicKey === publicKey);
  if (!user || !session || !isCommitted(document, user, session)) return undefined;
  return { user, credential: { id: session.apiKeyId, ...session.credential }, session };
}
