import { setImmediate } from "node:timers/promises";
import type { ParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import { ApiError } from "@keyhearth/engine/errors";
import { mayReject, mayVote, type Work } from "@keyhearth/engine/policies/authorize";
import type { ActivityRecord, Vote } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import { MissingRecord } from "../errors.ts";
import type { Log } from "../observability/log.ts";
import { questionAbout } from "../policies/question.ts";
import { collectWarnings } from "../policies/warnings.ts";
import type { Db } from "../store/connect.ts";
import {
  readDocumentsAt,
  readDocumentVersions,
  type StoredDocument,
} from "../store/organizations.ts";
import { collectVoters } from "../store/voters.ts";
import { renderActivity, type ShownActivity } from "./render.ts";

type Viewed = {
  stored: StoredDocument;
  /** A version of the parent's document, if the caller has one at hand. */
  parent?: StoredDocument | null;
  viewer: User | null;
  interfaces: ParsedInterfaces;
  nowMs: number;
};
type Presented = Viewed & { log: Log };

/** An activity as the requesting user sees it, with its voters as of the time of their votes. */
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
    log,
    nowMs,
  }: Presented & { activities: ActivityRecord[] },
): Promise<ShownActivity[]> {
  const { document } = stored;
  const voters = collectVoters(activities);
  const warnings = collectWarnings(activities, log);
  const votes = activities.flatMap((activity) => activity.votes);
  for await (const read of readDocumentsAt(db, stored, versionsOf(votes, false))) {
    voters.look(read);
    warnings.look(read);
  }
  const { parentOrganizationId } = document;
  if (parentOrganizationId !== null) {
    const versions = versionsOf(votes, true);
    const reading = parent
      ? readDocumentsAt(db, parent, versions)
      : readDocumentVersions(db, parentOrganizationId, versions);
    for await (const read of reading) {
      voters.look(read, { isParents: true });
    }
  }
  const work: Work = { steps: 0 };
  let workAtPause = 0;
  const shown: ShownActivity[] = [];
  for (const activity of activities) {
    const asked = { activity, stored, viewer, interfaces, nowMs, work };
    const may = await findVotingRights(db, asked);
    const { voterOf } = voters;
    const explained = { ...may, warnings: warnings.of(activity) };
    shown.push(renderActivity({ activity, document, voterOf, viewer, ...explained, nowMs }));
    if (work.steps - workAtPause < WORK_WITHOUT_PAUSE) continue;
    workAtPause = work.steps;
    await setImmediate();
  }
  return shown;
}

/** The versions of the organization's own document, or of its parent's, that votes name. */
export function versionsOf(votes: readonly Vote[], isParents: boolean): number[] {
  return votes.flatMap((vote) => (vote.isParents === isParents ? [vote.documentVersion] : []));
}

/** After that much work, the requests of others have their turn. */
const WORK_WITHOUT_PAUSE = 100_000;

/**
 * Limit on the work of finding what the viewer may vote on, for one answer, as evaluations count
 * it.
 */
const MAX_WORK = 10_000_000;

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
  }: Viewed & { activity: ActivityRecord; work: Work },
): Promise<{ mayVote: boolean; mayReject: boolean }> {
  const { policies, rootQuorum } = stored.document;
  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return nothing;
  // A user of the parent may read but not vote.
  if (!viewer || findUser(stored.document, viewer.userId) === undefined) return nothing;
  if (rootQuorum.userIds.includes(viewer.userId)) return { mayVote: true, mayReject: true };
  if (policies.length === 0) return nothing;
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
