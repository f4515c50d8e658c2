import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

export function apiKeyParams(publicKey: string) {
  return { apiKeyName: "Bench key", publicKey, curveType: "API_KEY_CURVE_P256" as const };
}

export function clientOf(
  baseUrl: string,
  organizationId: string,
  { publicKey, privateKey }: { publicKey: string; privateKey: string },
): KeyhearthClient {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  return new KeyhearthClient({ baseUrl, organizationId, stamper });
}
