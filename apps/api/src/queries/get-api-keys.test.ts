import { addUser } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { newKey, newOrganization } from "../testing.ts";
import {
  anyId,
  expectNotFound,
  expectOnlyFamilyReads,
  newFamily,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

test("the keys of one user or of all are listed, expiring keys last", async () => {
  const organization = await newOrganization(await ownServer());
  const { server, root, rootKey, userId } = organization;
  const grace = await addUser(organization);
  const session = newKey();
  await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey: session.publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "60",
      },
    ],
  });
  const shown = (publicKey: string, apiKeyName: string) => ({
    credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
    apiKeyId: anyId,
    apiKeyName,
    ...someTimes,
  });
  const lasting = shown(rootKey.publicKey, "Root API key");
  const expiring = { ...shown(session.publicKey, "session"), expirationSeconds: "60" };
  const other = shown(grace.key.publicKey, "laptop");

  expect(await root.getApiKeys({ userId })).toEqual({ apiKeys: [lasting, expiring] });
  expect(await root.getApiKeys({ userId: grace.userId })).toEqual({ apiKeys: [other] });
  expect(await root.getApiKeys()).toEqual({ apiKeys: [lasting, expiring, other] });

  server.clock.offsetMs += 60_000;
  expect(await root.getApiKeys()).toEqual({ apiKeys: [lasting, other] });
});

test("a user that is unknown, or another organization's, is not found", async () => {
  const { parent, child } = await newFamily();
  for (const userId of [unknownId, child.userId]) {
    await expectNotFound(parent.root.getApiKeys({ userId }), {
      field: "userId",
      message: `user not found: unable to find user ${userId} in organization ${parent.organizationId}`,
    });
  }
});

test("the organization and its parent may read them, nobody else", async () => {
  await expectOnlyFamilyReads("get_api_keys", ({ userId }) => ({ userId }));
});
