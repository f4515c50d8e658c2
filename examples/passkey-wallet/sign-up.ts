import { type AuthenticatorParamsV2, InvalidField, type KeyhearthClient } from "@keyhearth/sdk";

// The part that a browser must not do: it needs the API key of your own organization.

/** Answers a page that sends a name, a new passkey and the browser's key: `POST /sign-up`. */
export async function signUp(parent: KeyhearthClient, request: Request): Promise<Response> {
  // Asking for JSON by name keeps other pages out: browsers don't send it to other origins unasked.
  const isJson = request.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? await request.json().catch(() => undefined) : undefined;
  const { name, authenticator, apiKey } = Object(body);
  if (typeof name !== "string" || name.trim() === "" || name.length > 64) {
    return refuse("name must be text of 1 to 64 characters");
  }
  if (typeof apiKey?.publicKey !== "string") {
    return refuse("apiKey.publicKey must be a compressed P-256 key in hex");
  }
  try {
    const user = { name, authenticator, publicKey: apiKey.publicKey };
    return Response.json(await createWalletOf(parent, user), { status: 201 });
  } catch (error) {
    // The service names the fields that are wrong. Everything else stays on the server.
    if (!(error instanceof InvalidField)) throw error;
    return refuse(error.message);
  }
}

function refuse(error: string): Response {
  return Response.json({ error }, { status: 400 });
}

type NewUser = { name: string; authenticator: AuthenticatorParamsV2; publicKey: string };

/** A sub-organization that belongs to its one user. Your own organization can't sign with its wallet. */
async function createWalletOf(
  parent: KeyhearthClient,
  { name, authenticator, publicKey }: NewUser,
) {
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: `Wallet of ${name}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: name,
        authenticators: [authenticator],
        // For the first login without a second prompt. It ends, whatever the page asks for.
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
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/501'/0'/0'",
          addressFormat: "ADDRESS_FORMAT_SOLANA",
        },
      ],
    },
  });
  return { organizationId: subOrganizationId, address: wallet?.addresses[0] ?? "" };
}
