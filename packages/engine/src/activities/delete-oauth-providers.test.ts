import { clientOf, newKey, newOrganization, type TestClient } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  allow,
  badRequest,
  claimsOf,
  expectDenied,
  expectIdsChecked,
  first,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function register(client: TestClient, userId: string, ...subjects: string[]) {
  const { result } = await submit(client, "create_oauth_providers", {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId, oauthProviders: subjects.map(claimsOf) },
  });
  // Every completed activity of this type has this result.
  return (result.createOauthProvidersResultV2 as { providerIds: string[] }).providerIds;
}

test("users delete their own social logins, which may then belong to others", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const { userId } = grace;
  const [one = "", two = "", three = ""] = await register(root, userId, "one", "two", "three");
  const request = { userId, providerIds: [one, three, one] };
  const { activity, ...result } = await grace.client.deleteOauthProviders(request);
  expect(result).toEqual({ providerIds: [one, three] });
  expect(activity.intent).toEqual({ deleteOauthProvidersIntent: request });
  expect(activity.result).toEqual({ deleteOauthProvidersResult: result });
  const { oauthProviders } = await root.getOauthProviders({ userId });
  expect(oauthProviders.map(({ providerId }) => providerId)).toEqual([two]);
  await register(root, organization.userId, "one");
});

test("logins end with a social login, and other expiring keys stay", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const grace = await addUser(organization);
  const { userId, client } = grace;
  const [providerId = ""] = await register(root, userId, "one");
  const [login, expiring] = [newKey(), newKey()];
  await client.stampLogin({ publicKey: login.publicKey });
  const curveType = "API_KEY_CURVE_P256" as const;
  const given = { apiKeyName: "k", publicKey: expiring.publicKey, curveType };
  await client.createApiKeys({ userId, apiKeys: [{ ...given, expirationSeconds: "900" }] });
  await clientOf(server, organizationId, login).whoami();
  await client.deleteOauthProviders({ userId, providerIds: [providerId] });
  expect(await refusal(clientOf(server, organizationId, login).whoami())).toMatchObject({
    code: "CREDENTIAL_NOT_FOUND",
  });
  await clientOf(server, organizationId, expiring).whoami();
});

test("bad parameters are refused by field", async () => {
  const { root, userId } = await newOrganization();
  const client = {
    ...root,
    request: (path: string, body: string) => {
      const parsed = JSON.parse(body);
      parsed.parameters.userId = userId;
      return root.request(path, JSON.stringify(parsed));
    },
  };
  // Only what the helper calls is replaced.
  await expectIdsChecked(client as unknown as TestClient, "delete_oauth_providers", {
    type,
    member: "providerIds",
    noun: "OAuth provider",
  });
});

test("if one is unknown, of another user or of another organization, none is deleted", async () => {
  const organization = await newOrganization();
  const { root, userId, organizationId } = organization;
  const grace = await addUser(organization);
  const other = await newOrganization();
  const [mine = ""] = await register(root, userId, "one");
  const [hers = ""] = await register(root, grace.userId, "two");
  const [theirs = ""] = await register(other.root, other.userId, "one");
  for (const providerId of [unknownId, hers, theirs]) {
    const request = { userId, providerIds: [mine, providerId] };
    expect(await refusal(root.deleteOauthProviders(request))).toEqual(
      badRequest(
        "NOT_FOUND",
        "parameters.providerIds[1]",
        `OAuth provider not found: \`${providerId}\` is not an OAuth provider of the user`,
      ),
    );
  }
  const request = { userId: other.userId, providerIds: [theirs] };
  expect(await refusal(root.deleteOauthProviders(request))).toMatchObject({
    httpStatus: 404,
    field: "parameters.userId",
    message: `user not found: unable to find user ${other.userId} in organization ${organizationId}`,
  });
  expect((await root.getOauthProviders()).oauthProviders).toHaveLength(2);
});

test("the last way back of a user of a sub-organization stays", async () => {
  const { server, root } = await newOrganization();
  const key = newKey();
  const apiKeys = [
    { apiKeyName: "laptop", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" },
  ];
  const rootUser = (userName: string, keys: object[]) => {
    return { userName, apiKeys: keys, authenticators: [], oauthProviders: [claimsOf(userName)] };
  };
  const { result } = await submit(root, "create_sub_organization", {
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
    parameters: {
      subOrganizationName: "sub",
      rootUsers: [rootUser("with a key", apiKeys), rootUser("without", [])],
      rootQuorumThreshold: 1,
    },
  });
  // Every completed activity of this type has this result.
  const created = result.createSubOrganizationResultV8 as {
    subOrganizationId: string;
    rootUserIds: [string, string];
  };
  const client = clientOf(server, created.subOrganizationId, key);
  const { oauthProviders } = await client.getOauthProviders();
  expect(oauthProviders.map(({ subject }) => subject)).toEqual(["with a key", "without"]);
  const [mine, theirs] = oauthProviders.map(({ providerId }) => providerId);
  const [me, other] = created.rootUserIds;
  expect(
    await refusal(client.deleteOauthProviders({ userId: other, providerIds: [theirs ?? ""] })),
  ).toEqual(
    badRequest(
      "USER_WITHOUT_CREDENTIAL",
      "parameters.providerIds",
      expect.stringContaining(`user missing valid credential: ${other}`),
    ),
  );
  await client.deleteOauthProviders({ userId: me, providerIds: [mine ?? ""] });
});

test("nobody deletes the social logins of others without a permission", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const providerIds = [first(await register(root, userId, "one"))];
  const request = { userId, providerIds };
  const clerk = await addUser(organization);
  await expectDenied(clerk.client.deleteOauthProviders(request));
  await allow(organization, clerk.userId, ["CREDENTIAL", "DELETE"]);
  await clerk.client.deleteOauthProviders(request);
});
