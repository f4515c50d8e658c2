import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { Db } from "./connect.ts";
import { listDocumentVersions, type StoredDocument } from "./organizations.ts";

/**
 * The voters of activities as the document version of each vote had them. At most one read, and
 * none where every vote was given under the current version.
 */
export async function findVoters(
  db: Db,
  current: Pick<StoredDocument, "organizationId" | "version" | "document">,
  activities: ActivityRecord[],
): Promise<(vote: Vote) => User | undefined> {
  const versions = new Set<number>();
  for (const { votes } of activities) {
    for (const { documentVersion } of votes) {
      if (documentVersion !== current.version) versions.add(documentVersion);
    }
  }
  const older = await listDocumentVersions(db, current.organizationId, [...versions]);
  const documents = new Map(older.map(({ version, document }) => [version, document]));
  documents.set(current.version, current.document);
  return ({ documentVersion, userId }) => {
    const document = documents.get(documentVersion);
    return document && findUser(document, userId);
  };
}
