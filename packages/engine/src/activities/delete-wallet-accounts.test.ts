import {
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  expectIdsChecked,
  first,
  impatient,
  post,
  refusal,
  startWaiting,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS";
const unknownId = "00000000-0000-4000-8000-000000000000";
const accountAt = (index: number) => ({ ...ethereumAccount, path: `m/44'/60'/0'/0/${index}` });

async function newWallet({ root }: Pick<TestOrganization, "root">, size = 2) {
  const accounts = Array.from({ length: size }, (_, index) => accountAt(index));
  const { walletId } = await root.createWallet({ walletName: "treasury", accounts });
  return { walletId, accounts: await accountsOf({ root }, walletId) };
}

async function accountsOf({ root }: Pick<TestOrganization, "root">, walletId: string) {
  const paginationOptions = { limit: "100" };
  const { accounts } = await root.listWalletAccounts({ walletId, paginationOptions });
  return accounts.sort((one, other) => one.path.localeCompare(other.path));
}

/** Waits until a deleted account can be created again. */
function later({ clock }: TestServer) {
  clock.offsetMs += 5 * 60 * 1000 + 1;
  return { timestampMs: String(Date.now() + clock.offsetMs) };
}

function payment(signWith: string) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
}

test("accounts are deleted, and the others stay; a repeated id counts once", async () => {
  const { root } = await newOrganization();
  const { walletId, accounts } = await newWallet({ root });
  const [{ walletAccountId: id, address, path } = first([]), kept = first([])] = accounts;
  await root.signRawPayload(payment(address));
  const request = { walletAccountIds: [id, id], deleteWithoutExport: true };
  const { walletAccountIds, activity } = await root.deleteWalletAccounts(request);
  expect(walletAccountIds).toEqual([id]);
  expect(activity.intent).toEqual({ deleteWalletAccountsIntent: request });
  expect(activity.result).toEqual({ deleteWalletAccountsResult: { walletAccountIds } });

  expect(await accountsOf({ root }, walletId)).toEqual([kept]);
  for (const search of [{ address }, { path }]) {
    expect(await refusal(root.getWalletAccount({ walletId, ...search }))).toMatchObject({
      httpStatus: 404,
    });
  }
  expect(await refusal(root.signRawPayload(payment(address)))).toMatchObject({
    httpStatus: 404,
    message: expect.stringMatching(/^Could not find any resource to sign with/),
  });
  await root.signRawPayload(payment(kept.address));
  const once = { ...request, walletAccountIds };
  expect(await refusal(root.deleteWalletAccounts(once))).toMatchObject({
    httpStatus: 404,
    field: "parameters.walletAccountIds[0]",
    message: `wallet account not found: \`${id}\``,
  });
});

test("five minutes after a deletion the account can be created again, with the same address and another id", async () => {
  const server = await startTestServer();
  const { root, organizationId } = await newOrganization(server);
  const { walletId } = await newWallet({ root }, 0);
  const accounts = [{ ...accountAt(0), name: "payouts" }];
  const creation = bodyOf(organizationId, {
    type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
    parameters: { walletId, accounts },
  });
  const created = await post(root, "create_wallet_accounts", creation);
  const ids: string[] = [];
  const addresses: string[] = [];
  for (let round = 0; round < 3; round++) {
    const [account = first([])] = await accountsOf({ root }, walletId);
    ids.push(account.walletAccountId);
    addresses.push(account.address);
    await root.signRawPayload(payment(account.address));
    const walletAccountIds = [account.walletAccountId];
    await root.deleteWalletAccounts({ walletAccountIds, deleteWithoutExport: true });
    // The bytes that created the first one are the same activity, and bring nothing back.
    expect(await post(root, "create_wallet_accounts", creation)).toEqual(created);
    expect(await accountsOf({ root }, walletId)).toEqual([]);
    expect(await refusal(root.createWalletAccounts({ walletId, accounts }))).toMatchObject({
      code: "TIMESTAMP_OUT_OF_RANGE",
    });
    await root.createWalletAccounts({ walletId, accounts }, later(server));
  }
  expect(new Set(ids).size).toBe(3);
  expect(new Set(addresses).size).toBe(1);
  await server.stop();
});

