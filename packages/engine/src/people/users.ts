import { decodeHex } from "@keyhearth/crypto/encoding";
import { type Curve, isValidPublicKey } from "@keyhearth/crypto/keys";
import { ApiError, alreadyExists, checkEach, invalid, limitExceeded } from "../errors.ts";
import type { ApiKeyParamsV2, AuthenticatorParamsV2 } from "../fields.ts";
import { LIMITS } from "../limits.ts";
import type { Facts } from "../records/facts.ts";
import type { Want } from "../records/kinds.ts";
import {
  type ApiKey,
  findUser,
  type OrganizationDocument,
  type Quorum,
  type User,
} from "../records/organization.ts";
import type { SessionEntry } from "../records/sessions.ts";
import { credentialTypeOfCurve } from "./authenticate.ts";
import { createAuthenticators, namesOfPasskey } from "./authenticators.ts";
import { createOauthProviders, type OauthProviderParams } from "./oauth-providers.ts";
import { type Registrations, registeredKeyName } from "./registrations.ts";

export type NewUser = {
  userName: string;
  userEmail?: string | undefined;
  userPhoneNumber?: string | undefined;
  apiKeys: ApiKeyParamsV2[];
  authenticators?: AuthenticatorParamsV2[] | undefined;
  oauthProviders?: OauthProviderParams[] | undefined;
  userTags?: string[] | undefined;
};

type Creation = {
  userId: string;
  /** The first one. `newSessionEpoch` makes it if there are expiring keys. */
  sessionEpoch: number;
  newId: (name: string) => string;
  nowMs: number;
  registrations: Registrations;
};

/** Creates a user. Its expiring keys are returned separately. */
export function createUser(
  {
    userName,
    userEmail,
    userPhoneNumber,
    apiKeys,
    authenticators = [],
    oauthProviders = [],
    userTags = [],
  }: NewUser,
  { userId, sessionEpoch, newId, nowMs, registrations }: Creation,
): { user: User; entries: SessionEntry[] } {
  const keys = createApiKeys(apiKeys, { sessionEpoch, newId, nowMs });
  const user: User = {
    userId,
    userName,
    userEmail: userEmail ?? null,
    userPhoneNumber: userPhoneNumber ?? null,
    apiKeys: keys.longLived,
    userTags: [...new Set(userTags)],
    authenticators: createAuthenticators(authenticators, { newId, nowMs, registrations }),
    oauthProviders: createOauthProviders(oauthProviders, { newId, nowMs }),
    sessionEpoch,
    sessionEpochStartedAtMs: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { user, entries: keys.expiring };
}

type P256KeyParams = Omit<ApiKeyParamsV2, "curveType">;

/** Adds the curve to the API keys of old versions, which supported only P-256. */
export function withCurve<T extends { apiKeys: P256KeyParams[] }>(
  params: T,
): T & { apiKeys: ApiKeyParamsV2[] } {
  const apiKeys = params.apiKeys.map((key) => ({
    ...key,
    curveType: "API_KEY_CURVE_P256" as const,
  }));
  return { ...params, apiKeys };
}

/** Creates long-lived keys for the document and expiring ones for the sessions record. */
export function createApiKeys(
  params: ApiKeyParamsV2[],
  {
    sessionEpoch,
    newId,
    nowMs,
  }: { sessionEpoch: number; newId: (name: string) => string; nowMs: number },
): { apiKeyIds: string[]; longLived: ApiKey[]; expiring: SessionEntry[] } {
  const longLived: ApiKey[] = [];
  const expiring: SessionEntry[] = [];
  const apiKeyIds: string[] = [];
  for (const [index, { apiKeyName, publicKey, curveType, expirationSeconds }] of params.entries()) {
    const apiKeyId = newId(`api-key/${index}`);
    const credential = { publicKey, type: credentialTypeOfCurve(curveType) };
    apiKeyIds.push(apiKeyId);
    if (expirationSeconds === undefined) {
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      longLived.push({ apiKeyId, apiKeyName, credential, ...times });
    } else {
      expiring.push({
        apiKeyId,
        apiKeyName,
        credential,
        sessionEpoch,
        expirationSeconds: Number(expirationSeconds),
        createdAtMs: nowMs,
      });
    }
  }
  return { apiKeyIds, longLived, expiring };
}

/** Every key must be a point of its curve, and no two users may share a key. Adds them to `taken`. */
export function checkApiKeys(params: ApiKeyParamsV2[], field: string, taken: Set<string>) {
  checkEach(params, (each, index) => checkApiKey(each, `${field}[${index}]`, taken));
}

export function checkApiKey(
  { publicKey, curveType }: ApiKeyParamsV2,
  field: string,
  taken: Set<string>,
) {
  const at = `${field}.publicKey`;
  if (!isPointOf(publicKey, curveType)) {
    throw invalid(at, `\`${at}\` is not a compressed public key of ${curveType}`);
  }
  if (taken.has(publicKey)) {
    throw alreadyExists(
      "PUBLIC_KEY_TAKEN",
      at,
      `an API key with public key \`${publicKey}\` already exists in this organization`,
    );
  }
  taken.add(publicKey);
}

/** The sessions that may hold one of the keys to register. */
export function keyHolderWant({
  apiKeys = [],
  authenticators = [],
}: {
  apiKeys?: { publicKey: string }[];
  authenticators?: AuthenticatorParamsV2[];
}): Want {
  const publicKeys = apiKeys.map(({ publicKey }) => publicKey);
  const ofPasskeys = authenticators.flatMap((params) => registeredKeyName(params) ?? []);
  return { type: "sessions-of-keys", publicKeys: [...publicKeys, ...ofPasskeys] };
}

/**
 * Public keys and credential ids that belong to users already, whether they expire or not. The expiring
 * ones of one user can be left out: the user may register them again.
 */
export function takenPublicKeys(
  { document, records, nowMs }: Facts & { nowMs: number },
  exceptSessionsOf?: string,
) {
  const longLived = document.users.flatMap(({ apiKeys, authenticators }) => [
    ...apiKeys.map(({ credential }) => credential.publicKey),
    ...authenticators.flatMap(namesOfPasskey),
  ]);
  return new Set([...longLived, ...records.sessionKeys(nowMs, exceptSessionsOf)]);
}

export function checkLongLivedKeys(user: User | null, params: ApiKeyParamsV2[], field: string) {
  const added = params.filter(({ expirationSeconds }) => expirationSeconds === undefined).length;
  if ((user?.apiKeys.length ?? 0) + added <= LIMITS.apiKeysPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum long-lived api keys: a user may have ${LIMITS.apiKeysPerUser}`,
  );
}

export function checkAuthenticatorCount(
  user: User | null,
  params: AuthenticatorParamsV2[],
  field: string,
) {
  if ((user?.authenticators.length ?? 0) + params.length <= LIMITS.authenticatorsPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum authenticators: a user may have ${LIMITS.authenticatorsPerUser}`,
  );
}

/** What a user can come back with: how many credentials that do not expire and social logins, and contacts. */
type Returning = {
  userId: string;
  userEmail?: string | null | undefined;
  userPhoneNumber?: string | null | undefined;
  lasting: number;
  social: number;
};

/** A user as a request would create it. */
export function newReturning(
  { apiKeys, authenticators = [], oauthProviders = [], ...user }: NewUser,
  userId: string,
): Returning {
  const longLived = apiKeys.filter(({ expirationSeconds }) => expirationSeconds === undefined);
  const lasting = longLived.length + authenticators.length;
  return { ...user, userId, lasting, social: oauthProviders.length };
}

/**
 * Without a credential that lasts, a user could be locked out. In a sub-organization, a social login
 * is enough, and so is an email address or phone number if the organization allows login by it.
 */
export function checkCanReturn(user: Returning, field: string, organization: Organization) {
  if (canReturn(user, organization)) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "USER_WITHOUT_CREDENTIAL",
    `user missing valid credential: ${user.userId}: \`${field}\` needs an API key without expirationSeconds, or an authenticator`,
    { field },
  );
}

