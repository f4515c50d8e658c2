import { expectStrangersRefused, refusal } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { clientOf, newKey, newOrganization } from "../testing.ts";
import { newChild, newFamily } from "./queries.testing.ts";

test("whoami names the user and the organization of the credential", async () => {
  const { root, organizationId, userId } = await newOrganization();
  expect(await root.whoami()).toEqual({
    organizationId,
    organizationName: "Test organization",
    userId,
    username: "Root user",
  });
});

test("a user of the parent who asks about a sub-organization is shown as a user of the parent", async () => {
  const { parent, child } = await newFamily();
  const { organizationId } = child;
  expect(await parent.root.whoami({}, { organizationId })).toEqual(await parent.root.whoami());
});

test("a credential of exactly one sub-organization may use the parent's id", async () => {
  const { parent, child } = await newFamily();
  await newChild(parent, { name: "another child" });
  const { organizationId } = parent;
  expect(await child.root.whoami({}, { organizationId })).toEqual({
    organizationId: child.organizationId,
    organizationName: "child",
    userId: child.userId,
    username: "Ada",
  });
});

test("an expiring credential of a sub-organization may use the parent's id until it expires", async () => {
  const { parent, child } = await newFamily(await ownServer());
  const { publicKey, privateKey } = newKey();
  await child.root.createApiKeys({
    userId: child.userId,
    apiKeys: [
      {
        apiKeyName: "session",
        publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "60",
      },
    ],
  });
  const client = clientOf(parent.server, parent.organizationId, { publicKey, privateKey });
  expect(await client.whoami()).toMatchObject({ organizationId: child.organizationId });
  const { clock } = parent.server;
  clock.offsetMs += 60_000;
  expect(await refusal(client.whoami())).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_EXPIRED",
    message: expect.stringContaining(
      `Unauthenticated desc = expired api key publicKey=${publicKey}`,
    ),
  });
});

test("a credential of two sub-organizations is ambiguous at the parent but works at each of them", async () => {
  const { parent, child } = await newFamily();
  const twin = await newChild(parent, { name: "twin", key: child.rootKey });
  const { organizationId } = parent;
  expect(await refusal(child.root.whoami({}, { organizationId }))).toEqual({
    httpStatus: 401,
    grpcCode: 16,
    code: "CREDENTIAL_AMBIGUOUS",
    field: undefined,
    message: `more than one suborg associated with a public key organizationId=${organizationId} publicKey=${child.rootKey.publicKey}`,
  });
  for (const { root, organizationId, userId } of [child, twin]) {
    expect(await root.whoami()).toMatchObject({ organizationId, userId });
  }
});

test("a credential that parent and sub-organization share belongs to whichever is asked", async () => {
  const parent = await newOrganization();
  const child = await newChild(parent, { key: parent.rootKey });
  expect(await parent.root.whoami()).toMatchObject({ userId: parent.userId });
  expect(await child.root.whoami()).toMatchObject({ userId: child.userId });
});

test("sub-organizations do not know each other's users, and nobody knows a stranger", async () => {
  const { parent, child } = await newFamily();
  const sibling = await newChild(parent, { name: "sibling" });
  const { organizationId } = sibling;
  expect(await refusal(child.root.whoami({}, { organizationId }))).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_NOT_FOUND",
  });
  await expectStrangersRefused(child, (client) => client.whoami());
});
