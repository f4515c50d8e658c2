import {
  type Activity,
  getOrganization,
  listActivities,
  listPolicies,
  listUsers,
  simulateActivity,
} from "@keyhearth/sdk";
import { neat } from "../policies/playground/neat.ts";
import type { Draft } from "../policies/playground/read-policies.ts";
import type { Connected } from "./connected.ts";
import { askedBy } from "./needed-approvals.ts";
import { connect } from "./sending.ts";

/** The newest activities that policies may decide about. Votes and queries are none. */
export async function listOwn(connected: Connected): Promise<Activity[]> {
  const options = { paginationOptions: { limit: "20" } };
  const { activities } = await listActivities(connect(connected), options);
  return activities.filter((activity) => askedBy(activity) !== null && !VOTES.test(activity.type));
}

const VOTES = /_(APPROVE|REJECT)_ACTIVITY$/;

/**
 * An activity as a request of the playground: what its organization would decide about today. The service says what
 * conditions read of it, so a key that was deleted meanwhile is an error.
 */
export async function requestOf(connected: Connected, activity: Activity): Promise<string> {
  const asked = askedBy(activity);
  if (!asked) throw new Error("the activity does not show its request");
  const connection = connect(connected);
  const { userId, approverUserIds } = asked.by;
  const [{ context }, { users }, { organizationData }] = await Promise.all([
    simulateActivity(connection, {
      activity: asked.activity,
      userId,
      approverUserIds,
      includeContext: true,
    }),
    listUsers(connection),
    getOrganization(connection),
  ]);
  const request = {
    users: users.map(({ userId: id, userName, userEmail, userTags, apiKeys }) => ({
      id,
      alias: userName,
      ...(userEmail && { email: userEmail }),
      ...(userTags.length > 0 && { tags: userTags }),
      ...(apiKeys.length > 0 && {
        credentials: apiKeys.map(({ apiKeyId, credential: { publicKey, type } }) => ({
          id: apiKeyId,
          type,
          public_key: publicKey,
        })),
      }),
    })),
    rootQuorum: organizationData.rootQuorum,
    approvedBy: [userId, ...approverUserIds],
    now: new Date().toISOString(),
    context,
  };
  return neat(request);
}

/** The policies that are in force. */
export async function ownPolicies(connected: Connected): Promise<Draft[]> {
  const { policies } = await listPolicies(connect(connected));
  return policies.map(({ policyName, effect, condition, consensus, time }) => ({
    name: policyName,
    effect,
    condition,
    consensus,
    time: time ?? "",
  }));
}
