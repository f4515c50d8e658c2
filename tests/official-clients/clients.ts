import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { Turnkey as Turnkey8, type TurnkeyApiClient } from "@turnkey/sdk-server";
import { Turnkey as Turnkey3 } from "turnkey-sdk-server-3";

export type ApiKeyPair = { apiPublicKey: string; apiPrivateKey: string };

/** One release of the official client, unmodified. Only the base URL is ours. */
export type Release = {
  name: string;
  connect(url: string, organizationId: string, key: ApiKeyPair): TurnkeyApiClient;
};

// The clients poll an activity that waits for consensus until all reads are used up: keep them few.
const activityPoller = { intervalMs: 20, numRetries: 1 };

export const releases: Release[] = [
  {
    name: "@turnkey/sdk-server 8.2.1",
    connect(apiBaseUrl, defaultOrganizationId, key) {
      return new Turnkey8({
        apiBaseUrl,
        defaultOrganizationId,
        ...key,
        activityPoller,
      }).apiClient();
    },
  },
  {
    name: "@turnkey/sdk-server 3.0.1",
    connect(apiBaseUrl, defaultOrganizationId, key) {
      const server = new Turnkey3({ apiBaseUrl, defaultOrganizationId, ...key, activityPoller });
      // The methods called here have the same names and parameters in both releases; the results
      // differ in fields that only the newer one knows.
      return server.apiClient() as unknown as TurnkeyApiClient;
    },
  },
];

export function newApiKeyPair(): ApiKeyPair {
  const privateKey = generatePrivateKey("CURVE_P256");
  return {
    apiPublicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
    apiPrivateKey: encodeHex(privateKey),
  };
}

/** A P-256 API key, in the form of the parameters for a new user. */
export function apiKeyParams({ apiPublicKey }: ApiKeyPair, expirationSeconds?: string) {
  return {
    apiKeyName: `key ${apiPublicKey.slice(2, 14)}`,
    publicKey: apiPublicKey,
    curveType: "API_KEY_CURVE_P256" as const,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
}

export function rootUserParams(userName: string, key: ApiKeyPair) {
  return { userName, apiKeys: [apiKeyParams(key)], authenticators: [], oauthProviders: [] };
}
