import {
  type ApiKeyCurve,
  type ApiKeyStamp,
  curveOfScheme,
  parseApiKeyStamp,
  verifyApiKeyStamp,
} from "@keyhearth/crypto/stamp";
import { type ApiError, unauthenticated } from "../errors.ts";
import {
  type CredentialType,
  findUser,
  type OrganizationDocument,
  type User,
} from "../records/organization.ts";
import { expiresAtMs, type SessionEntry, type Sessions } from "../records/sessions.ts";
import type { Credential, KnownKey, Organization } from "./organization.ts";
import type { StampKeys } from "./stamp-keys.ts";

/** The header with the stamp, as it was sent. */
export type StampHeader = { name: string; value: string };

export type Authenticated = {
  user: User;
  credential: Credential;
  stamp: ApiKeyStamp;
  /** The entry in the user's sessions record, if the key expires. */
  session: SessionEntry | null;
};

/** Parses the stamp header. Checks only its form, not the signature. */
export function parseStamp(header: StampHeader | null): ApiKeyStamp {
  if (!header) {
    throw unauthenticated(
      "STAMP_MISSING",
      "no valid authentication signature found for request: cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)",
    );
  }
  if (header.name.toLowerCase() !== "x-stamp") {
    throw unauthenticated(
      "STAMP_MALFORMED",
      `malformed activity stamp: \`${header.name}\` stamps are not supported by this version of the service; stamp with an API key in \`X-Stamp\``,
    );
  }
  try {
    return parseApiKeyStamp(header.value);
  } catch {
    throw unauthenticated(
      "STAMP_MALFORMED",
      "malformed activity stamp: could not extract api key stamp; expected base64url of {publicKey, scheme, signature}",
    );
  }
}

/**
 * Finds the stamp's key among the users of one organization, and verifies the stamp over the exact
 * bytes of the body. Long-lived keys are in the document, expiring ones in their user's sessions
 * record.
 */
export function authenticate({
  stamp,
  body,
  organization,
  sessions,
  stampKeys,
  nowMs,
}: {
  stamp: ApiKeyStamp;
  body: Uint8Array;
  organization: Organization;
  sessions: Sessions[];
  stampKeys: StampKeys;
  nowMs: number;
}): Authenticated {
  const { document } = organization;
  const known = findHolder(organization, sessions, { publicKey: stamp.publicKey, nowMs });
  if (!known) throw publicKeyNotFound(document.organizationId, stamp.publicKey);
  const { user, credential, session } = known;

  const schemeFits = curveOfType[credential.type] === curveOfScheme(stamp.scheme);
  const keyOf = ({ publicKey, scheme }: ApiKeyStamp) =>
    stampKeys.import(document.organizationId, publicKey, scheme);
  if (!schemeFits || !verifyApiKeyStamp(stamp, body, keyOf(stamp))) {
    throw unauthenticated(
      "STAMP_INVALID",
      `could not verify api key signature organizationId=${document.organizationId} publicKey=${stamp.publicKey}`,
    );
  }
  if (session && expiresAtMs(session) <= nowMs) {
    throw unauthenticated(
      "CREDENTIAL_EXPIRED",
      `could not authenticate: rpc error: code = Unauthenticated desc = expired api key publicKey=${stamp.publicKey}`,
    );
  }
  return { user, credential, stamp, session };
}

export function publicKeyNotFound(organizationId: string, publicKey: string): ApiError {
  return unauthenticated(
    "CREDENTIAL_NOT_FOUND",
    `could not find public key in organization or its parent organization organizationId=${organizationId} publicKey=${publicKey}`,
  );
}

/** The curve of the keys that stamp with a credential of each type. */
const curveOfType: { [type in CredentialType]?: ApiKeyCurve } = {
  CREDENTIAL_TYPE_API_KEY_P256: "API_KEY_CURVE_P256",
  CREDENTIAL_TYPE_API_KEY_SECP256K1: "API_KEY_CURVE_SECP256K1",
  CREDENTIAL_TYPE_API_KEY_ED25519: "API_KEY_CURVE_ED25519",
  CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256: "API_KEY_CURVE_P256",
  CREDENTIAL_TYPE_LOGIN: "API_KEY_CURVE_P256",
};

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
): KnownKey | undefined {
  const { document } = organization;
  const longLived = organization.findKey(publicKey);
  const known = [
    ...(longLived ? [longLived] : []),
    ...sessions.flatMap((each) => findSessionKey(document, each, publicKey) ?? []),
  ];
  const live = known.filter(({ session }) => !session || expiresAtMs(session) > nowMs);
  const [holder] = live;
  if (live.some(({ user }) => user.userId !== holder?.user.userId)) {
    throw unauthenticated(
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
  if (!user || !session || session.sessionEpoch !== user.sessionEpoch) return undefined;
  return { user, credential: { id: session.apiKeyId, ...session.credential }, session };
}
