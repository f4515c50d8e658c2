import { type ApiKeyCurve, InvalidField, type KeyhearthClient } from "@keyhearth/sdk";

/** The public key of somebody's wallet, in hex, and its curve. */
type WalletKey = { publicKey: string; curveType: ApiKeyCurve };

/** Answers a page that sends the public key of a wallet that people already have: `POST /wallet-sign-up`. */
export async function signUpWithWallet(
  parent: KeyhearthClient,
  request: Request,
): Promise<Response> {
  const isJson = request.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? await request.json().catch(() => undefined) : undefined;
  try {
    return Response.json({ organizationId: await organizationOf(parent, Object(body)) });
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error;
    return Response.json({ error: error.message }, { status: 400 });
  }
}

/** Finds the sub-organization of this wallet, or creates one. Nobody but the wallet can use it. */
async function organizationOf(parent: KeyhearthClient, { publicKey, curveType }: WalletKey) {
  const known = await parent.listSuborgs({ filterType: "PUBLIC_KEY", filterValue: publicKey });
  const [organizationId] = known.organizationIds;
  if (organizationId !== undefined) return organizationId;

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
  return subOrganizationId;
}
