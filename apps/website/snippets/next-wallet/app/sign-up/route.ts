import { type AuthenticatorParamsV2, InvalidField, KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";

// Runs on your server, with the key of your own organization. The browser never sees this key.

export async function POST(request: Request): Promise<Response> {
  try {
    const { name, authenticator, apiKey } = await request.json();
    return Response.json({
      organizationId: await createWalletOf(String(name), authenticator, String(apiKey?.publicKey)),
    });
  } catch (error) {
    if (!(error instanceof InvalidField) && !(error instanceof SyntaxError)) throw error;
    return Response.json({ error: error.message }, { status: 400 });
  }
}

/** A sub-organization with one root user, whose passkey alone can sign. */
async function createWalletOf(
  name: string,
  authenticator: AuthenticatorParamsV2,
  publicKey: string,
): Promise<string> {
  const { organizationId, ...key } = await readApiKeyFile(process.env.KEYHEARTH_ROOT_KEY ?? "");
  const baseUrl = process.env.NEXT_PUBLIC_KEYHEARTH_URL ?? "";
  const parent = new KeyhearthClient({
    baseUrl,
    organizationId,
    stamper: new NodeApiKeyStamper(key),
  });
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: `Wallet of ${name}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: name,
        authenticators: [authenticator],
        // The browser logs in with this key once, so that people see one prompt and not two.
        apiKeys: [
          {
            apiKeyName: "Sign-up",
            publicKey,
            curveType: "API_KEY_CURVE_P256",
            expirationSeconds: "300",
          },
        ],
        oauthProviders: [],
      },
    ],
    wallet: {
      walletName: "Main",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    },
  });
  return subOrganizationId;
}
