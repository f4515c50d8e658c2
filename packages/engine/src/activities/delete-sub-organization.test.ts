import { queries } from "@keyhearth/api/queries/index";
import { newChild, newFamily } from "@keyhearth/api/queries/queries.testing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  expectDenied,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION";
const remove = { deleteWithoutExport: true };

/** A wallet, a private key, a tag and an expiring key. */
async function fill({ root, userId }: TestOrganization) {
  const { walletId } = await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "k",
        curve: "CURVE_SECP256K1",
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        privateKeyTags: [],
      },
    ],
  });
  await root.createUserTag({ userTagName: "t", userIds: [userId] });
  return { walletId, privateKeyId: privateKeys[0]?.privateKeyId ?? "" };
}

test("a sub-organization deletes itself, and nothing of it is found again", async () => {
  const { parent, child } = await newFamily();
  const { organizationId, root, server, rootKey } = child;
  await fill(child);
  const sibling = await newChild(parent, { name: "sibling" });
  const { subOrganizationUuid, activity } = await root.deleteSubOrganization(remove);
  expect(subOrganizationUuid).toBe(organizationId);
  expect(activity).toMatchObject({
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { deleteSubOrganizationIntent: remove },
    result: { deleteSubOrganizationResult: { subOrganizationUuid } },
  });

  const list = (filter: object) => parent.root.listSuborgs(filter);
  expect((await list({})).organizationIds).toEqual([sibling.organizationId]);
  for (const [filterType, filterValue] of [
    ["NAME", "child"],
    ["PUBLIC_KEY", rootKey.publicKey],
  ]) {
    expect((await list({ filterType, filterValue })).organizationIds).toEqual([]);
  }
  expect((await list({ filterType: "USERNAME", filterValue: "Ada" })).organizationIds).toEqual([
    sibling.organizationId,
  ]);

  const unknown = {
    httpStatus: 404,
    code: "ORGANIZATION_NOT_FOUND",
    message: `no organization found with the given ID: \`${organizationId}\``,
  };
  for (const client of [root, parent.root]) {
    for (const { name, example } of queries) {
      const body = JSON.stringify({ ...example, organizationId });
      const asked = client.request(`/public/v1/query/${name}`, body);
      expect(await refusal(asked)).toMatchObject(unknown);
    }
  }
  expect(await refusal(root.createWallet({ walletName: "w", accounts: [] }))).toEqual(
    badRequest(
      "ORGANIZATION_NOT_FOUND",
      "organizationId",
      `failed to load organizations: no organization found with the given ID: \`${organizationId}\``,
    ),
  );
  for (const table of [
    "lookups",
    "sessions",
    "wallets",
    "wallet_accounts",
    "private_keys",
    "private_key_addresses",
  ]) {
    const { rows } = await sql`SELECT 1 FROM ${sql.table(table)}
      WHERE organization_id = ${organizationId}::uuid`.execute(server.store.db);
    expect({ table, rows: rows.length }).toEqual({ table, rows: 0 });
  }
});

test("is refused until every wallet and private key was exported, and says all that were not", async () => {
  const { child } = await newFamily();
  const { root } = child;
  const { walletId, privateKeyId } = await fill(child);
  const field = "parameters.deleteWithoutExport";
  const why = (noun: string, id: string) =>
    `${noun} has not been exported: \`${id}\`; export it first, or set \`deleteWithoutExport\` to true to delete it although no copy is left`;
  for (const parameters of [{}, { deleteWithoutExport: false }]) {
    expect(await refusal(root.deleteSubOrganization(parameters))).toEqual(
      badRequest(
        "NOT_EXPORTED",
        field,
        `${why("wallet", walletId)}; ${why("private key", privateKeyId)}`,
      ),
    );
  }
  const { targetPublicKey } = createTargetKey();
  await root.exportWallet({ walletId, targetPublicKey });
  expect(await refusal(root.deleteSubOrganization({}))).toEqual(
    badRequest("NOT_EXPORTED", field, why("private key", privateKeyId)),
  );
  await root.exportPrivateKey({ privateKeyId, targetPublicKey });
  await root.deleteSubOrganization({});
});

test("its parent and other organizations cannot delete it", async () => {
  const { parent, child } = await newFamily();
  const { organizationId } = child;
  const body = bodyOf(organizationId, { type, parameters: remove });
  const refused = await refusal(post(parent.root, "delete_sub_organization", body));
  expect(refused).toMatchObject({ httpStatus: 403, code: "REQUEST_NOT_AUTHORIZED" });
  await child.root.whoami();
});

test("users without a permission are denied, and one who has it by a policy is not", async () => {
  const { child } = await newFamily();
  const user = await addUser(child);
  await expectDenied(user.client.deleteSubOrganization(remove));
  await child.root.createPolicy({
    policyName: "p",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${user.userId}')`,
    condition: "activity.type == 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION'",
  });
  await user.client.deleteSubOrganization(remove);
});

test("a deletion that waits for approvals takes effect with the last one, and ends all that waits", async () => {
  const { child } = await newFamily();
  const { root, userId } = child;
  const second = await addUser(child, "Second");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const other = await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "w", accounts: [] },
  });
  const waiting = await startWaiting(root, "delete_sub_organization", { type, parameters: remove });
  const { activity } = await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  expect(activity).toMatchObject({ id: waiting.id, status: "ACTIVITY_STATUS_COMPLETED" });
  const vote = second.client.approveActivity({ fingerprint: other.fingerprint });
  expect(await refusal(vote)).toMatchObject({ code: "ORGANIZATION_NOT_FOUND" });
});

test("a top-level organization is not a sub-organization", async () => {
  const { root } = await newOrganization();
  expect(await refusal(root.deleteSubOrganization(remove))).toEqual(
    badRequest(
      "ORGANIZATION_MISMATCH",
      "organizationId",
      "this is not a sub-organization: send the request to the sub-organization itself, or delete a top-level organization with delete_organization",
    ),
  );
});

test("refuses a flag that is not one", async () => {
  const { child } = await newFamily();
  const asked = submit(child.root, "delete_sub_organization", {
    type,
    parameters: { deleteWithoutExport: "yes" },
  });
  expect(await refusal(asked)).toMatchObject({
    code: "FIELD_INVALID",
    field: "parameters.deleteWithoutExport",
  });
});
