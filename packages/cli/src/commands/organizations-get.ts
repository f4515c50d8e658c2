import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** The organization: what is in it, and who its root users are. */
export async function organizationsGet(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { organizationData: organization } = await client.getOrganization({});
  const { organizationId = "", name = "", users = [], rootQuorum } = organization;
  const nameOf = (id: string) => users.find(({ userId }) => userId === id)?.userName ?? id;
  const roots = rootQuorum?.userIds ?? [];
  const size = (list: readonly unknown[] | undefined) => String(list?.length ?? 0);
  return factsReport(organization, [
    ["organization", `${name} (${organizationId})`],
    ["root users", `${roots.map(nameOf).join(", ")}; ${rootQuorum?.threshold ?? 0} must agree`],
    ["users", size(users)],
    ["wallets", size(organization.wallets)],
    ["private keys", size(organization.privateKeys)],
    ["policies", size(organization.policies)],
    ["features", (organization.features ?? []).map((feature) => feature.name).join(", ")],
  ]);
}
