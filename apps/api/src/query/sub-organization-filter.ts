import { invalid, shorten } from "@keyhearth/engine/errors";
import { unshown } from "@keyhearth/engine/fields/parse";
import { MAX_OIDC_TOKEN_LENGTH, OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { Pagination } from "../wire/objects.ts";

// What the queries that look for sub-organizations by a value have in common.

/** The value is a token, and the user has the identity that it proves. */
export const OIDC_TOKEN = "OIDC_TOKEN" as const;

const MAX_VALUE_LENGTH = 1024;

/** The fields of a request that filters by one of these types. */
export function filterFields(types: readonly string[], value: string) {
  return z.object({
    organizationId: OrganizationId.describe("Unique identifier of the parent organization."),
    filterType: z
      .string()
      .describe(`What \`filterValue\` is: ${types.join(", ")}. Leave both out to list all.`)
      .meta({ examples: ["EMAIL"] })
      .optional(),
    filterValue: z
      .string()
      .max(MAX_OIDC_TOKEN_LENGTH, `must have at most ${MAX_OIDC_TOKEN_LENGTH} characters`)
      .describe(value)
      .meta({ examples: ["ada@example.com"] })
      .register(unshown, {})
      .optional(),
    paginationOptions: Pagination.optional(),
  });
}

/** Ids of sub-organizations, as a response has them. */
export const foundIds = z.object({
  organizationIds: z
    .array(OrganizationId)
    .describe("Ids of the sub-organizations, in the order of the ids."),
});

/** Returns the type and the value. Refuses another type, and one without the other. */
export function parseFilter<T extends string>(
  types: readonly T[],
  {
    filterType = "",
    filterValue,
  }: { filterType?: string | undefined; filterValue?: string | undefined },
): { type: T; value: string } {
  const type = types.find((each) => each === filterType);
  if (!type) {
    throw invalid(
      "filterType",
      `\`filterType\` is \`${shorten(filterType)}\`; it accepts ${types.join(", ")}`,
    );
  }
  if (!filterValue) throw invalid("filterValue", "`filterValue` must be given with `filterType`");
  if (type !== OIDC_TOKEN && filterValue.length > MAX_VALUE_LENGTH) {
    throw invalid(
      "filterValue",
      `must have at most ${MAX_VALUE_LENGTH} characters: \`filterValue\` has ${filterValue.length}`,
    );
  }
  return { type, value: filterValue };
}
