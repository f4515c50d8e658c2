import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { StoredDocument } from "./organizations.ts";

/** The voters of activities, from the document version that each vote names. */
export type Voters = {
  look(read: Read, of?: { isParents: boolean }): void;
  voterOf(vote: Vote): User | undefined;
};

type Read = Pick<StoredDocument, "version" | "document">;

/** Keeps only the voters of the documents that are read. */
export function collectVoters(activities: readonly ActivityRecord[]): Voters {
  const votersAt = new Map<string, Map<string, User | undefined>>();
  for (const vote of activities.flatMap(({ votes }) => votes)) {
    const voters = votersAt.get(placeOf(vote)) ?? new Map<string, User | undefined>();
    votersAt.set(placeOf(vote), voters.set(vote.userId, undefined));
  }
  return {
    look({ version, document }, { isParents } = { isParents: false }) {
      const voters = votersAt.get(placeOf({ documentVersion: version, isParents }));
      for (const userId of voters?.keys() ?? []) voters?.set(userId, findUser(document, userId));
    },
    voterOf: (vote) => votersAt.get(placeOf(vote))?.get(vote.userId),
  };
}

/** One version of the organization's document, or of its parent's. */
export function placeOf({
  documentVersion,
  isParents,
}: Pick<Vote, "documentVersion" | "isParents">) {
  return `${isParents ? "parent" : "own"} ${documentVersion}`;
}
