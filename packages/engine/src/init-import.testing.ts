import { findDocument } from "@keyhearth/api/store/organizations";
import { newOrganization, type TestClient, type TestOrganization } from "@keyhearth/api/testing";
import { openImportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { expect, test } from "vitest";
import { rootOf, signerPublicKeyOf } from "./bundles.testing.ts";
import {
  addUser,
  badRequest,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "./organization.testing.ts";

// The two activities that start an import keep the same rules.

type InitImport = {
  name: "init_import_wallet" | "init_import_private_key";
  type: string;
  purpose: "wallet" | "private-key";
  resultKey: "initImportWalletResult" | "initImportPrivateKeyResult";
  /** Calls the endpoint. */
  init: (
    client: TestClient,
    parameters: { userId: string },
  ) => ReturnType<TestClient["initImportWallet"] | TestClient["initImportPrivateKey"]>;
};

async function importsOf({ server, organizationId }: TestOrganization) {
  const stored = await findDocument(server.store.db, organizationId);
  return stored?.document.imports ?? [];
}

/** Tests one of them. */
export function testInitImport(activity: InitImport) {
  testTargetKeys(activity);
  testRequests(activity);
}

function testTargetKeys({ type, purpose, resultKey, init }: InitImport) {
  test("the bundle names a fresh key, the organization and the user, signed by the signer", async () => {
    const organization = await newOrganization();
    const { root, userId, organizationId, server } = organization;
    const { importBundle, activity } = await init(root, { userId });
    expect(activity).toMatchObject({ type, status: "ACTIVITY_STATUS_COMPLETED" });
    expect(activity.result).toEqual({ [resultKey]: { importBundle } });
    const target = openImportBundle(importBundle, signerPublicKeyOf(server));
    expect(target).toEqual({
      organizationId,
      userId,
      targetPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
    });
    const [line] = await importsOf(organization);
    expect(line).toMatchObject({ userId, purpose, targetPublicKey: target.targetPublic });
    // Other tests of this process may have set the signer's clock a few seconds ahead.
    expect(line?.expiresAtMs).toBeGreaterThan(Date.now() + 59 * 60_000);
    expect(line?.expiresAtMs).toBeLessThan(Date.now() + 61 * 60_000);
  });

  test("a user has one target key for each purpose, and those of others stay", async () => {
    const organization = await newOrganization();
    const grace = await addUser(organization);
    await organization.root.updateRootQuorum({
      threshold: 1,
      userIds: [organization.userId, grace.userId],
    });
    for (const { client, userId } of [rootOf(organization), grace, rootOf(organization)]) {
      await client.initImportWallet({ userId });
      await client.initImportPrivateKey({ userId });
      await init(client, { userId });
    }
    const lines = await importsOf(organization);
    expect(lines.map(({ userId, purpose }) => `${userId} ${purpose}`).sort()).toEqual(
      [organization.userId, grace.userId]
        .flatMap((userId) => [`${userId} private-key`, `${userId} wallet`])
        .sort(),
    );
    expect(new Set(lines.map(({ targetPublicKey }) => targetPublicKey)).size).toBe(4);
  });
}

function testRequests({ name, type, purpose, resultKey, init }: InitImport) {
  test("nobody opens an import for another user, even if all approve", async () => {
    const organization = await newOrganization();
    const grace = await addUser(organization);
    const { root, userId } = organization;
    expect(await refusal(init(root, { userId: grace.userId }))).toEqual({
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
    const waiting = await startWaiting(root, name, {
      type,
      parameters: { userId },
    });
    const { fingerprint } = waiting;
    const { activity } = await second.client.approveActivity({ fingerprint });
    const { importBundle = "" } = activity.result[resultKey] ?? {};
    expect(openImportBundle(importBundle, signerPublicKeyOf(server))).toMatchObject({ userId });
    expect(await importsOf(organization)).toMatchObject([{ userId, purpose }]);
  });

  test("bad parameters are refused by field", async () => {
    const { root } = await newOrganization();
    const cases: [object, string, string, unknown][] = [
      [{}, "FIELD_INVALID", "parameters.userId", expect.stringContaining("missing field")],
      [{ userId: "me" }, "FIELD_INVALID", "parameters.userId", expect.stringContaining("`me`")],
    ];
    for (const [parameters, code, field, message] of cases) {
      const request = submit(root, name, { type, parameters });
      expect(await refusal(request)).toEqual(badRequest(code, field, message));
    }
  });

  test("users without permission are denied", async () => {
    const organization = await newOrganization();
    const grace = await addUser(organization);
    await expectDenied(init(grace.client, { userId: grace.userId }));
    expect(await importsOf(organization)).toEqual([]);
  });
}
