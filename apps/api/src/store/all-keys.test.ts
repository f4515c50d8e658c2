import { beforeAll, expect, test } from "vitest";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { countKeys, findKeyIds, readAllDocuments, readAllKeys } from "./all-keys.ts";

let server: TestServer;
let organizationIds: string[];
let walletIds: string[];

beforeAll(async () => {
  server = await startTestServer();
  const organizations = [await newOrganization(server), await newOrganization(server)];
  organizationIds = organizations.map(({ organizationId }) => organizationId);
  walletIds = [];
  for (const { root } of organizations) {
    for (const walletName of ["one", "two", "three"]) {
      walletIds.push((await root.createWallet({ walletName, accounts: [] })).walletId);
    }
  }
  return () => server.stop();
});

/** What comes in pages, and how long they are. */
async function all<Row>(pages: AsyncGenerator<Row[], undefined>) {
  const [rows, lengths]: [Row[], number[]] = [[], []];
  for await (const page of pages) {
    rows.push(...page);
    lengths.push(page.length);
  }
  return { rows, lengths };
}

test.each([1, 2, 500])(
  "pages of %d have every wallet once, across organizations",
  async (limit) => {
    const { db } = server.store;
    const { rows, lengths } = await all(readAllKeys(db, "wallet", limit));
    const own = rows.filter(({ organizationId }) => organizationIds.includes(organizationId));
    expect(own.map(({ id }) => id).toSorted()).toEqual(walletIds.toSorted());
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(limit);
    expect(await countKeys(db, "wallet")).toBe(rows.length);
  },
);

test.each([1, 16])("pages of %d have every organization's current document once", async (limit) => {
  const { rows } = await all(readAllDocuments(server.store.db, limit));
  for (const id of organizationIds) {
    const found = rows.filter(({ organizationId }) => organizationId === id);
    expect(found.map(({ document }) => document.wallets.length)).toEqual([3]);
  }
});

test("the ids of some organizations' keys are those of no others", async () => {
  const [first = ""] = organizationIds;
  const found = await findKeyIds(server.store.db, "wallet", [first]);
  expect([...found].toSorted()).toEqual(walletIds.slice(0, 3).toSorted());
});
