import { addUser } from "@keyhearth/engine/organization.testing";
import { newPasskey, passkeyClientOf } from "@keyhearth/engine/passkey.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, unknownId } from "./queries.testing.ts";

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

test("the last use of a passkey is noted once a minute, and forgotten with the passkey", async () => {
  const { root, server, organizationId, userId } = await newOrganization();
  const [one, two] = [newPasskey(), newPasskey()];
  const authenticators = [one.params, two.params];
  const { authenticatorIds } = await root.createAuthenticators({ userId, authenticators });
  const lastUses = async () =>
    (await root.getAuthenticators({ userId })).authenticators.map((each) =>
      each.lastUsedAt ? Number(each.lastUsedAt.seconds) : null,
    );
  expect(await lastUses()).toEqual([null, null]);
  const client = passkeyClientOf(server, organizationId, one);
  const use = (walletName: string) => client.createWallet({ walletName, accounts: [] });
  await use("one");
  const [first] = await lastUses();
  expect(first).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) - 10);
  const move =
    "UPDATE passkey_uses SET last_used_at_ms = last_used_at_ms - $2::bigint WHERE organization_id = $1::uuid";
  await server.store.run("move-uses", move, [organizationId, 50_000]);
  await use("two");
  expect(await lastUses()).toEqual([(first ?? 0) - 50, null]);
  await server.store.run("move-uses", move, [organizationId, 50_000]);
  await use("three");
  const [later] = await lastUses();
  expect(later).toBeGreaterThanOrEqual(first ?? 0);

  const [authenticatorId = ""] = authenticatorIds;
  expect(await root.getAuthenticator({ authenticatorId })).toMatchObject({
    authenticator: { lastUsedAt: { nanos: "0" } },
  });
  await root.deleteAuthenticators({ userId, authenticatorIds: [authenticatorId] });
  await passkeyClientOf(server, organizationId, two).createWallet({
    walletName: "four",
    accounts: [],
  });
  const count = "SELECT count(*)::int AS rows FROM passkey_uses WHERE organization_id = $1::uuid";
  expect(await server.store.run("count-uses", count, [organizationId])).toEqual([{ rows: 1 }]);
});
