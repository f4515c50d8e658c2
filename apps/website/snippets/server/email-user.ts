import type { KeyhearthClient } from "@keyhearth/sdk";

/** A sub-organization for somebody who has nothing but an email address. */
export function createEmailUser(parent: KeyhearthClient, userEmail: string) {
  return parent.createSubOrganization({
    subOrganizationName: `Wallet of ${userEmail}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      { userName: userEmail, userEmail, apiKeys: [], authenticators: [], oauthProviders: [] },
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
}
