import { addUser, ethereumAccount, refusal } from "@keyhearth/engine/organization.testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPruning } from "../jobs/prune.ts";
import { sealSegments } from "../jobs/seal-segments.ts";
import { newChild } from "../queries/queries.testing.ts";
import { newOrganization, startTestServer, type TestOrganization } from "../testing.ts";
import type { Store } from "./connect.ts";
import { dbOver } from "./db-over.ts";
import { deleteLeftAccounts } from "./deleted-wallets.ts";
import { findStoredBytes } from "./family-storage.ts";
import { listWalletAccounts } from "./wallet-accounts.ts";

// A wallet with very many accounts, or an organization with such wallets, is deleted: no statement removes all of them.

const COUNT = 5000;
const MAX_ROWS = 1100;
const remove = { deleteWithoutExport: true };

let server: Awaited<ReturnType<typeof startTestServer>>;
let store: Store;
let run: Store["run"];
let organization: TestOrganization;

beforeAll(async () => {
  server = await startTestServer();
  ({ store } = server);
  run = store.run;
});

afterAll(() => server?.stop());

beforeEach(async () => {
  store.run = run;
  organization = await newOrganization(server);
});

/** A wallet with this many copies of its only account, each with a path, an address and a name. */
async function newWallet({ root, organizationId }: TestOrganization, count: number) {
  const { walletId, addresses } = await root.createWallet({
    walletName: `wallet of ${count}`,
    accounts: [{ ...ethereumAccount, name: `account of ${count}` }],
  });
  await run(
    "",
    `WITH copied AS (
       INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format, place,
         address, created_at_ms, digest, record)
       SELECT organization_id, gen_random_uuid(), wallet_id, path || '/' || n, address_format,
         place || '/' || n, address || n, created_at_ms, digest, record
       FROM wallet_accounts CROSS JOIN generate_series(2, $2::int) AS n WHERE wallet_id = $1::uuid
       RETURNING organization_id, place, wallet_account_id
     ) INSERT INTO wallet_account_names SELECT organization_id, place, wallet_account_id FROM copied`,
    [walletId, count],
  );
  // As the service does for a table that has grown.
  await run("", "ANALYZE wallet_accounts, wallet_account_names", []);
  expect(await countOf("wallet_accounts", organizationId)).toBeGreaterThanOrEqual(count);
  return { walletId, address: addresses[0] ?? "", name: `account of ${count}` };
}

async function countOf(table: string, organizationId: string): Promise<number> {
  const text = `SELECT count(*) AS number FROM ${table} WHERE organization_id = $1::uuid`;
  const [row] = await run("", text, [organizationId]);
  return Number(row?.number);
}

type Plan = {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};

