import { parseFields } from "@keyhearth/engine/fields/parse";
import { oneLine } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import {
  filterFields,
  foundIds,
  OIDC_TOKEN,
  parseFilter,
} from "../query/sub-organization-filter.ts";
import { assertLight } from "../reader/allowance.ts";
import { identityLookup } from "../store/lookups.ts";
import type { LookupKind } from "../store/schema.ts";
import {
  hasSubOrganization,
  listSubOrganizations,
  listSubOrganizationsBy,
  listSubOrganizationsByAddress,
} from "../store/sub-organizations.ts";

const ADDRESS = "WALLET_ACCOUNT_ADDRESS";
const types: (LookupKind | typeof ADDRESS)[] = [
  "NAME",
  "USERNAME",
  "EMAIL",
  "PHONE_NUMBER",
  "PUBLIC_KEY",
  "CREDENTIAL_ID",
  OIDC_TOKEN,
  ADDRESS,
];

const Name = z.object({ filterValue: oneLine });

/** Ids of sub-organizations: all of them, or those that match a value. */
export const listSuborgs = defineQuery({
  name: "list_suborgs",
  tag: "Organizations",
  summary: "List sub-organizations",
  description:
    "List the ids of a parent organization's sub-organizations. With a filter, list only those that have the given name, a user with the given name, contact or credential, or a wallet account with the given address.",
  requestName: "GetSubOrgIdsRequest",
  responseName: "GetSubOrgIdsResponse",
  request: filterFields(
    types,
    "The value to find sub-organizations by. Emails, public keys and Ethereum addresses match in any case. An OIDC token must be valid; it finds the user whose social login it proves.",
  ),
  response: foundIds,
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    filterType: "EMAIL",
    filterValue: "ada@example.com",
  },

  mayAskStandby: true,
  async answer(
    { db, organizationId, identityOf, allowance },
    { filterType, filterValue, paginationOptions },
  ) {
    const page = parsePagination(paginationOptions);
    await assertCursors(page, "sub-organization", (id) =>
      hasSubOrganization(db, organizationId, id),
    );
    if (!filterType && !filterValue) {
      return { organizationIds: await listSubOrganizations(db, organizationId, page) };
    }
    const { type: kind, value } = parseFilter(types, { filterType, filterValue });
    if (kind === ADDRESS) {
      const goOn = () => assertLight(allowance, false);
      const found = await listSubOrganizationsByAddress(db, organizationId, value, page, goOn);
      return { organizationIds: found };
    }
    if (kind === "NAME" || kind === "USERNAME") parseFields(Name, { filterValue: value }, "");
    if (kind === OIDC_TOKEN) {
      const identity = identityLookup(await identityOf(value));
      return {
        organizationIds: await listSubOrganizationsBy(db, organizationId, kind, identity, page),
      };
    }
    // Registered keys are in lower case, however the request wrote them.
    const stored = kind === "PUBLIC_KEY" ? value.toLowerCase() : value;
    return {
      organizationIds: await listSubOrganizationsBy(db, organizationId, kind, stored, page),
    };
  },
});
