import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  errorOf,
  ethereumAccount,
  first,
  post,
  refusal,
  solanaAccount,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS";
const second = { ...ethereumAccount, path: "m/44'/60'/0'/0/1" };
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newWallet() {
  const organization = await newOrganization();
  const { walletId, addresses } = await organization.root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  return { ...organization, walletId, address: first(addresses) };
}

test("accounts are derived from the wallet's seed and can be read back", async () => {
  const { root, organizationId, walletId, address } = await newWallet();
  const { addresses, activity } = await root.createWalletAccounts({
    walletId,
    accounts: [second, solanaAccount],
  });
  expect(addresses).toHaveLength(2);
  expect(addresses).not.toContain(address);
  expect(activity.intent).toEqual({
    createWalletAccountsIntent: { walletId, accounts: [second, solanaAccount] },
  });
  expect(activity.result).toEqual({ createWalletAccountsResult: { addresses } });

  const { accounts } = await root.listWalletAccounts({ walletId });
  expect(accounts.map((account) => account.address).sort()).toEqual([address, ...addresses].sort());
  const { account } = await root.getWalletAccount({ walletId, address: addresses[0] });
  expect(account).toMatchObject({ ...second, organizationId, walletId });
});

test("accounts that are not stored have the same address as stored ones", async () => {
  const { root, walletId } = await newWallet();
  const accounts = [second, ethereumAccount];
  const asked = await root.createWalletAccounts({ walletId, accounts, persist: false });
  expect((await root.listWalletAccounts({ walletId })).accounts).toHaveLength(1);
  const kept = await root.createWalletAccounts({ walletId, accounts: [second] });
  expect(asked.addresses[0]).toBe(kept.addresses[0]);
  expect((await root.listWalletAccounts({ walletId })).accounts).toHaveLength(2);
});

test("adding accounts does not change the organization's document", async () => {
  const { server, root, organizationId, walletId } = await newWallet();
  const versionOf = async () => {
    const rows = server.store.db.selectFrom("organizations").select("version");
    return rows.where("organization_id", "=", organizationId).executeTakeFirstOrThrow();
  };
  const before = await versionOf();
  await root.createWalletAccounts({ walletId, accounts: [second] });
  expect(await versionOf()).toEqual(before);
});

test("a path can be used only once for each address format", async () => {
  const { root, walletId } = await newWallet();
  const refused = {
    httpStatus: 409,
    grpcCode: 6,
    code: "PATH_TAKEN",
    field: "parameters.accounts[1].path",
    message: "invalid path: path already exists in wallet account: `m/44'/60'/0'/0/0`",
  };
  const accounts = [second, ethereumAccount];
  expect(await refusal(root.createWalletAccounts({ walletId, accounts }))).toEqual(refused);
  expect((await root.listWalletAccounts({ walletId })).accounts).toHaveLength(1);
});

test("an Ed25519 address is refused in every spelling of its path, within a request and across requests", async () => {
  const { root, walletId } = await newWallet();
  const spelled = (path: string) => ({ ...solanaAccount, path });
  const create = (...paths: string[]) =>
    root.createWalletAccounts({ walletId, accounts: paths.map(spelled) });
  const refused = (index: number, path: string, other: string) => ({
    httpStatus: 409,
    grpcCode: 6,
    code: "PATH_TAKEN",
    field: `parameters.accounts[${index}].path`,
    message: `invalid path: path already exists in wallet account: \`${path}\` has the same address as \`${other}\`, since every step of an Ed25519 path is hardened`,
  });
  const [soft, hard] = ["m/44'/501'/0'/0", "m/44'/501'/0'/0'"];
  expect(await refusal(create(soft, hard))).toEqual(refused(1, hard, soft));
  const { addresses } = await create(soft);
  expect(await refusal(create("m/44'/501'/1'", hard))).toEqual(refused(1, hard, soft));
  const { account } = await root.getWalletAccount({ walletId, address: first(addresses) });
  expect(account.path).toBe(soft);
  const { addresses: asked } = await root.createWalletAccounts({
    walletId,
    accounts: [spelled(hard)],
    persist: false,
  });
  expect(asked).toEqual(addresses);
});

