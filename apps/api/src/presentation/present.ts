import type { ParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import { ApiError } from "@keyhearth/engine/errors";
import { lapseOf } from "@keyhearth/engine/policies/approvals";
import { mayReject, mayVote, type Work } from "@keyhearth/engine/policies/authorize";
import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import { MissingRecord } from "../errors.ts";
import { createPauses } from "../policies/pauses.ts";
import { questionAbout } from "../policies/question.ts";
import { collectWarnings, type Warn } from "../policies/warnings.ts";
import { type Allowance, assertLight } from "../reader/allowance.ts";
import type { Db } from "../store/connect.ts";
import {
  readDocumentsAt,
  readDocumentVersions,
  type StoredDocument,
} from "../store/organizations.ts";
import { collectVoters, placeOf } from "../store/voters.ts";
import type { ShownActivity, ShownUser } from "../wire/objects.ts";
import { type ActivityView, renderActivity, renderVoter } from "./render.ts";

type Viewed = {
  stored: StoredDocument;
  /** A version of the parent's document, if the caller has one at hand. */
  parent?: StoredDocument | null;
  viewer: User | null;
  interfaces: ParsedInterfaces;
  nowMs: number;
};
type Presented = Viewed & { warn: Warn; allowance: Allowance };

/**
 * An activity as the requesting user sees it, with its voters as of the time of their votes. Throws a
 * `TooHeavy` if that takes more work than is allowed here.
 */
export async function presentActivity(
  db: Db,
  { activity, ...viewed }: Presented & { activity: ActivityRecord },
): Promise<ShownActivity> {
  const [shown] = await presentActivities(db, { activities: [activity], ...viewed });
  // One activity in, one activity out.
  if (!shown) throw new Error("no activity to show");
  return shown;
}

export async function presentActivities(
  db: Db,
  {
    activities,
    stored,
    parent = null,
    viewer,
    interfaces,
    warn,
    allowance,
    nowMs,
  }: Presented & { activities: ActivityRecord[] },
): Promise<ShownActivity[]> {
  const { document } = stored;
  assertLight(allowance, isLight(activities, stored, allowance));
  const voters = collectVoters(activities);
  const warnings = collectWarnings(activities, warn, allowance);
  const votes = activities.flatMap((activity) => activity.votes);
  const own = versionsOf(votes, false);
  if (own.every((version) => version === stored.version)) {
    // The answer to a request is about the document at hand, and a generator takes a dozen turns to say so.
    if (own.length > 0) {
      voters.look(stored);
      await warnings.look(stored);
    }
  } else {
    for await (const read of readDocumentsAt(db, stored, own)) {
      voters.look(read);
      await warnings.look(read);
    }
  }
  const { parentOrganizationId } = document;
  const versions = versionsOf(votes, true);
  if (parentOrganizationId !== null && versions.length > 0) {
    const reading = parent
      ? readDocumentsAt(db, parent, versions)
      : readDocumentVersions(db, parentOrganizationId, versions);
    for await (const read of reading) {
      voters.look(read, { isParents: true });
    }
  }
  await voters.lookElsewhere(db, stored);
  const work: Work = { steps: 0 };
  const pause = createPauses(work);
  const counted = interfaces.counted((characters) => {
    work.steps += STEPS_PER_CHARACTER * characters;
  });
  const { voterOf } = voters;
  const userOf = showOnce(voterOf);
  const shown: ShownActivity[] = [];
  for (const activity of activities) {
    const asked = { activity, stored, viewer, interfaces: counted, nowMs, work, allowance };
    const may = await findVotingRights(db, asked);
    const explained = { ...may, warnings: warnings.of(activity) };
    shown.push(
      renderActivity({ activity, document, voterOf, viewer, ...explained, nowMs }, userOf),
    );
    await pause();
  }
  return shown;
}

/** Showing texts, and parsing earlier documents, takes as long as they are. */
function isLight(
  activities: readonly ActivityRecord[],
  { version, bytes }: StoredDocument,
  { records, documents }: Allowance,
): boolean {
  const votes = activities.flatMap((activity) => activity.votes);
  const texts = votes.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);
  const versions = new Set(votes.map(placeOf));
  versions.delete(placeOf({ documentVersion: version, isParents: false }));
  return texts <= records && versions.size * bytes.length <= documents;
}

/** Many votes are by the same users, whose keys may be long. */
function showOnce(voterOf: ActivityView["voterOf"]): (vote: Vote) => ShownUser {
  const shown = new Map<User | undefined, ShownUser>();
  return (vote) => {
    const user = voterOf(vote);
    const known = shown.get(user) ?? renderVoter(vote, voterOf);
    shown.set(user, known);
    return known;
  };
}

/** The versions of the organization's own document, or of its parent's, that votes name. */
export function versionsOf(votes: readonly Vote[], isParents: boolean): number[] {
  return votes.flatMap((vote) => (vote.isParents === isParents ? [vote.documentVersion] : []));
}

/**
 * Limit on the work of finding what the viewer may vote on, for one answer, as evaluations count
 * it.
 */
const MAX_WORK = 10_000_000;

/** Of an interface that has to be parsed: a dense one of 43 KB takes as long as 350,000 steps. */
const STEPS_PER_CHARACTER = 8;

/**
 * Only conditions of policies need the activity's records, so nothing is read if the viewer is a root
 * user or if there is nothing to vote on. Beyond the limit on work the answer is no.
 */
async function findVotingRights(
  db: Db,
  {
    activity,
    stored,
    viewer,
    interfaces,
    nowMs,
    work,
    allowance,
  }: Viewed & { activity: ActivityRecord; work: Work; allowance: Allowance },
): Promise<{ mayVote: boolean; mayReject: boolean }> {
  const { policies, rootQuorum } = stored.document;
  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return nothing;
  if (lapseOf(activity, stored.document)) return nothing;
  // A user of the parent may read but not vote.
  if (!viewer || findUser(stored.document, viewer.userId) === undefined) return nothing;
  if (rootQuorum.userIds.includes(viewer.userId)) return { mayVote: true, mayReject: true };
  if (policies.length === 0) return nothing;
  assertLight(allowance, false);
  // Parsing the request is work too.
  work.steps += activity.votes[0]?.message?.length ?? 0;
  if (work.steps > MAX_WORK) return nothing;
  try {
    const question = await questionAbout(db, { stored, activity, interfaces, nowMs });
    if (!question || !mayVote(question, viewer, work)) return nothing;
    return { mayVote: true, mayReject: mayReject(question, viewer, work) };
  } catch (error) {
    // The core takes no votes on a request, or a record, that today's rules refuse.
    if (error instanceof ApiError || error instanceof MissingRecord) return nothing;
    throw error;
  }
}

const nothing = { mayVote: false, mayReject: false };
