import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { Db } from "./connect.ts";
import { readDocumentVersions, type StoredDocument } from "./organizations.ts";

/**
 * The voters of activities as the document version of each vote had them. Nothing is read where
 * every vote was given under the current version, and of older ones the voters alone are kept.
 */
export async function findVoters(
  db: Db,
  current: Pick<StoredDocument, "organizationId" | "version" | "document">,
  activities: ActivityRecord[],
): Promise<(vote: Vote) => User | undefined> {
  const votersAt = new Map<number, Map<string, User | undefined>>();
  for (const { documentVersion, userId } of activities.flatMap(({ votes }) => votes)) {
    if (documentVersion === current.version) continue;
    const voters = votersAt.get(documentVersion) ?? new Map<string, User | undefined>();
    votersAt.set(documentVersion, voters.set(userId, undefined));
  }
  const older = readDocumentVersions(db, current.organizationId, votersAt.keys());
  for await (const { version, document } of older) {
    const voters = votersAt.get(version);
    for (const userId of voters?.keys() ?? []) voters?.set(userId, findUser(document, userId));
  }
  return ({ documentVersion, userId }) =>
    documentVersion === current.version
      ? findUser(current.document, userId)
      : votersAt.get(documentVersion)?.get(userId);
}