/** The most rows that a step of the plan reads. */
function mostRows({ Plans = [], ...step }: Plan): number {
  const read = (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"];
  return Math.max(read, ...Plans.map(mostRows));
}

async function explain(text: string, parameters: unknown[]): Promise<number> {
  const rows = await run("", `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters);
  const [explained] = rows as [{ "QUERY PLAN": { Plan: Plan }[] }];
  return Math.max(...explained["QUERY PLAN"].map(({ Plan: plan }) => mostRows(plan)));
}

/** The most rows that a step reads of the statements that remove accounts from now on. Their answers are plans. */
function watchRemovals(): { rows: number } {
  const most = { rows: 0 };
  store.run = async (name, text, parameters) => {
    if (!/DELETE FROM wallet_accounts/.test(text)) return run(name, text, parameters);
    most.rows = Math.max(most.rows, await explain(text, parameters));
    return [];
  };
  return most;
}

async function pruneAll() {
  while (await deleteLeftAccounts(store));
}

async function expectNothingLeft(organizationId: string) {
  for (const table of ["wallet_accounts", "wallet_account_names", "deleted_wallets"]) {
    expect({ table, rows: await countOf(table, organizationId) }).toEqual({ table, rows: 0 });
  }
}

const isOnCitus = Boolean(process.env.KEYHEARTH_TEST_CITUS);
const WITHOUT_PLANS = "Citus shows no plan of a statement that inserts what others have found";

test("of a wallet is done a thousand accounts at a time, and what the family stores stays the same", async ({
  skip,
}) => {
  skip(isOnCitus, WITHOUT_PLANS);
  const { root, organizationId } = organization;
  const { walletId } = await newWallet(organization, COUNT);
  const most = watchRemovals();
  await root.deleteWallets({ walletIds: [walletId], ...remove });
  expect(most.rows).toBeGreaterThan(0);
  expect(most.rows).toBeLessThan(MAX_ROWS);
  expect(await countOf("wallets", organizationId)).toBe(0);
  await sealSegments(server.host);
  const stored = await findStoredBytes(store.db, organizationId);
  for (let left = COUNT - 1000; left > 0; left -= 1000) {
    expect(await countOf("wallet_accounts", organizationId)).toBe(left);
    expect(await countOf("wallet_account_names", organizationId)).toBe(left);
    await deleteLeftAccounts(store);
  }
  store.run = run;
  await pruneAll();
  expect(most.rows).toBeLessThan(MAX_ROWS);
  await expectNothingLeft(organizationId);
  expect(await findStoredBytes(store.db, organizationId)).toBe(stored);
});

test("of many wallets removes no more at once than that of one, and a small one leaves nothing", async ({
  skip,
}) => {
  skip(isOnCitus, WITHOUT_PLANS);
  const { root, organizationId } = organization;
  const small = await newWallet(organization, 900);
  await root.deleteWallets({ walletIds: [small.walletId], ...remove });
  await expectNothingLeft(organizationId);
  const walletIds: string[] = [];
  for (const count of [901, 902, 903]) {
    walletIds.push((await newWallet(organization, count)).walletId);
  }
  const most = watchRemovals();
  await root.deleteWallets({ walletIds, ...remove });
  expect(most.rows).toBeLessThan(MAX_ROWS);
  store.run = run;
  await pruneAll();
  await expectNothingLeft(organizationId);
});

test("of a sub-organization is done a thousand accounts at a time", async ({ skip }) => {
  skip(isOnCitus, WITHOUT_PLANS);
  const child = await newChild(organization);
  const { organizationId, root } = child;
  const { address } = await newWallet(child, 3000);
  await newWallet(child, 10);
  const most = watchRemovals();
  await root.deleteSubOrganization(remove);
  expect(most.rows).toBeGreaterThan(0);
  expect(most.rows).toBeLessThan(MAX_ROWS);
  store.run = run;
  expect(await countOf("wallet_accounts", organizationId)).toBeGreaterThan(3000 - MAX_ROWS);
  const filter = { filterType: "WALLET_ACCOUNT_ADDRESS", filterValue: address } as const;
  expect((await organization.root.listSuborgs(filter)).organizationIds).toEqual([]);
  // As long as there are some, it does not wait for its interval.
  const pruning = startPruning(server.host, 2000);
  await expect.poll(() => countOf("wallet_accounts", organizationId)).toBe(0);
  await pruning.stop();
  await pruneAll();
  await expectNothingLeft(organizationId);
});

test("leaves accounts that are never shown, and that block no name, path or address", async () => {
  const child = await newChild(organization);
  const { organizationId, root } = child;
  const kept = await newWallet(child, 1);
  const { walletId, address, name } = await newWallet(child, 5000);
  const path = "m/44'/60'/0'/0/7";
  const { activity } = await root.createWalletAccounts({
    walletId,
    accounts: [{ ...ethereumAccount, path, name: "later" }],
  });
  const [account] = (await root.listWalletAccounts({ walletId })).accounts;
  const walletAccountId = account?.walletAccountId ?? "";
  const proofs = async () =>
    (await root.getActivity({ activityId: activity.id, includeAddressProofs: true })).activity;
  expect((await proofs()).addressProofs).toHaveLength(1);
  await leaveAllAccounts(walletId, () => root.deleteWallets({ walletIds: [walletId], ...remove }));
  expect(await countOf("wallet_accounts", organizationId)).toBe(5002);
  expect(await countOf("wallet_account_names", organizationId)).toBe(5002);

  const filter = { filterType: "WALLET_ACCOUNT_ADDRESS", filterValue: address } as const;
  expect((await organization.root.listSuborgs(filter)).organizationIds).toEqual([]);
  expect((await proofs()).addressProofs).toBeUndefined();
  const page = { limit: "10" };
  const shown = async () => (await root.listWalletAccounts({ paginationOptions: page })).accounts;
  expect((await shown()).map((each) => each.walletId)).toEqual([kept.walletId]);
  for (const asked of [
    () => root.listWalletAccounts({ walletId }),
    () => root.listWalletAccounts({ paginationOptions: { ...page, after: walletAccountId } }),
    () => root.deleteWalletAccounts({ walletAccountIds: [walletAccountId], ...remove }),
    () => root.getWalletAccount({ walletId, address }),
    () =>
      root.signRawPayload({
        signWith: address,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      }),
  ]) {
    expect((await refusal(asked())).message).toMatch(/not find|not found|no account/);
  }
  const again = await root.createWallet({
    walletName: "wallet of 5000",
    accounts: [
      { ...ethereumAccount, name },
      { ...ethereumAccount, path, name: "later" },
    ],
  });
  const accounts = await shown();
  expect(accounts.map((each) => each.walletId)).toEqual([
    kept.walletId,
    again.walletId,
    again.walletId,
  ]);
  await pruneAll();
  expect(await shown()).toEqual(accounts);
  expect(await countOf("wallet_accounts", organizationId)).toBe(3);
  expect(await countOf("wallet_account_names", organizationId)).toBe(3);
});

/** Has the deletion of a wallet leave those accounts too that it would remove at once. */
async function leaveAllAccounts(walletId: string, deletion: () => Promise<unknown>) {
  const own = "wallet_account_id IN (SELECT wallet_account_id FROM wallet_accounts";
  await run(
    "",
    `CREATE TABLE saved_accounts AS SELECT * FROM wallet_accounts WHERE wallet_id = '${walletId}';
     CREATE TABLE saved_names AS SELECT * FROM wallet_account_names
       WHERE ${own} WHERE wallet_id = '${walletId}')`,
    [],
  );
  await deletion();
  await run(
    "",
    `INSERT INTO wallet_accounts SELECT * FROM saved_accounts ON CONFLICT DO NOTHING;
     INSERT INTO wallet_account_names SELECT * FROM saved_names ON CONFLICT DO NOTHING;
     DROP TABLE saved_accounts, saved_names`,
    [],
  );
}

test("leaves accounts through which no page of the others reads", async () => {
  const { root, organizationId } = organization;
  const { walletId } = await newWallet(organization, COUNT);
  const kept = [await newWallet(organization, 30), await newWallet(organization, 40)];
  await root.deleteWallets({ walletIds: [walletId], ...remove });
  const walletIds = kept.map((wallet) => wallet.walletId);
  const [most, statements] = [{ rows: 0 }, { number: 0 }];
  const db = dbOver(
    async (text, parameters) => {
      statements.number++;
      most.rows = Math.max(most.rows, await explain(text, parameters));
      return run("", text, parameters);
    },
    async () => {},
  );
  const page = await listWalletAccounts(db, organizationId, { walletIds, limit: 50 });
  expect(page).toHaveLength(50);
  expect(statements.number).toBeLessThanOrEqual(2);
  expect(most.rows).toBeLessThanOrEqual(200);
});

test("is finished by several processes at once, and goes on after any statement", async () => {
  const { root, organizationId } = organization;
  const other = await newOrganization(server);
  const kept = await newWallet(other, 2000);
  const walletIds: string[] = [];
  for (const count of [7000, 3000]) {
    walletIds.push((await newWallet(organization, count)).walletId);
  }
  await addUser(organization);
  await root.deleteWallets({ walletIds, ...remove });
  await Promise.all([pruneAll(), pruneAll(), pruneAll()]);
  await pruneAll();
  await expectNothingLeft(organizationId);
  expect(await countOf("wallet_accounts", other.organizationId)).toBe(2000);
  expect((await other.root.getWallet({ walletId: kept.walletId })).wallet.walletId).toBe(
    kept.walletId,
  );
});
