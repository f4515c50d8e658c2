import type { AuthenticatorParamsV2, KeyhearthClient } from "@keyhearth/sdk";

// The part that a browser must not do: it needs the API key of the parent organization.

/** What the page sends to sign somebody up. */
export type SignUpRequest = {
  name: string;
  /** The new passkey, as the browser made it. */
  passkey: AuthenticatorParamsV2;
  /** A key of the browser, with which it starts the first session: P-256, compressed, in hex. */
  publicKey: string;
};

/** The member whose form is wrong, or undefined. The service checks the passkey itself. */
export function problemOf(body: unknown): string | undefined {
  const request: Partial<Record<keyof SignUpRequest, unknown>> =
    typeof body === "object" && body !== null ? body : {};
  const { name, passkey, publicKey } = request;
  if (typeof name !== "string" || name.trim() === "" || name.length > 64) {
    return "name must be text of 1 to 64 characters";
  }
  if (typeof publicKey !== "string" || !/^0[23][0-9a-f]{64}$/.test(publicKey)) {
    return "publicKey must be a compressed P-256 key in hex";
  }
  if (typeof passkey !== "object" || passkey === null) return "passkey must be a new passkey";
  return undefined;
}

/**
 * Creates a sub-organization that belongs to its user alone. The parent organization can read it, but
 * cannot sign with its wallet or change it. Returns its id.
 */
export async function signUp(
  parent: KeyhearthClient,
  { name, passkey, publicKey }: SignUpRequest,
): Promise<string> {
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: `${name}’s wallet`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: name,
        authenticators: [passkey],
        // For the first five minutes, so that the page can start a session without a second prompt.
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
  return subOrganizationId;
}
