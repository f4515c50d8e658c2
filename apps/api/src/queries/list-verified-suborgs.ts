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
  listSubOrganizationsBy,
  listVerifiedSubOrganizations,
} from "../store/sub-organizations.ts";

const types = ["EMAIL", "PHONE_NUMBER", OIDC_TOKEN] as const;

const kinds = {
  EMAIL: "VERIFIED_EMAIL",
  PHONE_NUMBER: "VERIFIED_PHONE_NUMBER",
  OIDC_TOKEN: "VERIFIED_OIDC_TOKEN",
} as const satisfies Record<(typeof types)[number], LookupKind>;

/**
 * Sub-organizations with a user who has proved a contact or a social login. What somebody only typed in is
 * never taken for a proven one.
 */
export const listVerifiedSuborgs = defineQuery({
  name: "list_verified_suborgs",
  tag: "Organizations",
  summary: "List verified sub-organizations",
  description:
    "List the ids of a parent organization's sub-organizations in which a user has proved, by a verification token, to have the given email address or phone number, or, by an OIDC token, the social login that the given token is about. Without a filter, list those in which a user has proved any contact. list_suborgs finds contacts and social logins that were not proved too.",
  requestName: "GetVerifiedSubOrgIdsRequest",
  responseName: "GetVerifiedSubOrgIdsResponse",
  request: filterFields(
    types,
    "The contact, or the OIDC token, to find sub-organizations by. Emails match in any case of ASCII letters.",
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
      const goOn = () => assertLight(allowance, false);
      const all = await listVerifiedSubOrganizations(db, organizationId, page, goOn);
      return { organizationIds: all };
    }
    const { type, value } = parseFilter(types, { filterType, filterValue });
    const sought = type === OIDC_TOKEN ? identityLookup(await identityOf(value)) : value;
    const found = await listSubOrganizationsBy(db, organizationId, kinds[type], sought, page);
    return { organizationIds: found };
  },
});