/** Whatever an activity does: it takes nobody's last way back, and creates nobody without one. */
export function assertAllCanReturn(before: OrganizationDocument, after: OrganizationDocument) {
  for (const user of after.users) {
    if (canReturn(returning(user), after)) continue;
    const known = findUser(before, user.userId);
    if (known && !canReturn(returning(known), before)) continue;
    checkCanReturn(returning(user), "parameters", after);
  }
}

export function returning({ apiKeys, authenticators, oauthProviders, ...user }: User): Returning {
  const lasting = apiKeys.length + authenticators.length;
  return { ...user, lasting, social: oauthProviders.length };
}

type Organization = Pick<OrganizationDocument, "parentOrganizationId" | "features">;

const emailLogins = ["FEATURE_NAME_EMAIL_AUTH", "FEATURE_NAME_OTP_EMAIL_AUTH"];

function canReturn(
  { lasting, social, userEmail, userPhoneNumber }: Returning,
  { parentOrganizationId, features }: Organization,
): boolean {
  if (lasting > 0) return true;
  if (parentOrganizationId === null) return false;
  if (social > 0) return true;
  const byEmail = features.some(({ name }) => emailLogins.includes(name));
  const byPhone = features.some(({ name }) => name === "FEATURE_NAME_SMS_AUTH");
  return (Boolean(userEmail) && byEmail) || (Boolean(userPhoneNumber) && byPhone);
}

/**
 * An email address or phone number may be a way to log in as the user. Only the root quorum may change
 * those of its members, or a policy about users could make someone a root user.
 */
export function changesContactOfRoot(
  intent: {
    userId: string;
    userEmail?: string | undefined;
    userPhoneNumber?: string | undefined;
  },
  { rootQuorum }: OrganizationDocument,
): boolean {
  const { userId, userEmail, userPhoneNumber } = intent;
  const changes = userEmail !== undefined || userPhoneNumber !== undefined;
  return changes && rootQuorum.userIds.includes(userId);
}

export function checkQuorum({ threshold, userIds }: Quorum, known: string[], field: string) {
  if (threshold < 1) {
    throw invalid(field, "quorum threshold must be non-zero integer", "QUORUM_INVALID");
  }
  checkEach(userIds, (userId, index) => {
    if (known.includes(userId)) return;
    const message = `quorum users missing: user \`${userId}\` is not in the organization`;
    throw invalid(`parameters.userIds[${index}]`, message, "QUORUM_INVALID");
  });
  if (threshold > userIds.length) {
    throw invalid(
      field,
      `\`${field}\` is ${threshold}, but there are only ${userIds.length} root users`,
      "QUORUM_INVALID",
    );
  }
}

function isPointOf(publicKey: string, curveType: ApiKeyParamsV2["curveType"]): boolean {
  try {
    return isValidPublicKey(signingCurve(curveType), decodeHex(publicKey));
  } catch {
    return false;
  }
}

function signingCurve(curveType: ApiKeyParamsV2["curveType"]): Curve {
  switch (curveType) {
    case "API_KEY_CURVE_P256":
      return "CURVE_P256";
    case "API_KEY_CURVE_SECP256K1":
      return "CURVE_SECP256K1";
    case "API_KEY_CURVE_ED25519":
      return "CURVE_ED25519";
  }
}
