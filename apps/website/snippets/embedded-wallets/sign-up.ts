import type { AuthenticatorParamsV2, KeyhearthClient } from "@keyhearth/sdk";

/** What the page sends to sign somebody up. */
export type SignUp = {
  name: string;
  /** The new passkey, as the browser made it: with its challenge and its attestation. */
  authenticator: AuthenticatorParamsV2;
  /** A key of the browser, for its first login: P-256, compressed, in hex. */
  publicKey: string;
};

/**
 * Creates a sub-organization whose only root user has this passkey. `parent` has the API key of your own
 * organization, which can create sub-organizations and cannot sign for them afterwards.
 */
export async function signUp(parent: KeyhearthClient, { name, authenticator, publicKey }: SignUp) {
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: `Wallet of ${name}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: name,
        authenticators: [authenticator],
        // Never a key without an end, whatever the page asks for: the page could be anybody's.
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
  return { organizationId: subOrganizationId, address: wallet?.addresses[0] ?? "" };
}
