import type { Invitation, OrganizationData, Quorum, Tag, User } from "@keyhearth/sdk";

/** The people of an organization, and what groups them. */
export type Team = {
  users: readonly User[];
  invitations: readonly Invitation[];
  /** Those of users. Private keys have tags too. */
  tags: readonly Tag[];
  quorum: Quorum;
};

export function peopleOf({
  users = [],
  invitations = [],
  tags = [],
  rootQuorum = { threshold: 1, userIds: [] },
}: OrganizationData): Team {
  return {
    users: users.toSorted((a, b) => a.userName.localeCompare(b.userName)),
    invitations,
    tags: tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER"),
    quorum: rootQuorum,
  };
}

export function isRoot({ quorum }: Team, { userId }: Pick<User, "userId">): boolean {
  return quorum.userIds.includes(userId);
}

export function nameOfTag({ tags }: Pick<Team, "tags">, id: string): string {
  return tags.find(({ tagId }) => tagId === id)?.tagName ?? "a deleted tag";
}

/** What a form offers to somebody with these tags. It sends them all, so it also shows those that the service does not list. */
export function tagOptionsOf(
  { tags }: Pick<Team, "tags">,
  tagIds: readonly string[],
): { id: string; label: string }[] {
  const unlisted = tagIds.filter((id) => !tags.some(({ tagId }) => tagId === id));
  return [
    ...tags.map(({ tagId, tagName }) => ({ id: tagId, label: tagName })),
    ...unlisted.map((id) => ({ id, label: `A tag that is not listed: ${id}` })),
  ];
}

/** Whether they can still stamp in a year: with a passkey, or with a key that does not expire. */
export function hasLastingCredential({ authenticators, apiKeys }: User): boolean {
  return authenticators.length > 0 || apiKeys.some(({ expirationSeconds }) => !expirationSeconds);
}

/** "1 passkey, 2 API keys", without the keys of sessions. */
export function credentialsOf({ authenticators, apiKeys }: User): string {
  const lasting = apiKeys.filter(({ expirationSeconds }) => !expirationSeconds).length;
  const parts = [
    ...(authenticators.length > 0 ? [countOf(authenticators.length, "passkey")] : []),
    ...(lasting > 0 ? [countOf(lasting, "API key")] : []),
  ];
  return parts.join(", ") || "None that lasts";
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
