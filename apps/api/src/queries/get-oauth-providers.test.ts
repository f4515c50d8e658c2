import { addUser, claimsOf, submit } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization, type TestClient } from "../testing.ts";
import {
  anyId,
  expectNotFound,
  expectOnlyFamilyReads,
  newFamily,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

async function register(client: TestClient, userId: string, ...subjects: string[]) {
  await submit(client, "create_oauth_providers", {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId, oauthProviders: subjects.map(claimsOf) },
  });
}

test("the social logins of one user or of all are shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  await register(root, userId, "one", "two");
  await register(root, grace.userId, "three");
  const [one, two, three] = ["one", "two", "three"].map((subject) => ({
    providerId: anyId,
    providerName: "Example",
    issuer: "https://accounts.example.com",
    audience: "my-app",
    subject,
    ...someTimes,
  }));
  expect(await root.getOauthProviders({ userId })).toEqual({ oauthProviders: [one, two] });
  expect(await root.getOauthProviders()).toEqual({ oauthProviders: [one, two, three] });
});

test("a user that is unknown, or another organization's, is not found", async () => {
  const { parent, child } = await newFamily();
  for (const userId of [unknownId, child.userId]) {
    await expectNotFound(parent.root.getOauthProviders({ userId }), {
      field: "userId",
      message: `user not found: unable to find user ${userId} in organization ${parent.organizationId}`,
    });
  }
});

test("the organization and its parent may read them, nobody else", async () => {
  await expectOnlyFamilyReads("get_oauth_providers", async ({ root, userId }) => {
    await register(root, userId, "one");
    return { userId };
  });
});
