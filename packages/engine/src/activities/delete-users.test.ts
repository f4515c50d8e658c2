import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  allow,
  claimsOf,
  expectDenied,
  expectIdsChecked,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_USERS";
const unknownId = "00000000-0000-4000-8000-000000000000";

test("users are deleted with what is theirs, and the others stay", async () => {
  const organization = await newOrganization();
  const { server, root, organizationId, userId } = organization;
  const [grace, alan] = [await addUser(organization), await addUser(organization, "Alan")];
  const session = newKey();
  const expiring = {
    apiKeyName: "phone",
    publicKey: session.publicKey,
    curveType: "API_KEY_CURVE_P256" as const,
    expirationSeconds: "900",
  };
  await grace.client.createApiKeys({ userId: grace.userId, apiKeys: [expiring] });
  await root.createUserTag({ userTagName: "ops", userIds: [grace.userId] });
  await submit(root, "create_oauth_providers", {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId: grace.userId, oauthProviders: [claimsOf("grace")] },
  });
  const request = { userIds: [grace.userId, grace.userId] };
  const { activity, ...result } = await root.deleteUsers(request);
  expect(result).toEqual({ userIds: [grace.userId] });
  expect(activity.intent).toEqual({ deleteUsersIntent: request });
  expect(activity.result).toEqual({ deleteUsersResult: result });
  const { users } = await root.listUsers();
  expect(users.map((user) => user.userId)).toEqual([userId, alan.userId]);
  expect(await root.getOauthProviders()).toEqual({ oauthProviders: [] });

  // Both kinds of keys stamp nothing from now on, and may be registered again.
  for (const key of [grace.key, session]) {
    expect(await refusal(clientOf(server, organizationId, key).whoami())).toMatchObject({
      httpStatus: 401,
      code: "CREDENTIAL_NOT_FOUND",
    });
  }
  const { publicKey } = grace.key;
  const lasting = { apiKeyName: "again", publicKey, curveType: "API_KEY_CURVE_P256" as const };
  await root.createApiKeys({ userId: alan.userId, apiKeys: [lasting, expiring] });
  expect(await grace.client.whoami()).toMatchObject({ userId: alan.userId });
  await submit(root, "create_oauth_providers", {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId: alan.userId, oauthProviders: [claimsOf("grace")] },
  });
});

test("the approvals of a deleted user no longer count, and what the user started lapses", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  await root.createPolicy({
    policyName: "three",
    effect: "EFFECT_ALLOW",
    consensus: "approvers.count() >= 3",
    notes: "",
  });
  const one = await addUser(organization, "One");
  const two = await addUser(organization, "Two");
  const three = await addUser(organization, "Three");
  const deleted = await addUser(organization, "Deleted");
  const start = ({ client }: typeof one, userTagName: string) =>
    startWaiting(client, "create_user_tag", {
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      parameters: { userTagName, userIds: [] },
    });
  const { fingerprint } = await start(one, "kept");
  const lapsed = await start(deleted, "lapsed");
  await deleted.client.approveActivity({ fingerprint });
  await root.deleteUsers({ userIds: [deleted.userId] });
  // Of three approvals, the one of the deleted user does not count.
  const { activity } = await two.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const approved = await three.client.approveActivity({ fingerprint });
  expect(approved.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const message =
    "the activity lapsed, because the user who started it was deleted; send the request again";
  const refused = { code: "ACTIVITY_NOT_PENDING", message };
  const { fingerprint: ended } = lapsed;
  expect(await refusal(root.approveActivity({ fingerprint: ended }))).toMatchObject(refused);
  expect(await refusal(root.rejectActivity({ fingerprint: ended }))).toMatchObject(refused);
  // What is shown says so too, to somebody whose vote would otherwise count.
  for (const { client } of [{ client: root }, two]) {
    const { activity: shown } = await client.getActivity({ activityId: lapsed.id });
    expect(shown).toMatchObject({ canApprove: false, canReject: false, failure: { message } });
    const { activities } = await client.listActivities({});
    expect(activities.filter(({ canApprove }) => canApprove)).toEqual([]);
  }
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  await expectIdsChecked(root, "delete_users", { type, member: "userIds", noun: "user" });
});

test("if one user is unknown, of another organization or a root user, none is deleted", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const grace = await addUser(organization);
  const other = await newOrganization();
  for (const stranger of [unknownId, other.userId]) {
    expect(await refusal(root.deleteUsers({ userIds: [grace.userId, stranger] }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.userIds[1]",
      message: `user not found: unable to find user ${stranger} in organization ${organizationId}`,
    });
  }
  expect(await refusal(root.deleteUsers({ userIds: [grace.userId, userId] }))).toEqual({
    httpStatus: 400,
    grpcCode: 3,
    code: "QUORUM_INVALID",
    field: "parameters.userIds[1]",
    message: `quorum users missing: user \`${userId}\` is in the root quorum; change the quorum first, with update_root_quorum`,
  });
  expect((await root.listUsers()).users).toHaveLength(2);
});

test("users delete others, and themselves, only with a permission", async () => {
  const organization = await newOrganization();
  const { client, userId } = await addUser(organization);
  const other = await addUser(organization, "Alan");
  const request = { userIds: [userId] };
  await expectDenied(client.deleteUsers(request));
  await expectDenied(client.deleteUsers({ userIds: [other.userId] }));
  await allow(organization, userId, ["USER", "DELETE"]);
  await client.deleteUsers({ userIds: [other.userId] });
  await client.deleteUsers(request);
  expect(await refusal(client.whoami())).toMatchObject({ code: "CREDENTIAL_NOT_FOUND" });
  expect((await organization.root.listUsers()).users).toHaveLength(1);
});
