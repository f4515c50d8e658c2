import { newOrganization, type TestClient, type TestOrganization } from "@keyhearth/api/testing";
import type { Activity } from "@keyhearth/sdk";
import { expect } from "vitest";
import { addUser, errorOf, type TestUser } from "../organization.testing.ts";

/** What the tests of policies share: policies that allow something, and denials that name policies. */

export const unknownPolicyId = "00000000-0000-4000-8000-000000000000";

let names = 0;

/** A name that no policy has yet. */
export function newName(): string {
  names += 1;
  return `rule ${names}`;
}

type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** Creates a policy about what one user does. Returns its id. */
export async function rule(
  { root }: Pick<TestOrganization, "root">,
  effect: Effect,
  { userId }: { userId: string },
  condition: string,
): Promise<string> {
  const { policyId } = await root.createPolicy({
    policyName: newName(),
    effect,
    condition,
    consensus: `approvers.any(user, user.id == '${userId}')`,
  });
  return policyId;
}

/** The outcomes of the policies, in their order, for a request that is denied. */
export async function denial(request: Promise<unknown>): Promise<{
  message: unknown;
  outcomes: [policyId: string, outcome: string][];
}> {
  const { httpStatus, grpcCode, code, details } = await errorOf(request);
  expect({ httpStatus, grpcCode, code }).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "POLICY_DENIED",
  });
  const detail = details.find(
    (each) => each["@type"] === "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
  );
  const evaluations = (detail?.policyEvaluations ?? []) as { policyId: string; outcome: string }[];
  const outcomes = evaluations.map(({ policyId, outcome }): [string, string] => [
    policyId,
    outcome,
  ]);
  return { message: detail?.message, outcomes };
}

export const noneAllows = "No policies evaluated to outcome: Allow";

/**
 * A user outside the root quorum is denied, is allowed once a policy allows it, and is denied again
 * once another policy denies it. `arrange` creates what the request is about.
 */
export async function expectPoliciesDecide<T>(
  action: "CREATE" | "UPDATE" | "DELETE",
  arrange: (organization: TestOrganization) => Promise<T>,
  request: (client: TestClient, arranged: T) => Promise<{ activity: Activity }>,
) {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const before = await arrange(organization);
  const implicit = await denial(request(grace.client, before));
  expect(implicit.message).toBe(noneAllows);

  const condition = `activity.resource == 'POLICY' && activity.action == '${action}'`;
  const allow = await rule(organization, "EFFECT_ALLOW", grace, condition);
  const { activity } = await request(grace.client, before);
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(activity.votes.map(({ userId }) => userId)).toEqual([grace.userId]);

  const after = await arrange(organization);
  const deny = await rule(organization, "EFFECT_DENY", grace, condition);
  const explicit = await denial(request(grace.client, after));
  expect(explicit.message).toBe(`The following policies denied this action: ${deny}`);
  const outcomes = new Map(explicit.outcomes);
  expect(outcomes.get(allow)).toBe("OUTCOME_ALLOW");
  expect(outcomes.get(deny)).toBe("OUTCOME_DENY_EXPLICIT");
}

/**
 * With one of the two votes that the root quorum requires, the activity waits and changes nothing.
 * The second vote executes it. Returns the completed activity.
 */
export async function expectWaits<T>(
  arrange: (organization: TestOrganization) => Promise<T>,
  start: (client: TestClient, arranged: T) => Promise<Activity>,
): Promise<{ activity: Activity; root: TestClient; second: TestUser }> {
  const organization = await newOrganization();
  const arranged = await arrange(organization);
  const second = await addUser(organization, "Second");
  const { root, userId } = organization;
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const { policies: before } = await root.listPolicies();
  const waiting = await start(root, arranged);
  expect(waiting).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {} });
  expect((await root.listPolicies()).policies).toEqual(before);
  const { fingerprint } = waiting;
  const { activity } = await second.client.approveActivity({ fingerprint });
  expect(activity).toMatchObject({ id: waiting.id, status: "ACTIVITY_STATUS_COMPLETED" });
  expect((await root.listPolicies()).policies).not.toEqual(before);
  return { activity, root, second };
}

/** Refused requests create neither policies nor activities. */
export async function expectNothingStored(
  { root }: Pick<TestOrganization, "root">,
  refused: () => Promise<void>,
) {
  const before = await stored(root);
  await refused();
  expect(await stored(root)).toEqual(before);
}

async function stored(root: TestClient) {
  const { policies } = await root.listPolicies();
  const { activities } = await root.listActivities({ paginationOptions: { limit: "100" } });
  return { policies, activities: activities.map(({ id }) => id) };
}
