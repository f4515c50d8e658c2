import { invalid, shorten } from "@keyhearth/engine/errors";
import { OrganizationId, oneLine } from "@keyhearth/engine/fields";
import { parseFields } from "@keyhearth/engine/parse-fields";
import * as z from "zod";
import { Pagination } from "../contract/objects.ts";
import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import type { LookupKind } from "../store/schema.ts";
import {
  hasSubOrganization,
  listSubOrganizations,
  listSubOrganizationsBy,
  listSubOrganizationsByAddress,
} from "../store/sub-organizations.ts";

const kinds: LookupKind[] = [
  "NAME",
  "USERNAME",
  "EMAIL",
  "PHONE_NUMBER",
  "PUBLIC_KEY",
  "CREDENTIAL_ID",
];
const ADDRESS = "WALLET_ACCOUNT_ADDRESS";
const accepted = [...kinds, ADDRESS].join(", ");

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
      .describe(
        "The value to find sub-organizations by. Emails, public keys and Ethereum addresses match in any case.",
      )
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
    const page = parsePagination(paginationOptions);
    await assertCursors(page, "sub-organization", (id) =>
      hasSubOrganization(db, organizationId, id),
    );
    if (!filterType && !filterValue) {
      return { organizationIds: await listSubOrganizations(db, organizationId, page) };
    }
    const type = filterType ?? "";
    if (type === "OIDC_TOKEN") {
      throw invalid(
        "filterType",
        `\`OIDC_TOKEN\` is not supported by this version of the service; \`filterType\` accepts ${accepted}`,
        "FIELD_UNSUPPORTED",
      );
    }
    const kind = kinds.find((each) => each === type);
    if (!kind && type !== ADDRESS) {
      throw invalid("filterType", `\`filterType\` is \`${shorten(type)}\`; it accepts ${accepted}`);
    }
    if (!filterValue) {
      throw invalid("filterValue", "`filterValue` must be given with `filterType`");
    }
    if (!kind) {
      const found = await listSubOrganizationsByAddress(db, organizationId, filterValue, page);
      return { organizationIds: found };
    }
    if (kind === "NAME" || kind === "USERNAME") parseFields(Name, { filterValue }, "");
    // Registered keys are in lower case, however the request wrote them.
    const value = kind === "PUBLIC_KEY" ? filterValue.toLowerCase() : filterValue;
    return {
      organizationIds: await listSubOrganizationsBy(db, organizationId, kind, value, page),
    };
  },
});
