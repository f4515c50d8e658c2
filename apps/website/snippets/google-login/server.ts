import type { KeyhearthClient } from "@keyhearth/sdk";
import type { OidcBackend } from "@keyhearth/sdk/browser";

/** What your server does for the page. `parent` has a key of your organization that may do these two things. */
export function oidcBackend(parent: KeyhearthClient): OidcBackend {
  return {
    async oauthLogin(request) {
      const organizationId = await accountOf(parent, request.oidcToken);
      return { ...(await parent.oauthLogin(request, { organizationId })), organizationId };
    },
  };
}

/** The sub-organization of the person whom the token is about. At the first login it is made. */
async function accountOf(parent: KeyhearthClient, oidcToken: string): Promise<string> {
  // Only social logins that a token has proved: anyone can state somebody else's.
  const filter = { filterType: "OIDC_TOKEN", filterValue: oidcToken } as const;
  const [known] = (await parent.listVerifiedSuborgs(filter)).organizationIds;
  if (known) return known;
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "Wallet of a Google account",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Google account",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "Google", oidcToken }],
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
