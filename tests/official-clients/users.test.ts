import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiKeyParams, newApiKeyPair, releases } from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

// Users, tags and social logins with the official clients. None of them knows that it is not at home.

let product: Product;

beforeAll(async () => {
  product = await startProduct();
});

afterAll(async () => {
  await product?.stop();
});

const claims = (sub: string) => ({ iss: "https://accounts.example.com", sub, aud: "my-app" });

describe.each(releases)("$name", (release) => {
  const name = (what: string) => `${what} of ${release.name}`;
  let root: TurnkeyApiClient;

  beforeAll(() => {
    root = release.connect(product.url, product.root.organizationId, product.root);
  });

  async function newUser(userName: string) {
    const key = newApiKeyPair();
    const lists = { authenticators: [], oauthProviders: [], userTags: [] };
    const { userIds } = await root.createUsers({
      users: [{ userName: name(userName), apiKeys: [apiKeyParams(key)], ...lists }],
    });
    return { userId: userIds[0] ?? "", key };
  }

  test("changes a user, and deletes it", async () => {
    const { userId, key } = await newUser("ada");
    const changed = await root.updateUser({
      userId,
      userName: name("Ada Lovelace"),
      userEmail: "ada@example.com",
      userPhoneNumber: "+14155550100",
      userTagIds: [],
    });
    expect(changed.userId).toBe(userId);
    const { user } = await root.getUser({ userId });
    expect(user).toMatchObject({
      userName: name("Ada Lovelace"),
      userEmail: "ada@example.com",
      userPhoneNumber: "+14155550100",
      userTags: [],
    });
    const deleted = await root.deleteUsers({ userIds: [userId] });
    expect(deleted.userIds).toEqual([userId]);
    const { users } = await root.getUsers();
    expect(users.map((each) => each.userId)).not.toContain(userId);
    const gone = release.connect(product.url, product.root.organizationId, key);
    await expect(gone.getWhoami()).rejects.toThrow(
      "could not find public key in organization or its parent organization",
    );
    await expect(root.deleteUsers({ userIds: [product.root.userId] })).rejects.toThrow(
      "quorum users missing",
    );
  });

  test("tags users", async () => {
    const [one, two] = [await newUser("one"), await newUser("two")];
    const { userTagId, userIds } = await root.createUserTag({
      userTagName: name("tag"),
      userIds: [one.userId],
    });
    expect(userIds).toEqual([one.userId]);
    const updated = await root.updateUserTag({
      userTagId,
      newUserTagName: name("new tag"),
      addUserIds: [two.userId],
      removeUserIds: [one.userId],
    });
    expect(updated.userTagId).toBe(userTagId);
    const { userTags } = await root.listUserTags({});
    expect(userTags).toContainEqual({
      tagId: userTagId,
      tagName: name("new tag"),
      tagType: "TAG_TYPE_USER",
      createdAt: expect.anything(),
      updatedAt: expect.anything(),
    });
    const { user } = await root.getUser({ userId: two.userId });
    expect(user.userTags).toEqual([userTagId]);
    const deleted = await root.deleteUserTags({ userTagIds: [userTagId] });
    expect(deleted).toMatchObject({ userTagIds: [userTagId], userIds: [two.userId] });
  });
});

