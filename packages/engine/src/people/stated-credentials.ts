import { findUser, type OrganizationDocument } from "../records/organization.ts";

/**
 * Marks the credentials that a user of a top-level organization has registered without a permission. Logins
 * of the users of sub-organizations may name that organization, and must not become this user's.
 */
export function markStated(
  draft: OrganizationDocument,
  { before, userId }: { before: OrganizationDocument; userId: string },
) {
  const user = findUser(draft, userId);
  if (!user || before.parentOrganizationId !== null) return;
  const { apiKeys, authenticators } = findUser(before, userId) ?? {
    apiKeys: [],
    authenticators: [],
  };
  const known = new Set([
    ...apiKeys.map((each) => each.apiKeyId),
    ...authenticators.map((each) => each.authenticatorId),
  ]);
  for (const each of user.apiKeys) {
    if (!known.has(each.apiKeyId)) each.isStated = true;
  }
  for (const each of user.authenticators) {
    if (!known.has(each.authenticatorId)) each.isStated = true;
  }
}
