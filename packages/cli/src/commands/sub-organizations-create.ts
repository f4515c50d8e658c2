import { accountParams, findAddressFormat, nextPath } from "../addresses.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { publicKeyOf } from "../connection/public-keys.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** A sub-organization with one root user, who has an API key, and with a wallet if accounts are given. */
export async function subOrganizationsCreate(
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const key = given.required("public-key", "the root user's public key, or the name of a key");
  const { publicKey, curveType } = await publicKeyOf(key, given.option("curve"), surroundings.env);
  const formats = given.list("account").map(findAddressFormat);
  const { client } = await connect(given, surroundings);
  const accounts = formats.map((each) => accountParams(each, { path: nextPath(each, []) }));
  const made = await client.createSubOrganization({
    subOrganizationName: given.word(0),
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: given.option("user") ?? "root",
        apiKeys: [{ apiKeyName: "first key", publicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    ...(accounts.length > 0 && { wallet: { walletName: "wallet", accounts } }),
  });
  const { activity: _, ...result } = made;
  return factsReport(result, [
    ["organization", result.subOrganizationId],
    ["root user", (result.rootUserIds ?? []).join(", ")],
    ...(result.wallet?.addresses ?? []).map((address) => ["address", address] as const),
  ]);
}
