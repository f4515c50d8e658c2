import { readFileSync } from "node:fs";
import { placeOf } from "@keyhearth/engine/records/wallet-account";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { listWalletAccounts } from "./wallet-accounts.ts";

// The migration reads the curve from the records, which have the shape of this version here.

const migration = readFileSync(
  new URL("./migrations/0005-account-places.sql", import.meta.url),
  "utf8",
);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

// Before tables could be distributed.
test.skipIf(process.env.KEYHEARTH_TEST_CITUS)(
  "accounts from before places were stored get theirs, and a second spelling is told apart",
  async () => {
    const { root, organizationId } = await newOrganization(server);
    const at = { pathFormat: "PATH_FORMAT_BIP32", path: "m/44'/501'/0'/0" } as const;
    const { walletId } = await root.createWallet({
      walletName: "treasury",
      accounts: [
        { ...at, curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" },
        { ...at, curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_COMPRESSED" },
        { ...at, curve: "CURVE_SECP256K1", addressFormat: "ADDRESS_FORMAT_ETHEREUM" },
      ],
    });
    const { store } = server;
    await store.run(
      "",
      `DROP INDEX wallet_accounts_by_place;
     ALTER TABLE wallet_accounts DROP COLUMN place;
     DROP TABLE wallet_account_names;
     CREATE UNIQUE INDEX wallet_accounts_by_place
       ON wallet_accounts (organization_id, wallet_id, path, address_format);
     INSERT INTO wallet_accounts
       SELECT organization_id, gen_random_uuid(), wallet_id, 'm/44''/501''/0''/0''', address_format,
         address, created_at_ms + 1, digest, record
       FROM wallet_accounts WHERE address_format = 'ADDRESS_FORMAT_SOLANA';`,
      [],
    );
    await store.run("", migration, []);

    const accounts = await listWalletAccounts(store.db, organizationId, {
      walletIds: [walletId],
      limit: 10,
    });
    const rows = await store.run(
      "places",
      `SELECT place, wallet_account_id AS id FROM wallet_accounts WHERE wallet_id = $1::uuid
     ORDER BY created_at_ms, wallet_account_id`,
      [walletId],
    );
    const solana = "CURVE_ED25519 m/44'/501'/0'/0' ADDRESS_FORMAT_SOLANA";
    expect(rows.map(({ place }) => place)).toEqual([
      ...accounts.slice(0, 3).map(placeOf),
      `${solana} ${rows[3]?.id}`,
    ]);
    expect(rows.map(({ place }) => place)).toContain(solana);
  },
);