test("one path can have accounts of several curves and formats", async () => {
  const { root, walletId } = await newWallet();
  const path = "m/0'/0";
  const compressed = {
    pathFormat: "PATH_FORMAT_BIP32",
    path,
    addressFormat: "ADDRESS_FORMAT_COMPRESSED",
  } as const;
  const accounts = [
    { ...compressed, curve: "CURVE_SECP256K1" },
    { ...compressed, curve: "CURVE_P256" },
    { ...compressed, curve: "CURVE_ED25519" },
    { ...compressed, curve: "CURVE_P256", addressFormat: "ADDRESS_FORMAT_UNCOMPRESSED" },
  ] as const;
  const { addresses } = await root.createWalletAccounts({ walletId, accounts: [...accounts] });
  expect(new Set(addresses).size).toBe(4);
  for (const [index, account] of accounts.entries()) {
    expect(
      await refusal(root.createWalletAccounts({ walletId, accounts: [account] })),
    ).toMatchObject({ code: "PATH_TAKEN", field: "parameters.accounts[0].path" });
    const { account: found } = await root.getWalletAccount({ walletId, address: addresses[index] });
    expect(found.curve).toBe(account.curve);
  }
});

test("an account has a name that no other account of the organization has", async () => {
  const { root, walletId } = await newWallet();
  const named = { ...second, name: "payouts" };
  const { addresses, activity } = await root.createWalletAccounts({ walletId, accounts: [named] });
  expect(activity.intent).toEqual({ createWalletAccountsIntent: { walletId, accounts: [named] } });
  const { account } = await root.getWalletAccount({ walletId, address: first(addresses) });
  expect(account.name).toBe("payouts");
  const taken = (field: string) => ({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field,
    message: "a wallet account with the name `payouts` already exists",
  });
  const other = { ...solanaAccount, name: "payouts" };
  const unnamed = { ...ethereumAccount, path: "m/44'/60'/0'/0/2" };
  expect(
    await refusal(root.createWalletAccounts({ walletId, accounts: [unnamed, other] })),
  ).toEqual(taken("parameters.accounts[1].name"));
  expect(await refusal(root.createWallet({ walletName: "second", accounts: [other] }))).toEqual(
    taken("parameters.accounts[0].name"),
  );
  const twice = [
    { ...unnamed, name: "rent" },
    { ...solanaAccount, name: "rent" },
  ];
  expect(await refusal(root.createWalletAccounts({ walletId, accounts: twice }))).toMatchObject({
    code: "NAME_TAKEN",
    field: "parameters.accounts[1].name",
  });
  // Nothing is stored, so nothing takes the name.
  await root.createWalletAccounts({ walletId, accounts: [other], persist: false });
  await (await newOrganization()).root.createWallet({ walletName: "w", accounts: [other] });
});

test("if requests for the same path race, one of them creates it", async () => {
  const { root, walletId } = await newWallet();
  const nowMs = Date.now();
  const attempts = await Promise.allSettled(
    [0, 1, 2, 3, 4].map((i) => {
      const timestampMs = String(nowMs - i);
      return root.createWalletAccounts({ walletId, accounts: [second] }, { timestampMs });
    }),
  );
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await root.listWalletAccounts({ walletId })).accounts).toHaveLength(2);
});

test("the same bytes again are the same activity and create nothing new", async () => {
  const { root, organizationId, walletId } = await newWallet();
  const body = bodyOf(organizationId, { type, parameters: { walletId, accounts: [second] } });
  const one = await post(root, "create_wallet_accounts", body);
  const again = [1, 2, 3].map(() => post(root, "create_wallet_accounts", body));
  for (const activity of await Promise.all(again)) expect(activity).toEqual(one);
  expect((await root.listWalletAccounts({ walletId })).accounts).toHaveLength(2);
});

test("bad parameters are refused by field", async () => {
  const { root, walletId } = await newWallet();
  const accounts = (change: object) => ({ walletId, accounts: [{ ...second, ...change }] });
  const cases: [object, string, string, unknown][] = [
    [
      accounts({ addressFormat: "ADDRESS_FORMAT_SPARK_MAINNET" }),
      "FIELD_INVALID",
      "parameters.accounts[0].addressFormat",
      expect.stringMatching(/^invalid address format: Spark addresses are not supported: /),
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "create_wallet_accounts", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
});

test("a name that is taken, a wrong curve and a path in use are refused at once", async () => {
  const { root, walletId } = await newWallet();
  await root.createWalletAccounts({ walletId, accounts: [{ ...second, name: "main" }] });
  const accounts = [
    { ...second, path: "m/7", curve: "CURVE_ED25519" as const },
    { ...second, path: "m/8", name: "main" },
    second,
  ];
  const error = await errorOf(root.createWalletAccounts({ walletId, accounts }));
  expect(error.details.map(({ field }) => field)).toEqual([
    "parameters.accounts[0].addressFormat",
    "parameters.accounts[1].name",
    "parameters.accounts[2].path",
  ]);
});

test("an unknown wallet and one of another organization are not found", async () => {
  const { root } = await newWallet();
  const other = await newWallet();
  for (const walletId of [unknownId, other.walletId]) {
    expect(await refusal(root.createWalletAccounts({ walletId, accounts: [second] }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.walletId",
      message: `wallet not found: \`${walletId}\``,
    });
  }
});
