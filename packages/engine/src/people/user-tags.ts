import { alreadyExists, checkEach, invalid } from "../errors.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";

/** Refuses the name of another user tag. */
export function checkTagName(
  { userTags }: OrganizationDocument,
  tagName: string,
  field: string,
  ownTagId?: string,
) {
  if (userTags.every((tag) => tag.tagName !== tagName || tag.tagId === ownTagId)) return;
  const message = `a user tag with the name \`${tagName}\` already exists`;
  throw alreadyExists("NAME_TAKEN", field, message);
}

/** Refuses users to tag that the organization does not have. */
export function checkUserIds(
  document: OrganizationDocument,
  userIds: readonly string[],
  field: string,
) {
  checkEach(userIds, (userId, index) => {
    if (findUser(document, userId)) return;
    throw invalid(`${field}[${index}]`, `user not found: \`${userId}\``, "NOT_FOUND");
  });
}

/** Refuses tags of a user that the organization does not have. */
export function checkTags(
  tagIds: readonly string[],
  organization: Pick<OrganizationDocument, "userTags">,
  field: string,
) {
  checkEach(tagIds, (tagId, index) => {
    if (organization.userTags.some((tag) => tag.tagId === tagId)) return;
    throw invalid(`${field}[${index}]`, `user tag not found: \`${tagId}\``, "NOT_FOUND");
  });
}

/** Adds the tag to a user who does not have it yet. */
export function addTag(user: User, tagId: string, nowMs: number) {
  if (!user.userTags.includes(tagId)) setTags(user, [...user.userTags, tagId], nowMs);
}

export function removeTags(user: User, tagIds: readonly string[], nowMs: number) {
  const kept = user.userTags.filter((tagId) => !tagIds.includes(tagId));
  if (kept.length < user.userTags.length) setTags(user, kept, nowMs);
}

export function setTags(user: User, tagIds: readonly string[], nowMs: number) {
  user.userTags = [...new Set(tagIds)];
  user.updatedAtMs = nowMs;
}
