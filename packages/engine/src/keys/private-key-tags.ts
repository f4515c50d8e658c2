import { alreadyExists, checkEach, notFound } from "../errors.ts";
import type { OrganizationDocument, PrivateKeyLine } from "../records/organization.ts";
import { findPrivateKeyLine } from "../records/private-key.ts";

/** Refuses the name of another private key tag. */
export function checkTagName(
  { privateKeyTags }: OrganizationDocument,
  tagName: string,
  field: string,
  ownTagId?: string,
) {
  if (privateKeyTags.every((tag) => tag.tagName !== tagName || tag.tagId === ownTagId)) return;
  const message = `a private key tag with the name \`${tagName}\` already exists`;
  throw alreadyExists("NAME_TAKEN", field, message);
}

export function checkPrivateKeyIds(
  document: OrganizationDocument,
  privateKeyIds: readonly string[],
  field: string,
) {
  checkEach(privateKeyIds, (privateKeyId, index) => {
    if (findPrivateKeyLine(document, privateKeyId)) return;
    throw notFound(`${field}[${index}]`, "private key", privateKeyId);
  });
}

/** Adds the tag to a key that does not have it yet. */
export function addTag(line: PrivateKeyLine, tagId: string) {
  if (!line.privateKeyTags.includes(tagId)) line.privateKeyTags.push(tagId);
}

export function removeTags(line: PrivateKeyLine, tagIds: readonly string[]) {
  line.privateKeyTags = line.privateKeyTags.filter((tagId) => !tagIds.includes(tagId));
}
