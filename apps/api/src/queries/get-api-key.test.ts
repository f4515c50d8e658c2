import { addUser, first } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { newKey, newOrganization, type TestOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, someTimes, unknownId } from "./queries.testing.ts";

/** Adds a key to the root user. It expires if seconds are given. */
async function addKey({ root, userId }: TestOrganization, expirationSeconds?: string) {
  const { publicKey } = newKey();
  const { apiKeyIds } = await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey,
        curveType: "API_KEY_CURVE_P256",
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      },
    ],
  });
  return { apiKeyId: first(apiKeyIds), publicKey };
}

test("a long-lived key of any user is shown", async () => {
  const organization = await newOrganization();
  const { userId, client, key } = await addUser(organization);
  const { apiKeys } = await client.getApiKeys({ userId });
  const { apiKeyId } = first(apiKeys);
  expect(await organization.root.getApiKey({ apiKeyId })).toEqual({
    apiKey: {
      credential: { publicKey: key.publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
      apiKeyId,
      apiKeyName: "laptop",
      ...someTimes,
    },
  });
});

test("an expiring key is shown with its lifetime, and is not found after it has expired", async () => {
  const organization = await newOrganization(await ownServer());
  const { root, server } = organization;
  const { apiKeyId, publicKey } = await addKey(organization, "60");
  expect(await root.getApiKey({ apiKeyId })).toEqual({
    apiKey: {
      credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
      apiKeyId,
      apiKeyName: "phone",
      ...someTimes,
      expirationSeconds: "60",
    },
  });
  server.clock.offsetMs += 60_000;
  await expectNotFound(root.getApiKey({ apiKeyId }), {
    field: "apiKeyId",
    message: `API key not found: \`${apiKeyId}\``,
  });
});

test("a key that was deleted is not found", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  for (const seconds of [undefined, "900"]) {
    const { apiKeyId } = await addKey(organization, seconds);
    await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
    await expectNotFound(root.getApiKey({ apiKeyId }), {
      field: "apiKeyId",
      message: `API key not found: \`${apiKeyId}\``,
    });
  }
});

test("a key that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const other = await addKey(await newOrganization());
  for (const apiKeyId of [unknownId, other.apiKeyId]) {
    await expectNotFound(root.getApiKey({ apiKeyId }), {
      field: "apiKeyId",
      message: `API key not found: \`${apiKeyId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_api_key", async (organization) => {
    const { apiKeyId } = await addKey(organization);
    return { apiKeyId };
  });
});
