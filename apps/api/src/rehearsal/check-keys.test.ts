import { beforeAll, expect, test } from "vitest";
import {
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { checkKeys } from "./check-keys.ts";

let server: TestServer;
let organization: TestOrganization;
let walletId: string;

const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

beforeAll(async () => {
  server = await startTestServer();
  organization = await newOrganization(server);
  const client = organization.root;
  ({ walletId } = await client.createWallet({ walletName: "Treasury", accounts: [account] }));
  await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "Alone",
        curve: "CURVE_P256",
        privateKeyTags: [],
        addressFormats: [],
      },
    ],
  });
  return () => server.stop();
});

const check = () => checkKeys(server.host, () => {});

/** Does something to a table, and undoes it. */
async function changed(change: string, undo: string, values: unknown[], expected: RegExp) {
  await server.store.run("", change, values);
  try {
    await expect(check()).rejects.toThrow(expected);
  } finally {
    await server.store.run("", undo, values);
  }
}

test("a whole copy is counted, and its progress told to the end", async () => {
  const told: number[][] = [];
  const copy = await checkKeys(server.host, (done, of) => told.push([done, of]));
  expect(copy.wallets).toBeGreaterThan(0);
  expect(copy.accounts).toBeGreaterThan(0);
  expect(copy.keysWithoutWallet).toBeGreaterThan(0);
  expect(Math.abs(Date.now() - Date.parse(String(copy.lastActivityAt)))).toBeLessThan(120_000);
  const [done, of] = told.at(-1) ?? [];
  expect(done).toBe(of);
  expect(done).toBe(copy.wallets + copy.accounts + copy.keysWithoutWallet);
});

test("one record that is not the signer's own is named among the others", async () => {
  const flip = `UPDATE wallets SET record =
    set_byte(record, length(record) - 1, get_byte(record, length(record) - 1) # 1)
    WHERE wallet_id = $1::uuid`;
  const named = `the wallet ${walletId} of organization ${organization.organizationId} was not made with these keys`;
  await changed(flip, flip, [walletId], new RegExp(named));
});

test("a key that a document lists and the copy lacks is named", async () => {
  const elsewhere = "f0000000-0000-4000-8000-000000000000";
  const values = [walletId, elsewhere];
  await changed(
    "UPDATE wallets SET wallet_id = $2::uuid WHERE wallet_id = $1::uuid",
    "UPDATE wallets SET wallet_id = $1::uuid WHERE wallet_id = $2::uuid",
    values,
    new RegExp(`lacks 1 of the keys of organization .*, such as wallet ${walletId}; make the copy`),
  );
});
