import { MAX_LENGTH } from "@keyhearth/policy/limits";
import { countTokens } from "@keyhearth/policy/tokens";
import { limitExceeded } from "../errors.ts";
import { LIMITS } from "../records/limits.ts";
import type { OrganizationDocument } from "../records/organization.ts";

type Clauses = {
  condition?: string | null | undefined;
  consensus?: string | null | undefined;
  time?: string | null | undefined;
};

/**
 * Limits what it takes to compile the policies of an organization. An organization with more, from
 * before there was a limit, keeps them but cannot add to them. `given` are the clauses of a request,
 * and `replaced` those that they take the place of. Checked before they are parsed, because parsing
 * is the work that is limited.
 */
export function checkPolicySize(
  { policies }: OrganizationDocument,
  { given, replaced = {} }: { given: readonly Clauses[]; replaced?: Clauses },
  field: string,
) {
  const limit = LIMITS.policyParts;
  const added = countParts(given, limit);
  const removed = countParts([replaced], limit);
  if (added <= removed) return;
  if (countParts(policies, limit) + added - removed <= limit) return;
  const size = added > limit ? `more than ${show(limit)}` : show(added);
  throw limitExceeded(
    field,
    `the policies of an organization may have ${show(limit)} parts together (names, values, operators and brackets), and \`${field}\` has ${size}: shorten the clauses, or delete policies that are no longer needed`,
  );
}

/** The number of parts, or any number beyond the limit. */
function countParts(policies: readonly Clauses[], limit: number): number {
  let count = 0;
  for (const { condition, consensus, time } of policies) {
    for (const text of [condition, consensus, time]) {
      // A longer one is refused for its length, before it is parsed.
      if (text && text.length <= MAX_LENGTH) count += countTokens(text, limit - count);
      if (count > limit) return count;
    }
  }
  return count;
}

function show(count: number): string {
  return count.toLocaleString("en");
}
