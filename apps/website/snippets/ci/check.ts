import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestOrganization } from "./organization.ts";

test("a wallet has the accounts that it was made with", async () => {
  const client = await newTestOrganization();
  const { walletId, addresses } = await client.createWallet({
    walletName: "Payments",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  const { accounts } = await client.listWalletAccounts({ walletId });
  assert.deepEqual(
    accounts.map(({ address }) => address),
    addresses,
  );
});

test("another test has another organization", async () => {
  const client = await newTestOrganization();
  assert.deepEqual((await client.listWallets()).wallets, []);
});
