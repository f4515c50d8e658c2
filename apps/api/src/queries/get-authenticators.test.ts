import { addUser } from "@keyhearth/engine/organization.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import {
  expectBadParameters,
  expectNotFound,
  expectOnlyFamilyReads,
  missing,
  notUuid,
  unknownId,
} from "./queries.testing.ts";

test("the passkeys of one user are shown, in the order of their registration", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const other = await addUser(organization);
  const authenticators = [newPasskey().params, newPasskey().params];
  const { authenticatorIds } = await root.createAuthenticators({ userId, authenticators });
  const shown = await other.client.getAuthenticators({ userId });
  expect(shown.authenticators.map(({ authenticatorId }) => authenticatorId)).toEqual(
    authenticatorIds,
  );
  expect(await root.getAuthenticators({ userId: other.userId })).toEqual({ authenticators: [] });
});

test("bad parameters are refused by field", async () => {
  await expectBadParameters(await newOrganization(), "get_authenticators", [
    [{}, "userId", missing("userId")],
    [{ userId: "x" }, "userId", notUuid("userId", "user", "x")],
  ]);
});

test("a user who is unknown, or of another organization, is not found", async () => {
  const { root, organizationId } = await newOrganization();
  const other = await newOrganization();
  for (const userId of [unknownId, other.userId]) {
    await expectNotFound(root.getAuthenticators({ userId }), {
      field: "userId",
      message: `user not found: unable to find user ${userId} in organization ${organizationId}`,
    });
  }
});

test("the organization and its parent may read them, nobody else", async () => {
  await expectOnlyFamilyReads("get_authenticators", async ({ userId }) => ({ userId }));
});
