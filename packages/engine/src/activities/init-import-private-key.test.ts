import { findDocument } from "@keyhearth/api/store/organizations";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { openImportBundle } from "@keyhearth/crypto/open-bundle";
import { expect, test } from "vitest";
import { rootOf, signerPublicKeyOf } from "../bundles.testing.ts";
import {
  addUser,
  badRequest,
  expectDenied,
  expectStrangersRefused,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY";

async function importsOf({ server, organizationId }: TestOrganization) {
  const stored = await findDocument(server.store.db, organizationId);
  return stored?.document.imports ?? [];
}

test("the bundle names a fresh key, the organization and the user, signed by the signer", async () => {
  const organization = await newOrganization();
  const { root, userId, organizationId, server } = organization;
  const { importBundle, activity } = await root.initImportPrivateKey({ userId });
  expect(activity).toMatchObject({ type, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(activity.result).toEqual({ initImportPrivateKeyResult: { importBundle } });
  const target = openImportBundle(importBundle, signerPublicKeyOf(server));
  expect(target).toEqual({
    organizationId,
    userId,
    targetPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
  });
  const [line] = await importsOf(organization);
  expect(line).toMatchObject({
    userId,
    purpose: "private-key",
    targetPublicKey: target.targetPublic,
  });
  expect(line?.expiresAtMs).toBeGreaterThan(Date.now() + 59 * 60_000);
  expect(line?.expiresAtMs).toBeLessThanOrEqual(Date.now() + 60 * 60_000);
});

test("a user has one target key for each purpose, and those of others stay", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await organization.root.updateRootQuorum({
    threshold: 1,
    userIds: [organization.userId, grace.userId],
  });
  for (const { client, userId } of [rootOf(organization), grace, rootOf(organization)]) {
    await client.initImportPrivateKey({ userId });
    await client.initImportWallet({ userId });
    await client.initImportPrivateKey({ userId });
  }
  const lines = await importsOf(organization);
  expect(lines.map(({ userId, purpose }) => `${userId} ${purpose}`).sort()).toEqual(
    [organization.userId, grace.userId]
      .flatMap((userId) => [`${userId} private-key`, `${userId} wallet`])
      .sort(),
  );
  expect(new Set(lines.map(({ targetPublicKey }) => targetPublicKey)).size).toBe(4);
});

test("nobody opens an import for another user, even if all approve", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const { root, userId } = organization;
  expect(await refusal(root.initImportPrivateKey({ userId: grace.userId }))).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "REQUEST_NOT_AUTHORIZED",
    field: "parameters.userId",
    message: `request not authorized: imports must target your own user, but \`parameters.userId\` is \`${grace.userId}\` and your user is \`${userId}\``,
  });
  expect(await importsOf(organization)).toEqual([]);
});

test("an import that others approve is opened for the user who asked", async () => {
  const organization = await newQuorum();
  const { root, second, userId, server } = organization;
  const waiting = await startWaiting(root, "init_import_private_key", {
    type,
    parameters: { userId },
  });
  const { fingerprint } = waiting;
  const { activity } = await second.client.approveActivity({ fingerprint });
  const { importBundle = "" } = activity.result.initImportPrivateKeyResult ?? {};
  expect(openImportBundle(importBundle, signerPublicKeyOf(server))).toMatchObject({ userId });
  expect(await importsOf(organization)).toMatchObject([{ userId, purpose: "private-key" }]);
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const cases: [object, string, string, unknown][] = [
    [{}, "FIELD_INVALID", "parameters.userId", expect.stringContaining("missing field")],
    [{ userId: "me" }, "FIELD_INVALID", "parameters.userId", expect.stringContaining("`me`")],
  ];
  for (const [parameters, code, field, message] of cases) {
    const request = submit(root, "init_import_private_key", { type, parameters });
    expect(await refusal(request)).toEqual(badRequest(code, field, message));
  }
});

test("strangers are refused, and users without permission are denied", async () => {
  const organization = await newOrganization();
  const { userId } = organization;
  await expectStrangersRefused(organization, (client) => client.initImportPrivateKey({ userId }));
  const grace = await addUser(organization);
  await expectDenied(grace.client.initImportPrivateKey({ userId: grace.userId }));
  expect(await importsOf(organization)).toEqual([]);
});