describe("the newest release", () => {
  let root: TurnkeyApiClient;

  beforeAll(() => {
    const [newest] = releases;
    if (!newest) throw new Error("no release");
    root = newest.connect(product.url, product.root.organizationId, product.root);
  });

  test("renames a user, and registers and deletes social logins", async () => {
    const { userId } = product.root;
    await root.updateUserName({ userId, userName: "root user" });
    const { providerIds } = await root.createOauthProviders({
      userId,
      oauthProviders: [
        { providerName: "Example", oidcClaims: claims("one") },
        { providerName: "Example", oidcClaims: claims("two") },
      ],
    });
    expect(providerIds).toHaveLength(2);
    const { oauthProviders } = await root.getOauthProviders({ userId });
    expect(oauthProviders.map(({ subject }) => subject)).toEqual(["one", "two"]);
    expect(oauthProviders[0]).toMatchObject({
      providerId: providerIds[0],
      providerName: "Example",
      issuer: "https://accounts.example.com",
      audience: "my-app",
    });
    const byToken = { userId, oauthProviders: [{ providerName: "Example", oidcToken: "a.b.c" }] };
    await expect(root.createOauthProviders(byToken)).rejects.toThrow("oauthProviders[0].oidcToken");
    const deleted = await root.deleteOauthProviders({ userId, providerIds });
    expect(deleted.providerIds).toEqual(providerIds);
    const { user } = await root.getUser({ userId });
    expect(user).toMatchObject({ userName: "root user", oauthProviders: [] });
  });

  test("creates users and a sub-organization with social logins", async () => {
    const key = newApiKeyPair();
    const { userIds } = await root.createUsers({
      users: [
        {
          userName: "social",
          apiKeys: [apiKeyParams(key)],
          authenticators: [],
          oauthProviders: [{ providerName: "Example", oidcClaims: claims("social") }],
          userTags: [],
        },
      ],
    });
    const { user } = await root.getUser({ userId: userIds[0] ?? "" });
    expect(user.oauthProviders).toMatchObject([{ subject: "social" }]);
    const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
      subOrganizationName: "social",
      rootUsers: [
        {
          userName: "social",
          apiKeys: [],
          authenticators: [],
          oauthProviders: [{ providerName: "Example", oidcClaims: claims("social") }],
        },
      ],
      rootQuorumThreshold: 1,
    });
    const { oauthProviders } = await root.getOauthProviders({ organizationId: subOrganizationId });
    expect(oauthProviders).toMatchObject([{ subject: "social" }]);
    expect(rootUserIds).toHaveLength(1);
  });
});

describe("@turnkey/http 6.2.1", () => {
  test("changes, tags and deletes users, and registers social logins", async () => {
    const { organizationId, apiPublicKey, apiPrivateKey } = product.root;
    const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
    const client = new TurnkeyClient({ baseUrl: product.url }, stamper);
    const request = <T extends string, P>(type: T, parameters: P) => ({
      type,
      timestampMs: String(Date.now()),
      organizationId,
      parameters,
    });
    const created = await client.createUsers(
      request("ACTIVITY_TYPE_CREATE_USERS_V4" as const, {
        users: [
          {
            userName: "http",
            apiKeys: [apiKeyParams(newApiKeyPair())],
            authenticators: [],
            oauthProviders: [{ providerName: "Example", oidcClaims: claims("http") }],
            userTags: [],
          },
        ],
      }),
    );
    const userId = created.activity.result.createUsersResult?.userIds[0] ?? "";
    await client.updateUser(
      request("ACTIVITY_TYPE_UPDATE_USER" as const, { userId, userName: "renamed" }),
    );
    const tagged = await client.createUserTag(
      request("ACTIVITY_TYPE_CREATE_USER_TAG" as const, { userTagName: "http", userIds: [userId] }),
    );
    const { userTagId = "" } = tagged.activity.result.createUserTagResult ?? {};
    const { user } = await client.getUser({ organizationId, userId });
    expect(user).toMatchObject({
      userName: "renamed",
      userTags: [userTagId],
      oauthProviders: [{ subject: "http" }],
    });
    const untagged = await client.deleteUserTags(
      request("ACTIVITY_TYPE_DELETE_USER_TAGS" as const, { userTagIds: [userTagId] }),
    );
    expect(untagged.activity.result.deleteUserTagsResult?.userIds).toEqual([userId]);
    const deleted = await client.deleteUsers(
      request("ACTIVITY_TYPE_DELETE_USERS" as const, { userIds: [userId] }),
    );
    expect(deleted.activity.result.deleteUsersResult?.userIds).toEqual([userId]);
    const { oauthProviders } = await client.getOauthProviders({ organizationId });
    expect(oauthProviders.map(({ subject }) => subject)).not.toContain("http");
  });
});
