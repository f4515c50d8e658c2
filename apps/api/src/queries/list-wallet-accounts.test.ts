import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { ethereumAccount, solanaAccount } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { ownServer } from "../own-server.testing.ts";
import { newOrganization, type TestOrganization } from "../testing.ts";
import {
  badPages,
  expectBadParameters,
  expectNotFound,
  expectOnlyFamilyReads,
  quorumKeyOf,
  readPages,
  unknownId,
} from "./queries.testing.ts";

/** A wallet with `size` accounts, created a hundred at a time. */
async function newWallet({ root }: TestOrganization, walletName: string, size: number) {
  const accounts = Array.from({ length: size }, (_, i) => ({
    ...ethereumAccount,
    path: `m/44'/60'/0'/0/${i}`,
  }));
  const { walletId } = await root.createWallet({ walletName, accounts: accounts.slice(0, 100) });
  for (let made = 100; made < size; made += 100) {
    await root.createWalletAccounts({ walletId, accounts: accounts.slice(made, made + 100) });
  }
  return { walletId, paths: accounts.map(({ path }) => path) };
}

async function listIds(
  { root }: TestOrganization,
  parameters: Parameters<typeof root.listWalletAccounts>[0],
): Promise<string[]> {
  const { accounts } = await root.listWalletAccounts(parameters);
  return accounts.map(({ walletAccountId }) => walletAccountId);
}

test("accounts are listed as the single query shows them, each with a proof that verifies", async () => {
  const { root, server, organizationId } = await newOrganization();
  const { walletId } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, solanaAccount],
  });
  const { accounts } = await root.listWalletAccounts({ walletId });
  const alone = await Promise.all(
    accounts.map(({ address }) => root.getWalletAccount({ walletId, address })),
  );
  expect(accounts).toEqual(alone.map(({ account }) => account));
  expect(accounts.map(({ path }) => path).sort()).toEqual(
    [ethereumAccount.path, solanaAccount.path].sort(),
  );
  for (const { proof, address } of accounts) {
    expect(verifyAppProof(proof, quorumKeyOf(server))).toBe(true);
    expect(JSON.parse(proof?.proofPayload ?? "")).toMatchObject({
      addressDerivationProof: { address, organizationId, walletId },
    });
  }
});

test("wallet details are included if the request asks for them", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId } = await newWallet(organization, "treasury", 1);
  const { wallet } = await root.getWallet({ walletId });
  const [plain] = (await root.listWalletAccounts({ walletId })).accounts;
  expect(plain).not.toHaveProperty("walletDetails");
  expect(await root.listWalletAccounts({ includeWalletDetails: true })).toEqual({
    accounts: [{ ...plain, walletDetails: wallet }],
  });
});

test("without a wallet id, the accounts of all wallets are listed, oldest first", async () => {
  const organization = await newOrganization(await ownServer());
  const { root, server } = organization;
  expect(await root.listWalletAccounts()).toEqual({ accounts: [] });
  const walletIds: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const { walletId } = await newWallet(organization, name, 1);
    walletIds.push(walletId);
    server.clock.offsetMs += 1;
  }
  const { accounts } = await root.listWalletAccounts();
  expect(accounts.map(({ walletId }) => walletId)).toEqual(walletIds);
});

test("following `after`, a hundred at a time, until a page is not full finds every account", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, paths } = await newWallet(organization, "large", 230);
  await newWallet(organization, "other", 3);

  const found: string[] = [];
  const sizes: number[] = [];
  let after: string | undefined;
  do {
    const paginationOptions = { limit: "100", ...(after === undefined ? {} : { after }) };
    const { accounts } = await root.listWalletAccounts({ walletId, paginationOptions });
    sizes.push(accounts.length);
    found.push(...accounts.map(({ path }) => path));
    after = accounts.at(-1)?.walletAccountId;
  } while (sizes.at(-1) === 100);
  expect(sizes).toEqual([100, 100, 30]);
  expect(found.toSorted()).toEqual(paths.toSorted());
});

test("pages lead to the end in both directions, in the same order", async () => {
  const organization = await newOrganization();
  const { walletId } = await newWallet(organization, "one", 13);
  await newWallet(organization, "two", 12);
  const all = await listIds(organization, { paginationOptions: { limit: "100" } });
  expect(all).toHaveLength(25);

  const forward = await readPages("after", 10, (paginationOptions) =>
    listIds(organization, { paginationOptions }),
  );
  expect(forward.map((page) => page.length)).toEqual([10, 10, 5]);
  expect(forward.flat()).toEqual(all);

  const backward: string[] = [];
  for (;;) {
    const before = backward[0] ?? all.at(-1) ?? "";
    const page = await listIds(organization, { paginationOptions: { limit: "7", before } });
    if (page.length === 0) break;
    backward.unshift(...page);
  }
  expect([...backward, all.at(-1)]).toEqual(all);

  const ofOne = await listIds(organization, { walletId, paginationOptions: { limit: "100" } });
  expect(await listIds(organization, { walletId })).toEqual(ofOne.slice(0, 10));
  const stretch = { after: ofOne[1] ?? "", before: ofOne[4] ?? "" };
  expect(await listIds(organization, { walletId, paginationOptions: stretch })).toEqual(
    ofOne.slice(2, 4),
  );
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const theirs = await newOrganization();
  await newWallet(theirs, "theirs", 1);
  const [foreign = ""] = await listIds(theirs, {});
  await expectBadParameters(organization, "list_wallet_accounts", [
    ...badPages,
    ...["before", "after"].flatMap((name) =>
      [unknownId, foreign].map((id): [object, string, string] => [
        { paginationOptions: { [name]: id } },
        `paginationOptions.${name}`,
        `\`paginationOptions.${name}\` must be the id of an object in the list: this organization has no account \`${id}\``,
      ]),
    ),
  ]);
});

test("a wallet that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const theirs = await newWallet(await newOrganization(), "theirs", 1);
  for (const walletId of [unknownId, theirs.walletId]) {
    await expectNotFound(root.listWalletAccounts({ walletId }), {
      field: "walletId",
      message: `wallet not found: \`${walletId}\``,
    });
  }
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_wallet_accounts", async (organization) => {
    const { walletId } = await newWallet(organization, "treasury", 2);
    return { walletId };
  });
});
