import { expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { newKey, newOrganization } from "../testing.ts";
import {
  anyId,
  expectBadParameters,
  expectNotFound,
  expectOnlyFamilyReads,
  missing,
  newFamily,
  notUuid,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

test("a user is shown with contacts, tags and the keys that are valid now", async () => {
  const { root, userId, rootKey } = (await newFamily()).child;
  const { userTagId } = await root.createUserTag({ userTagName: "ops", userIds: [userId] });
  const session = newKey();
  await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey: session.publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "900",
      },
    ],
  });
  const type = "CREDENTIAL_TYPE_API_KEY_P256";
  expect(await root.getUser({ userId })).toEqual({
    user: {
      userId,
      userName: "Ada",
      userEmail: "Ada@example.com",
      userPhoneNumber: "+14155550100",
      authenticators: [],
      apiKeys: [
        {
          credential: { publicKey: rootKey.publicKey, type },
          apiKeyId: anyId,
          apiKeyName: "laptop",
          ...someTimes,
        },
        {
          credential: { publicKey: session.publicKey, type },
          apiKeyId: anyId,
          apiKeyName: "session",
          ...someTimes,
          expirationSeconds: "900",
        },
      ],
      userTags: [userTagId],
      oauthProviders: [],
      ...someTimes,
      mfaPolicies: [],
    },
  });
});

test("a user without contacts has no contact fields, and an expired key is not shown", async () => {
  const { server, root, userId } = await newOrganization(await ownServer());
  await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey: newKey().publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "60",
      },
    ],
  });
  const keyNames = async () => {
    const { user } = await root.getUser({ userId });
    expect(user).not.toHaveProperty("userEmail");
    expect(user).not.toHaveProperty("userPhoneNumber");
    return user.apiKeys.map(({ apiKeyName }) => apiKeyName);
  };
  expect(await keyNames()).toEqual(["Root API key", "session"]);
  server.clock.offsetMs += 61_000;
  expect(await keyNames()).toEqual(["Root API key"]);
});

test("bad parameters are refused by field", async () => {
  await expectBadParameters(await newOrganization(), "get_user", [
    [{}, "userId", missing("userId")],
    [{ userId: "" }, "userId", notUuid("userId", "user", "")],
    [
      { userId: unknownId.replace("4", "A") },
      "userId",
      notUuid("userId", "user", unknownId.replace("4", "A")),
    ],
    [{ userId: ["x"] }, "userId", expect.stringContaining("`userId` is a list of 1")],
  ]);
});

test("a user that is unknown, or another organization's, is not found", async () => {
  const { parent, child } = await newFamily();
  for (const userId of [unknownId, child.userId]) {
    await expectNotFound(parent.root.getUser({ userId }), {
      field: "userId",
      message: `user not found: unable to find user ${userId} in organization ${parent.organizationId}`,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_user", ({ userId }) => ({ userId }));
});
