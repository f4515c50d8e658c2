import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import type { Report } from "../output.ts";
import { pagesOf } from "../pages.ts";
import { listReport } from "../tables.ts";

const FILTERS = [
  ...["NAME", "USERNAME", "EMAIL", "PHONE_NUMBER", "PUBLIC_KEY", "CREDENTIAL_ID"],
  "WALLET_ACCOUNT_ADDRESS",
];

/** The sub-organizations, or those that have a given name, contact, key or address. */
export async function subOrganizationsList(
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const filter = filterOf(given.option("filter"));
  const { client } = await connect(given, surroundings);
  const pages = await pagesOf(
    given,
    async ({ limit, last }) => {
      const paginationOptions = { limit, ...(last && { after: last }) };
      const { organizationIds } = await client.listSuborgs({ ...filter, paginationOptions });
      return organizationIds;
    },
    (id) => id,
  );
  return listReport("organizationIds", pages, {
    shown: [["ORGANIZATION", (id) => id]],
    none: "there is no such sub-organization",
  });
}

function filterOf(filter: string | undefined) {
  if (filter === undefined) return {};
  const [, type = "", filterValue = ""] = /^([\w-]+)=(.+)$/s.exec(filter) ?? [];
  const filterType = type.toUpperCase().replaceAll("-", "_");
  if (FILTERS.includes(filterType)) return { filterType, filterValue };
  const names = FILTERS.map((name) => name.toLowerCase()).join(", ");
  throw new InputError(
    `--filter must be NAME=VALUE with one of ${names}, such as email=ada@example.com`,
  );
}
