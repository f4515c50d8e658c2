import { findCurrent } from "@keyhearth/api/callers/current-document";
import { newFamily } from "@keyhearth/api/queries/queries.testing";
import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, allow, startWaiting, submit } from "../organization.testing.ts";
import { newPasskey } from "../passkey.testing.ts";
import { requireUser } from "../records/organization.ts";

const curveType = "API_KEY_CURVE_P256" as const;

function keyFor(userId: string, apiKeyName: string) {
  return { userId, apiKeys: [{ apiKeyName, publicKey: newKey().publicKey, curveType }] };
}

/** The names of the user's keys and passkeys that are marked. */
async function statedOf({ server, organizationId }: TestOrganization, userId: string) {
  const stored = await findCurrent(server.host, organizationId);
  if (!stored) throw new Error("no such organization");
  const { apiKeys, authenticators } = requireUser(stored.document, userId);
  return [
    ...apiKeys.filter(({ isStated }) => isStated).map(({ apiKeyName }) => apiKeyName),
    ...authenticators.filter((each) => each.isStated).map((each) => each.authenticatorName),
  ];
}

test("what a user registers alone is marked, and what the root quorum registers is not", async () => {
  const organization = await newOrganization();
  const { root, userId: rootId } = organization;
  const { userId, client } = await addUser(organization);
  const passkey = { ...newPasskey().params, authenticatorName: "own passkey" };
  await root.createApiKeys(keyFor(userId, "given"));
  await client.createApiKeys(keyFor(userId, "own key"));
  await client.createAuthenticators({ userId, authenticators: [passkey] });
  await root.createApiKeys(keyFor(rootId, "root's"));
  expect(await statedOf(organization, userId)).toEqual(["own key", "own passkey"]);
  expect(await statedOf(organization, rootId)).toEqual([]);
});

test("neither what a policy allows nor anything in a sub-organization is marked", async () => {
  const { parent, child } = await newFamily();
  const { userId, client } = await addUser(parent);
  await parent.root.createPolicy({
    policyName: "own keys",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'CREDENTIAL'",
    notes: "",
  });
  await client.createApiKeys(keyFor(userId, "allowed"));
  expect(await statedOf(parent, userId)).toEqual([]);
  const grace = await addUser(child);
  await grace.client.createApiKeys(keyFor(grace.userId, "own"));
  expect(await statedOf(child, grace.userId)).toEqual([]);
});

test("what waited for the root quorum is marked, if its user alone may do it in the end", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const [clerk, second, third] = [
    await addUser(organization, "Clerk"),
    await addUser(organization, "Second"),
    await addUser(organization, "Third"),
  ];
  await allow(organization, clerk.userId, ["POLICY", "DELETE"]);
  const { policyId } = await root.createPolicy({
    policyName: "no new credentials",
    effect: "EFFECT_DENY",
    condition: "activity.resource == 'CREDENTIAL'",
    notes: "",
  });
  const userIds = [userId, second.userId, third.userId];
  await root.updateRootQuorum({ threshold: 3, userIds });
  const { fingerprint } = await startWaiting(root, "create_api_keys", {
    type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    parameters: keyFor(userId, "own"),
  });
  await clerk.client.deletePolicy({ policyId });
  const approved = await submit(second.client, "approve_activity", {
    type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
    parameters: { fingerprint },
  });
  expect(approved.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await statedOf(organization, userId)).toEqual(["own"]);
});
