import type { ApiKeyCurve, KeyhearthClient } from "@keyhearth/sdk";

/** The public key of somebody's wallet, in hex, and its curve. */
export type WalletKey = { publicKey: string; curveType: ApiKeyCurve };

/** Finds the sub-organization of this wallet, or creates one. Nobody but the wallet can use it. */
export async function signUpWithWallet(
  parent: KeyhearthClient,
  { publicKey, curveType }: WalletKey,
) {
  const known = await parent.listSuborgs({ filterType: "PUBLIC_KEY", filterValue: publicKey });
  const [organizationId] = known.organizationIds;
  if (organizationId !== undefined) return { organizationId };

  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: `Wallet ${publicKey.slice(0, 16)}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: `Wallet ${publicKey.slice(0, 16)}`,
        // The only credential is the key that people already have. It doesn't expire.
        apiKeys: [{ apiKeyName: "Wallet", publicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  return { organizationId: subOrganizationId };
}
