import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { StoredDocument } from "./organizations.ts";

/** The voters of activities, from the document version that each vote names. */
export type Voters = {
  look(read: Pick<StoredDocument, "version" | "document">): void;
  voterOf(vote: Vote): User | undefined;
};

/** Keeps only the voters of the documents that are read. */
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
