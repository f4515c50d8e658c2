import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import {
  filterFields,
  foundIds,
  OIDC_TOKEN,
  parseFilter,
} from "../query/sub-organization-filter.ts";
import { identityLookup } from "../store/lookups.ts";
import { hasSubOrganization, listSubOrganizationsBy } from "../store/sub-organizations.ts";

const types = ["EMAIL", "PHONE_NUMBER", OIDC_TOKEN] as const;

/**
 * Sub-organizations with a user who has proven a contact. Only a login proves one, and there are no
 * logins by email or SMS yet. So the list is always empty: a contact that somebody only typed in must
 * never be taken for a proven one.
 */
export const listVerifiedSuborgs = defineQuery({
  name: "list_verified_suborgs",
  tag: "Organizations",
  summary: "List verified sub-organizations",
  description:
    "List the ids of a parent organization's sub-organizations in which a user has proven to have the given email address or phone number. Nobody can prove that yet, so the list is empty; list_suborgs finds contacts that were not proven.",
  requestName: "GetVerifiedSubOrgIdsRequest",
  responseName: "GetVerifiedSubOrgIdsResponse",
  request: filterFields(
    types,
    "The contact to find sub-organizations by. Emails match in any case.",
  ),
  response: foundIds,
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    filterType: "EMAIL",
    filterValue: "ada@example.com",
  },

  async answer({ db, organizationId, identityOf }, { filterType, filterValue, paginationOptions }) {
    const page = parsePagination(paginationOptions);
    await assertCursors(page, "sub-organization", (id) =>
      hasSubOrganization(db, organizationId, id),
    );
    if (!filterType && !filterValue) return { organizationIds: [] };
    const { type, value } = parseFilter(types, { filterType, filterValue });
    if (type !== OIDC_TOKEN) return { organizationIds: [] };
    const identity = identityLookup(await identityOf(value));
    return {
      organizationIds: await listSubOrganizationsBy(db, organizationId, type, identity, page),
    };
  },
});
