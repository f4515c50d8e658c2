import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

export const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";

/** The parent organization, as the root user that `npm start` made. */
export async function openParent(): Promise<KeyhearthClient> {
  const { organizationId, ...key } = await readApiKeyFile(
    process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json",
  );
  return new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(key) });
}

/** A person or a program with a new API key. Its private half is nowhere but here. */
export function newUser(userName: string) {
  const { apiPublicKey, apiPrivateKey, curveType } = createApiKey();
  return {
    params: {
      userName,
      apiKeys: [{ apiKeyName: "key", publicKey: apiPublicKey, curveType }],
      authenticators: [],
      oauthProviders: [],
    },
    in: (organizationId: string) =>
      new KeyhearthClient({
        baseUrl,
        organizationId,
        stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
      }),
  };
}

/** The account of an Ethereum wallet with this number. */
export function ethereumAccount(number = 0) {
  return {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${number}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  } as const;
}
