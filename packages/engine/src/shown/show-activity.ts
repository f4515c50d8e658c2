import { activityOfType } from "../activities/index.ts";
import type { Version } from "../declare/define.ts";
import { ApiError } from "../errors.ts";
import { type ActivityRecord, messageOf, submitterOf, type Vote } from "../records/activity.ts";
import { parseAccepted, parseParameters, typeReadAs } from "../submission/envelope.ts";

/** What an activity shows differently to each viewer, and what its record does not have. */
export type Viewing<User> = {
  organizationId: string;
  /** Null for a webhook, which sees what any user may see. */
  viewerId: string | null;
  userOf: (vote: Vote, index: number) => User;
  canApprove: boolean;
  canReject: boolean;
};

/** An activity as answers and webhooks show it. The order of members is the wire's. */
export function showActivity<User>(activity: ActivityRecord, viewing: Viewing<User>) {
  const { intent, resultKey } = showIntent(activity);
  return {
    id: activity.activityId,
    organizationId: viewing.organizationId,
    status: activity.status,
    type: activity.type,
    intent,
    result: activity.result ? { [resultKey]: resultFor(activity, activity.result, viewing) } : {},
    votes: activity.votes.map((vote, index) => ({
      id: vote.voteId,
      userId: vote.userId,
      user: viewing.userOf(vote, index),
      activityId: activity.activityId,
      selection: vote.selection,
      message: messageOf(activity, vote),
      publicKey: vote.publicKey,
      signature: vote.signature,
      scheme: vote.scheme,
      createdAt: showTimestamp(vote.createdAtMs),
    })),
    appProofs: activity.appProofs,
    fingerprint: activity.fingerprint,
    canApprove: viewing.canApprove,
    canReject: viewing.canReject,
    createdAt: showTimestamp(activity.createdAtMs),
    updatedAt: showTimestamp(activity.updatedAtMs),
    failure: activity.failure,
  };
}

export function showTimestamp(ms: number) {
  return { seconds: String(Math.floor(ms / 1000)), nanos: "0" };
}

/** The result as the viewer may see it. What is kept from the viewer is empty. */
function resultFor(
  activity: ActivityRecord,
  result: Record<string, unknown>,
  { viewerId }: Viewing<unknown>,
) {
  const { private: hidden = [] } = activityOfType(activity.type).answer ?? {};
  if (hidden.length === 0 || viewerId === submitterOf(activity)) return result;
  return { ...result, ...Object.fromEntries(hidden.map((member) => [member, ""])) };
}

/** The intent is in the first vote: its message is the bytes that started the activity. */
function showIntent({ votes, type }: ActivityRecord) {
  const { parameters } = parseAccepted(votes[0]?.message ?? "");
  const declaration = activityOfType(type);
  const version = declaration.versions[typeReadAs(declaration, { type, parameters })];
  // Invariant: `activityOfType` found the declaration by this type.
  if (!version) throw new Error("activity type without a version");
  const { intentKey, resultKey, shown } = version;
  const intent = readIntent(version, parameters);
  return { intent: { [intentKey]: shown ? shown.of(intent) : intent }, resultKey };
}

function readIntent(version: Version, parameters: Record<string, unknown>) {
  try {
    // Parameters are an object in every version.
    return parseParameters(version, parameters) as Record<string, unknown>;
  } catch (error) {
    // The rules may have become stricter since. The intent is then shown as it was sent.
    if (!(error instanceof ApiError)) throw error;
    return parameters;
  }
}
