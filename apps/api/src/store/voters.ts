import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { StoredDocument } from "./organizations.ts";

/** The voters of activities as the document version of each vote had them. */
export type Voters = {
  look(read: Pick<StoredDocument, "version" | "document">): void;
  voterOf(vote: Vote): User | undefined;
};

/** Of the documents that are read the voters alone are kept. */
export function collectVoters(activities: readonly ActivityRecord[]): Voters {
  const votersAt = new Map<number, Map<string, User | undefined>>();
  for (const { documentVersion, userId } of activities.flatMap(({ votes }) => votes)) {
    const voters = votersAt.get(documentVersion) ?? new Map<string, User | undefined>();
    votersAt.set(documentVersion, voters.set(userId, undefined));
  }
  return {
    look({ version, document }) {
      const voters = votersAt.get(version);
      for (const userId of voters?.keys() ?? []) voters?.set(userId, findUser(document, userId));
    },
    voterOf: ({ documentVersion, userId }) => votersAt.get(documentVersion)?.get(userId),
  };
}
