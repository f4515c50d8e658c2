import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { type Curve, isValidPublicKey } from "@keyhearth/crypto/keys/keys";
import { alreadyExists, checkEach, invalid, limitExceeded } from "../errors.ts";
import type { ApiKeyParamsV2 } from "../fields/credentials.ts";
import { LIMITS } from "../records/limits.ts";
import type { ApiKey, User } from "../records/organization.ts";
import type { SessionEntry } from "../records/sessions.ts";
import { credentialTypeOfCurve } from "./authenticate.ts";

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

export function checkLongLivedKeys(user: User | null, params: ApiKeyParamsV2[], field: string) {
  const added = params.filter(({ expirationSeconds }) => expirationSeconds === undefined).length;
  if ((user?.apiKeys.length ?? 0) + added <= LIMITS.apiKeysPerUser) return;
  throw limitExceeded(
    field,
    `user has exceeded maximum long-lived api keys: a user may have ${LIMITS.apiKeysPerUser}`,
  );
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
