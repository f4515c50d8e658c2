import { addUser } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newKey, newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads } from "./queries.testing.ts";

test("all users are listed, each as the single query shows it", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  await root.createApiKeys({
    userId: grace.userId,
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey: newKey().publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "900",
      },
    ],
  });
  const { users } = await root.listUsers();
  expect(users).toEqual([
    (await root.getUser({ userId })).user,
    (await root.getUser({ userId: grace.userId })).user,
  ]);
  expect(users.map(({ userName, apiKeys }) => [userName, apiKeys.length])).toEqual([
    ["Root user", 1],
    ["Grace", 2],
  ]);
});

test("a body without a good organization id is refused", async () => {
  const organization = await newOrganization();
  await expect(
    organization.root.request("/public/v1/query/list_users", '{"organizationId":"x"}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_users");
});
