import { ownServer } from "@keyhearth/api/own-server.testing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  ethereumAccount,
  first,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_WALLET";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newWallet({ root }: Pick<TestOrganization, "root">, walletName = "treasury") {
  const accounts = [ethereumAccount];
  const { walletId, addresses } = await root.createWallet({ walletName, accounts });
  return { walletId, address: first(addresses) };
}

test("a wallet gets another name, and its accounts stay", async () => {
  const { root, server } = await newOrganization(await ownServer());
  const { walletId, address } = await newWallet({ root });
  const before = (await root.getWallet({ walletId })).wallet;
  server.clock.offsetMs += 2000;
  const { activity, ...result } = await root.updateWallet({ walletId, walletName: "cold" });
  expect(result).toEqual({ walletId });
  expect(activity.intent).toEqual({ updateWalletIntent: { walletId, walletName: "cold" } });
  expect(activity.result).toEqual({ updateWalletResult: { walletId } });
  const { wallet } = await root.getWallet({ walletId });
  expect(wallet).toEqual({ ...before, walletName: "cold", updatedAt: wallet?.updatedAt });
  expect(wallet?.updatedAt).not.toEqual(before?.updatedAt);
  expect((await root.getWalletAccount({ walletId, address })).account.address).toBe(address);
});

test("the name that a wallet had is free again, and its own name is not taken", async () => {
  const { root } = await newOrganization();
  const { walletId } = await newWallet({ root });
  await root.updateWallet({ walletId, walletName: "treasury" });
  await root.updateWallet({ walletId, walletName: "cold" });
  const other = await newWallet({ root });
  expect(await refusal(root.updateWallet({ walletId, walletName: "treasury" }))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.walletName",
    message: "a wallet with the name `treasury` already exists",
  });
  expect((await root.getWallet({ walletId: other.walletId })).wallet?.walletName).toBe("treasury");
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const { walletId } = await newWallet({ root });
  const cases: [object, string, string, unknown][] = [
    [
      { walletId },
      "FIELD_INVALID",
      "parameters.walletName",
      `nothing to change: \`parameters\` names wallet \`${walletId}\` and no walletName`,
    ],
    [
      { walletId, walletName: " " },
      "FIELD_INVALID",
      "parameters.walletName",
      "must not be only white space: `parameters.walletName` is ` `",
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "update_wallet", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
});

test("an unknown wallet and one of another organization are not found", async () => {
  const { root } = await newOrganization();
  const other = await newWallet(await newOrganization());
  for (const walletId of [unknownId, other.walletId]) {
    expect(await refusal(root.updateWallet({ walletId, walletName: "cold" }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.walletId",
      message: `wallet not found: \`${walletId}\``,
    });
  }
});

test("a policy about the wallet's id allows it to one user, with the last approval", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { walletId } = await newWallet(organization);
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "Grace renames with Ada",
    effect: "EFFECT_ALLOW",
    condition: `activity.kind == 'UPDATE_WALLET' && activity.params.wallet_id == '${walletId}'`,
    consensus: "approvers.count() >= 2",
  });
  const parameters = { walletId, walletName: "cold" };
  const { fingerprint } = await startWaiting(grace.client, "update_wallet", { type, parameters });
  const { activity } = await root.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(activity.votes.map((vote) => vote.userId)).toEqual([grace.userId, userId]);
  expect((await root.getWallet({ walletId })).wallet?.walletName).toBe("cold");
});