test("a deletion that waited for an approval counts from when it took effect", async () => {
  const server = await startTestServer();
  const organization = await newOrganization(server);
  const { root, organizationId } = organization;
  const { walletId, accounts } = await newWallet({ root });
  const [{ walletAccountId, path } = first([])] = accounts;
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "Grace deletes with approval",
    effect: "EFFECT_ALLOW",
    condition: "activity.kind == 'DELETE_WALLET_ACCOUNTS'",
    consensus: "approvers.count() >= 2",
  });
  const parameters = { walletAccountIds: [walletAccountId], deleteWithoutExport: true };
  const { fingerprint } = await startWaiting(grace.client, "delete_wallet_accounts", {
    type,
    parameters,
  });
  // Stamped after the deletion by a clock that is ahead, and a minute before it takes effect.
  const creation = bodyOf(organizationId, {
    type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
    parameters: { walletId, accounts: [{ ...ethereumAccount, path }] },
    timestampMs: Date.now() + server.clock.offsetMs + 4 * 60 * 1000,
  });
  server.clock.offsetMs += 6 * 60 * 1000;
  await root.approveActivity({ fingerprint }, { timestampMs: String(Date.now()) });
  expect(await accountsOf({ root }, walletId)).toHaveLength(1);
  const message = expect.stringMatching(
    new RegExp(
      `^the account at \`${path}\` was deleted, and \`timestampMs\` must be after 2[-0-9T:.]+Z to create it again: stamp the request again after that time$`,
    ),
  );
  expect(await refusal(post(root, "create_wallet_accounts", creation))).toEqual(
    badRequest("TIMESTAMP_OUT_OF_RANGE", "timestampMs", message),
  );
  await server.stop();
});

test("an account of a wallet that was never exported is deleted only if the request says so", async () => {
  const { root } = await newOrganization();
  const { walletId, accounts } = await newWallet({ root });
  const id = first(accounts).walletAccountId;
  expect(await refusal(root.deleteWalletAccounts({ walletAccountIds: [id] }))).toEqual(
    badRequest(
      "NOT_EXPORTED",
      "parameters.walletAccountIds[0]",
      `wallet account has not been exported: \`${id}\`; export it first, or set \`deleteWithoutExport\` to true to delete it although no copy is left`,
    ),
  );
  expect(await accountsOf({ root }, walletId)).toHaveLength(2);
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const ids = { type, member: "walletAccountIds", noun: "wallet account" };
  await expectIdsChecked(root, "delete_wallet_accounts", ids);
});

test("if one account is unknown or belongs to another organization, none is deleted", async () => {
  const { root } = await newOrganization();
  const { walletId, accounts } = await newWallet({ root });
  const own = first(accounts).walletAccountId;
  const theirs = first((await newWallet(await newOrganization())).accounts).walletAccountId;
  for (const walletAccountId of [unknownId, theirs]) {
    const walletAccountIds = [own, walletAccountId];
    const request = root.deleteWalletAccounts({ walletAccountIds, deleteWithoutExport: true });
    expect(await refusal(request)).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.walletAccountIds[1]",
      message: `wallet account not found: \`${walletAccountId}\``,
    });
  }
  expect(await accountsOf({ root }, walletId)).toHaveLength(2);
});

test("an organization has at most 1,000 deleted accounts, and none for a deleted wallet", async () => {
  const server = await startTestServer();
  const organization = await newOrganization(server);
  const root = impatient(organization);
  const { walletId } = await newWallet({ root }, 0);
  const deleteSome = async (start: number) => {
    const accounts = Array.from({ length: 100 }, (_, index) => accountAt(start + index));
    await root.createWalletAccounts({ walletId, accounts });
    const ids = (await accountsOf({ root }, walletId)).map((each) => each.walletAccountId);
    return root.deleteWalletAccounts({ walletAccountIds: ids, deleteWithoutExport: true });
  };
  for (let start = 0; start < 1000; start += 100) await deleteSome(start);
  expect(await refusal(deleteSome(1000))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.walletAccountIds",
    message:
      "an organization may have 1000 deleted wallet accounts, and its wallets have 1000; to delete more, delete a whole wallet",
  });
  // The last account of a place counts once, however often it was deleted.
  await root.createWalletAccounts({ walletId, accounts: [accountAt(0)] }, later(server));
  const { account: again } = await root.getWalletAccount({ walletId, path: accountAt(0).path });
  const repeated = { walletAccountIds: [again.walletAccountId], deleteWithoutExport: true };
  await root.deleteWalletAccounts(repeated);

  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  const { accounts } = await newWallet({ root }, 1);
  const walletAccountIds = [first(accounts).walletAccountId];
  await root.deleteWalletAccounts({ walletAccountIds, deleteWithoutExport: true });
  await server.stop();
});
