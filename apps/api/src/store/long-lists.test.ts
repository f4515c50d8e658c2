import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import { dbOver } from "./db-over.ts";
import { findWalletAccount, listWalletAccounts } from "./wallet-accounts.ts";

// A wallet with very many accounts: no statement reads more of them than it needs.

const ORGANIZATION = "10000000-0000-4000-8000-000000000000";
const WALLETS = [1, 2].map((n) => `2000000${n}-0000-4000-8000-000000000000`);
const COUNT = 20_000;

let store: Store;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ store, drop } = await createTestDatabase());
  const id = "(lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000')::uuid";
  // The second wallet has one account in a thousand.
  const wallet = `CASE WHEN n % 1000 = 0 THEN '${WALLETS[1]}'::uuid ELSE '${WALLETS[0]}'::uuid END`;
  await store.run(
    "fill",
    `INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format,
        place, address, created_at_ms, digest, record)
      SELECT '${ORGANIZATION}', ${id}, ${wallet}, 'm/' || n, '', 'm/' || n, 'address ' || n, n, '', ''
      FROM generate_series(1, ${COUNT}) AS n`,
    [],
  );
}, 60_000);

afterAll(() => drop());

type Plan = { "Actual Rows": number; "Rows Removed by Filter"?: number; Plans?: Plan[] };

/** The most rows that a step of any statement of the work has read. */
async function mostRead(work: (db: Store["db"]) => Promise<unknown>): Promise<number> {
  let most = 0;
  const look = ({ Plans = [], ...step }: Plan) => {
    most = Math.max(most, step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0));
    Plans.forEach(look);
  };
  const explaining = dbOver(
    async (text, parameters) => {
      const rows = await store.run("", `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, parameters);
      const [explained] = rows as [{ "QUERY PLAN": { Plan: Plan }[] }];
      for (const { Plan: plan } of explained["QUERY PLAN"]) look(plan);
      return [];
    },
    async () => {},
  );
  await work(explaining);
  return most;
}

const at = (n: number) => ({
  createdAtMs: n,
  walletAccountId: `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
});

test.each<[string, string[]]>([
  ["one wallet", WALLETS.slice(0, 1)],
  ["a wallet with few accounts among many", WALLETS.slice(1)],
  ["all wallets", WALLETS],
])("a page of the accounts of %s reads no others", async (_, walletIds) => {
  for (const cursors of [{}, { after: at(15_000) }, { before: at(15_000) }]) {
    const page = { walletIds, limit: 10, ...cursors };
    const read = await mostRead((db) => listWalletAccounts(db, ORGANIZATION, page));
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(40);
  }
});

test.each([
  ["a path", { path: "m/7" }],
  ["no path of the wallet", { path: "m/none" }],
  ["an address", { address: "address 7" }],
  ["no address of the wallet", { address: "none" }],
])("an account is found by %s without reading the others", async (_, sought) => {
  const [walletId = ""] = WALLETS;
  const read = await mostRead((db) => findWalletAccount(db, ORGANIZATION, walletId, sought));
  expect(read).toBeLessThanOrEqual(2);
});
