import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import type { Db } from "./connect.ts";
import { findDocument, type StoredDocument } from "./organizations.ts";
import { findFirstVersion } from "./past-documents.ts";

/** The voters of activities, from the document version that each vote names. */
export type Voters = {
  look(read: Read, of?: { isParents: boolean }): void;
  /** After the versions were read: finds the voters of those that were deleted by their age. */
  lookElsewhere(db: Db, current: StoredDocument): Promise<void>;
  voterOf(vote: Vote): User | undefined;
};

type Read = Pick<StoredDocument, "version" | "document">;

/** Keeps only the voters of the documents that are read. */
export function collectVoters(activities: readonly ActivityRecord[]): Voters {
  const votes = activities.flatMap((activity) => activity.votes);
  const votersAt = new Map<string, Map<string, User | undefined>>();
  const unread = new Map<string, Vote>();
  for (const vote of votes) {
    const voters = votersAt.get(placeOf(vote)) ?? new Map<string, User | undefined>();
    votersAt.set(placeOf(vote), voters.set(vote.userId, undefined));
    unread.set(placeOf(vote), vote);
  }

  function look({ version, document }: Read, { isParents } = { isParents: false }) {
    const place = placeOf({ documentVersion: version, isParents });
    unread.delete(place);
    const voters = votersAt.get(place);
    for (const userId of voters?.keys() ?? []) voters?.set(userId, findUser(document, userId));
  }

  /** Of a version that is gone, its users are as they are now. What was said of one who was deleted is gone too. */
  async function lookInNewest(db: Db, { organizationId, document }: StoredDocument, of: Vote[]) {
    const first = await findFirstVersion(db, organizationId);
    for (const vote of of.filter(({ documentVersion }) => documentVersion < first)) {
      const voters = votersAt.get(placeOf(vote));
      for (const userId of voters?.keys() ?? []) {
        voters?.set(userId, findUser(document, userId) ?? forgotten(userId));
      }
    }
  }

  return {
    look,
    async lookElsewhere(db, current) {
      const left = [...unread.values()];
      const own = left.filter(({ isParents }) => !isParents);
      if (own.length > 0) await lookInNewest(db, current, own);
      const parents = left.filter(({ isParents }) => isParents);
      const { parentOrganizationId } = current.document;
      if (parents.length === 0 || parentOrganizationId === null) return;
      const parent = await findDocument(db, parentOrganizationId);
      if (parent) await lookInNewest(db, parent, parents);
    },
    voterOf: (vote) => votersAt.get(placeOf(vote))?.get(vote.userId),
  };
}

/** A user of whom nothing but the id is left. */
function forgotten(userId: string): User {
  return {
    userId,
    userName: "",
    userEmail: null,
    isEmailVerified: false,
    userPhoneNumber: null,
    isPhoneNumberVerified: false,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

/** One version of the organization's document, or of its parent's. */
export function placeOf({
  documentVersion,
  isParents,
}: Pick<Vote, "documentVersion" | "isParents">) {
  return `${isParents ? "parent" : "own"} ${documentVersion}`;
}
