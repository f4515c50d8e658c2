import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  expectDenied,
  first,
  impatient,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_WALLETS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newWallet({ root }: Pick<TestOrganization, "root">, walletName = "treasury") {
  const accounts = [{ ...ethereumAccount, name: `account of ${walletName}` }];
  const { walletId, addresses } = await root.createWallet({ walletName, accounts });
  return { walletId, address: first(addresses) };
}

function payment(signWith: string) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
}

const approval = ({ fingerprint }: { fingerprint: string }) => ({
  type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
  parameters: { fingerprint },
});

test("wallets are deleted with their accounts, and the others stay; a repeated id counts once", async () => {
  const { root } = await newOrganization();
  const one = await newWallet({ root }, "one");
  const two = await newWallet({ root }, "two");
  const three = await newWallet({ root }, "three");
  await root.signRawPayload(payment(one.address));
  const asked = [three.walletId, one.walletId, three.walletId];
  const request = { walletIds: asked, deleteWithoutExport: true };
  const { walletIds, activity } = await root.deleteWallets(request);
  expect(walletIds).toEqual([three.walletId, one.walletId]);
  expect(activity.intent).toEqual({ deleteWalletsIntent: request });
  expect(activity.result).toEqual({ deleteWalletsResult: { walletIds } });

  const { wallets } = await root.listWallets();
  expect(wallets.map(({ walletId }) => walletId)).toEqual([two.walletId]);
  const { accounts } = await root.listWalletAccounts();
  expect(accounts.map(({ address }) => address)).toEqual([two.address]);
  const { walletId, address } = one;
  for (const request of [
    () => root.getWallet({ walletId }),
    () => root.listWalletAccounts({ walletId }),
    () => root.getWalletAccount({ walletId, address }),
    () => root.updateWallet({ walletId, walletName: "again" }),
    () => root.createWalletAccounts({ walletId, accounts: [ethereumAccount] }),
    () => root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true }),
  ]) {
    expect(await refusal(request())).toMatchObject({
      httpStatus: 404,
      message: `wallet not found: \`${walletId}\``,
    });
  }
  expect(await refusal(root.signRawPayload(payment(address)))).toMatchObject({
    httpStatus: 404,
    field: "parameters.signWith",
    message: expect.stringMatching(/^Could not find any resource to sign with/),
  });
  await root.signRawPayload(payment(two.address));
});

test("nothing of a deleted wallet stays in the tables of keys", async () => {
  const { root, server, organizationId } = await newOrganization();
  const { walletId } = await newWallet({ root });
  const rows = async () => {
    const text = ["wallets", "wallet_accounts", "wallet_account_names"]
      .map((table) => `SELECT 1 FROM ${table} WHERE organization_id = $1::uuid`)
      .join(" UNION ALL ");
    return (await server.store.run("rows of keys", text, [organizationId])).length;
  };
  expect(await rows()).toBe(3);
  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  expect(await rows()).toBe(0);
});

test("the names of a deleted wallet and its accounts, and its place among a hundred, are free again", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const { walletId } = await newWallet({ root });
  for (let i = 1; i < 100; i++) await root.createWallet({ walletName: `w${i}`, accounts: [] });
  expect(await refusal(root.createWallet({ walletName: "w100", accounts: [] }))).toMatchObject({
    httpStatus: 429,
    code: "LIMIT_EXCEEDED",
    message: "an organization may have 100 wallets",
  });
  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  const again = await newWallet({ root });
  expect(again.walletId).not.toBe(walletId);
});

test("a wallet that was never exported is deleted only if the request says so", async () => {
  const { root } = await newOrganization();
  const { walletId } = await newWallet({ root });
  const expected = badRequest(
    "NOT_EXPORTED",
    "parameters.walletIds[0]",
    `wallet has not been exported: \`${walletId}\`; export it first, or set \`deleteWithoutExport\` to true to delete it although no copy is left`,
  );
  for (const choice of [{}, { deleteWithoutExport: false }]) {
    expect(await refusal(root.deleteWallets({ walletIds: [walletId], ...choice }))).toEqual(
      expected,
    );
  }
  expect((await root.listWallets()).wallets).toHaveLength(1);
});

test("an empty list is refused by field", async () => {
  const { root } = await newOrganization();
  const refused = submit(root, "delete_wallets", { type, parameters: { walletIds: [] } });
  expect(await refusal(refused)).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.walletIds",
      "must name at least one wallet: `parameters.walletIds` is a list of 0",
    ),
  );
});

test("if one wallet is unknown or belongs to another organization, none is deleted", async () => {
  const { root } = await newOrganization();
  const own = await newWallet({ root });
  const theirs = await newWallet(await newOrganization());
  for (const walletId of [unknownId, theirs.walletId]) {
    const walletIds = [own.walletId, walletId];
    expect(await refusal(root.deleteWallets({ walletIds, deleteWithoutExport: true }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.walletIds[1]",
      message: `wallet not found: \`${walletId}\``,
    });
  }
  expect((await root.listWallets()).wallets).toHaveLength(1);
});

test("the same bytes again are the same activity", async () => {
  const { root, organizationId } = await newOrganization();
  const { walletId } = await newWallet({ root });
  const parameters = { walletIds: [walletId], deleteWithoutExport: true };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "delete_wallets", body);
  expect(await post(root, "delete_wallets", body)).toEqual(one);
});

test("policies can require an export, and an approval deletes what still exists", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId } = await newWallet(organization);
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "Grace deletes with approval, never without an export",
    effect: "EFFECT_ALLOW",
    condition:
      "activity.kind == 'DELETE_WALLETS' && activity.params.delete_without_export == false",
    consensus: "approvers.count() >= 2",
  });
  const request = { walletIds: [walletId], deleteWithoutExport: true };
  await expectDenied(grace.client.deleteWallets(request));

  await root.createPolicy({
    policyName: "Grace deletes with approval",
    effect: "EFFECT_ALLOW",
    condition: "activity.kind == 'DELETE_WALLETS'",
    consensus: "approvers.count() >= 2",
  });
  const waiting = await startWaiting(grace.client, "delete_wallets", { type, parameters: request });
  await root.deleteWallets(request);
  const activity = await submit(root, "approve_activity", approval(waiting));
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_FAILED",
    failure: { code: 5, message: `wallet not found: \`${walletId}\`` },
  });
});

test("a signature that waits for approval fails once its wallet is deleted", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, address } = await newWallet(organization);
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "Grace signs with approval",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    consensus: "approvers.count() >= 2",
  });
  const waiting = await startWaiting(grace.client, "sign_raw_payload", {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: payment(address),
  });
  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  const activity = await submit(root, "approve_activity", approval(waiting));
  expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_FAILED", result: {} });
});
