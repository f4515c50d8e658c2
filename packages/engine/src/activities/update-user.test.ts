import { ownServer } from "@keyhearth/api/own-server.testing";
import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  allow,
  badRequest,
  expectDenied,
  first,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_USER";
const unknownId = "00000000-0000-4000-8000-000000000000";

test("what is given is changed, and the rest stays", async () => {
  const organization = await newOrganization(await ownServer());
  const { root, server } = organization;
  const { userId } = await addUser(organization);
  const { userTagId: one } = await root.createUserTag({ userTagName: "one", userIds: [userId] });
  const { userTagId: two } = await root.createUserTag({ userTagName: "two", userIds: [] });
  const shown = async () => (await root.getUser({ userId })).user;
  const before = await shown();
  server.clock.offsetMs += 2000;
  const request = { userId, userEmail: "grace@example.com" };
  const { activity, ...result } = await root.updateUser(request);
  expect(result).toEqual({ userId });
  expect(activity.intent).toEqual({ updateUserIntent: request });
  expect(activity.result).toEqual({ updateUserResult: { userId } });
  const withEmail = await shown();
  expect(withEmail).toEqual({
    ...before,
    userEmail: "grace@example.com",
    updatedAt: withEmail.updatedAt,
  });
  expect(withEmail.updatedAt).not.toEqual(before.updatedAt);

  await root.updateUser({ userId, userName: "Amazing Grace", userPhoneNumber: "+14155550100" });
  await root.updateUser({ userId, userTagIds: [two, two] });
  expect(await shown()).toMatchObject({
    userName: "Amazing Grace",
    userEmail: "grace@example.com",
    userPhoneNumber: "+14155550100",
    userTags: [two],
  });
  await root.updateUser({ userId, userTagIds: [one] });
  expect((await shown()).userTags).toEqual([one]);
  await root.updateUser({ userId, userTagIds: [] });
  expect((await shown()).userTags).toEqual([]);
});

test("a user is found by the new email, and not by the old one", async () => {
  const { server, root } = await newOrganization();
  const key = newKey();
  const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        userEmail: "old@example.com",
        apiKeys: [
          { apiKeyName: "laptop", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const ada = clientOf(server, subOrganizationId, key);
  await ada.updateUser({ userId: first(rootUserIds), userEmail: "new@example.com" });
  const found = (filterValue: string) => root.listSuborgs({ filterType: "EMAIL", filterValue });
  expect(await found("old@example.com")).toEqual({ organizationIds: [] });
  expect(await found("new@example.com")).toEqual({ organizationIds: [subOrganizationId] });
});

test("bad parameters are refused by field, and nothing changes", async () => {
  const { root, userId } = await newOrganization();
  const cases: [object, string, string, unknown][] = [
    [
      { userId, userName: null },
      "FIELD_INVALID",
      "parameters",
      `nothing to change: \`parameters\` names user \`${userId}\` and none of userName, userEmail, userTagIds, userPhoneNumber`,
    ],
    [
      { userId, userName: " " },
      "FIELD_INVALID",
      "parameters.userName",
      expect.stringContaining("must not be only white space"),
    ],
    // A contact can be replaced but not removed.
    [
      { userId, userEmail: "" },
      "FIELD_INVALID",
      "parameters.userEmail",
      expect.stringContaining("invalid email address"),
    ],
    [
      { userId, userPhoneNumber: "" },
      "FIELD_INVALID",
      "parameters.userPhoneNumber",
      expect.stringContaining("not an E.164 phone number"),
    ],
    [
      { userId, userTagIds: [unknownId] },
      "NOT_FOUND",
      "parameters.userTagIds[0]",
      `user tag not found: \`${unknownId}\``,
    ],
  ];
  const before = await root.getUser({ userId });
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "update_user", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect(await root.getUser({ userId })).toEqual(before);
});

test("users and tags that are unknown or of another organization are refused, all named at once", async () => {
  const { root, userId, organizationId } = await newOrganization();
  const other = await newOrganization();
  const { userTagId } = await other.root.createUserTag({ userTagName: "theirs", userIds: [] });
  for (const stranger of [unknownId, other.userId]) {
    expect(
      await refusal(root.updateUser({ userId: stranger, userTagIds: [userTagId] })),
    ).toMatchObject({
      httpStatus: 404,
      code: "NOT_FOUND",
      field: "parameters.userId",
      message: `user not found: unable to find user ${stranger} in organization ${organizationId}; user tag not found: \`${userTagId}\``,
    });
  }
  expect(await refusal(root.updateUser({ userId, userTagIds: [userTagId] }))).toMatchObject({
    httpStatus: 400,
    field: "parameters.userTagIds[0]",
  });
});

test("users do not change their own name, contacts or tags without a permission", async () => {
  const organization = await newOrganization();
  const { userId, client } = await addUser(organization);
  const request = { userId, userName: "me" };
  await expectDenied(client.updateUser(request));
  await expectDenied(client.updateUser({ userId, userEmail: "me@example.com" }));
  await expectDenied(client.updateUser({ userId, userTagIds: [] }));
  await allow(organization, userId, ["USER", "UPDATE"]);
  await client.updateUser({ ...request, userEmail: "me@example.com", userTagIds: [] });
});

test("only the root quorum changes the contacts of a root user, whatever policies allow", async () => {
  const organization = await newQuorum();
  const { root, second, third, userId } = organization;
  const clerk = await approved(organization, () => addClerk(organization));
  await approved(organization, () =>
    startWaiting(root, "create_policy", {
      type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
      parameters: {
        policyName: "all about users",
        effect: "EFFECT_ALLOW",
        condition: "activity.resource == 'USER'",
        consensus: "true",
        notes: "",
      },
    }),
  );
  const { userIds } = clerk.result.createUsersResult as { userIds: string[] };
  const client = clientOf(organization.server, organization.organizationId, clerkKey);
  for (const change of [{ userEmail: "mine@example.com" }, { userPhoneNumber: "+14155550100" }]) {
    await expectDenied(client.updateUser({ userId, ...change }));
    expect(await refusal(client.updateUser({ userId, ...change }))).toMatchObject({
      message:
        "You don't have sufficient permissions to take this action. Only the root quorum can do this: /concepts/users/root-quorum",
    });
    await expectDenied(client.updateUser({ userId, userName: "root", ...change }));
  }
  await client.updateUser({ userId, userName: "root" });
  await client.updateUser({ userId: first(userIds), userEmail: "mine@example.com" });

  // One root user alone is not the quorum, not even about itself.
  const own = { type, parameters: { userId: second.userId, userEmail: "two@example.com" } };
  const { fingerprint } = await startWaiting(second.client, "update_user", own);
  await third.client.approveActivity({ fingerprint });
  const { user } = await root.getUser({ userId: second.userId });
  expect(user.userEmail).toBe("two@example.com");
});

const clerkKey = newKey();

function addClerk({ root }: Awaited<ReturnType<typeof newQuorum>>) {
  const { publicKey } = clerkKey;
  const apiKeys = [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" }];
  const lists = { authenticators: [], oauthProviders: [], userTags: [] };
  return startWaiting(root, "create_users", {
    type: "ACTIVITY_TYPE_CREATE_USERS_V3",
    parameters: { users: [{ userName: "clerk", apiKeys, ...lists }] },
  });
}

/** Starts an activity, and completes it by the second root user. */
async function approved(
  { second }: Awaited<ReturnType<typeof newQuorum>>,
  start: () => ReturnType<typeof startWaiting>,
) {
  const { fingerprint } = await start();
  return (await second.client.approveActivity({ fingerprint })).activity;
}
