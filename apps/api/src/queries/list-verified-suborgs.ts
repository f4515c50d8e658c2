import { invalid, shorten } from "@keyhearth/engine/errors";
import { OrganizationId } from "@keyhearth/engine/fields";
import * as z from "zod";
import { Pagination } from "../contract/objects.ts";
import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import { hasSubOrganization } from "../store/sub-organizations.ts";

const kinds = ["EMAIL", "PHONE_NUMBER"];
const accepted = kinds.join(", ");

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
  request: z.object({
    organizationId: OrganizationId.describe("Unique identifier of the parent organization."),
    filterType: z
      .string()
      .describe(`What \`filterValue\` is: ${accepted}. Leave both out to list all.`)
      .meta({ examples: ["EMAIL"] })
      .optional(),
    filterValue: z
      .string()
      .max(1024, "must have at most 1024 characters")
      .describe("The contact to find sub-organizations by. Emails match in any case.")
      .meta({ examples: ["ada@example.com"] })
      .optional(),
    paginationOptions: Pagination.optional(),
  }),
  response: z.object({
    organizationIds: z
      .array(OrganizationId)
      .describe("Ids of the sub-organizations, in the order of the ids."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    filterType: "EMAIL",
    filterValue: "ada@example.com",
  },

  async answer({ db, organizationId }, { filterType, filterValue, paginationOptions }) {
    await assertCursors(parsePagination(paginationOptions), "sub-organization", (id) =>
      hasSubOrganization(db, organizationId, id),
    );
    if (filterType || filterValue) assertFilter(filterType ?? "", filterValue);
    return { organizationIds: [] };
  },
});

function assertFilter(type: string, value: string | undefined) {
  if (!kinds.includes(type)) {
    throw invalid("filterType", `\`filterType\` is \`${shorten(type)}\`; it accepts ${accepted}`);
  }
  if (!value) throw invalid("filterValue", "`filterValue` must be given with `filterType`");
}
