import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { beforeAll, describe, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { releases } from "./clients.ts";

// Renaming, tagging and deleting with the official clients. None of them knows that it is not at home.

let product: SharedProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

const account = (index: number) => ({
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
});

function payment(signWith: string) {
  return {
    signWith,
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8" as const,
    hashFunction: "HASH_FUNCTION_KECCAK256" as const,
  };
}

describe.each(releases)("$name", (release) => {
  const name = (what: string) => `${what} of ${release.name}`;
  let root: TurnkeyApiClient;

  beforeAll(() => {
    root = release.connect(product.url, product.root.organizationId, product.root);
  });

  test("renames a wallet, reads its accounts and deletes it", async () => {
    const accounts = [{ ...account(0), name: name("payouts") }, account(1)];
    const walletName = name("wallet");
    const { walletId, addresses } = await root.createWallet({ walletName, accounts });
    const renamed = await root.updateWallet({ walletId, walletName: `new ${walletName}` });
    expect(renamed.walletId).toBe(walletId);
    const { wallet } = await root.getWallet({ walletId });
    expect(wallet).toMatchObject({
      walletName: `new ${walletName}`,
      exported: false,
      imported: false,
    });

    const request = { walletId, includeWalletDetails: true, paginationOptions: { limit: "100" } };
    const { accounts: found } = await root.getWalletAccounts(request);
    expect(found).toHaveLength(2);
    const payouts = found.find(({ address }) => address === addresses[0]);
    expect(payouts).toMatchObject({
      ...accounts[0],
      publicKey: expect.stringMatching(/^0[23]/),
      caip2Prefix: "eip155",
      walletDetails: wallet,
    });

    await expect(root.deleteWallets({ walletIds: [walletId] })).rejects.toThrow(
      "has not been exported",
    );
    const deleted = await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
    expect(deleted.walletIds).toEqual([walletId]);
    const { wallets } = await root.getWallets();
    expect(wallets.map((each) => each.walletId)).not.toContain(walletId);
    const [address = ""] = addresses;
    await expect(root.signRawPayload(payment(address))).rejects.toThrow(
      "Could not find any resource to sign with",
    );
  });

  test("tags private keys and deletes them", async () => {
    const { privateKeys } = await root.createPrivateKeys({
      privateKeys: ["one", "two"].map((key) => ({
        privateKeyName: name(key),
        curve: "CURVE_SECP256K1" as const,
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM" as const],
      })),
    });
    const [one = "", two = ""] = privateKeys.map(({ privateKeyId }) => privateKeyId ?? "");
    const { privateKeyTagId, privateKeyIds } = await root.createPrivateKeyTag({
      privateKeyTagName: name("tag"),
      privateKeyIds: [one],
    });
    expect(privateKeyIds).toEqual([one]);
    await root.updatePrivateKeyTag({
      privateKeyTagId,
      newPrivateKeyTagName: name("new tag"),
      addPrivateKeyIds: [two],
      removePrivateKeyIds: [one],
    });
    const { privateKeyTags } = await root.listPrivateKeyTags({});
    expect(privateKeyTags).toContainEqual({
      tagId: privateKeyTagId,
      tagName: name("new tag"),
      tagType: "TAG_TYPE_PRIVATE_KEY",
      createdAt: expect.anything(),
      updatedAt: expect.anything(),
    });
    const tagsOf = async (privateKeyId: string) =>
      (await root.getPrivateKey({ privateKeyId })).privateKey.privateKeyTags;
    expect([await tagsOf(one), await tagsOf(two)]).toEqual([[], [privateKeyTagId]]);
    const untagged = await root.deletePrivateKeyTags({ privateKeyTagIds: [privateKeyTagId] });
    expect(untagged).toMatchObject({
      privateKeyTagIds: [privateKeyTagId],
      privateKeyIds: [two],
    });

    await root.deletePrivateKeys({ privateKeyIds: [one, two], deleteWithoutExport: true });
    const { privateKeys: left } = await root.getPrivateKeys();
    const ids = left.map(({ privateKeyId }) => privateKeyId);
    expect(ids).not.toContain(one);
    expect(ids).not.toContain(two);
  });
});

test("the newest release deletes accounts", async () => {
  const [newest] = releases;
  const root = newest?.connect(product.url, product.root.organizationId, product.root);
  if (!root) throw new Error("no release");
  const { walletId } = await root.createWallet({
    walletName: "accounts to delete",
    accounts: [account(0), account(1)],
  });
  const list = async () => (await root.getWalletAccounts({ walletId })).accounts;
  const [gone, kept] = await list();
  const walletAccountIds = [gone?.walletAccountId ?? ""];
  const deleted = await root.deleteWalletAccounts({ walletAccountIds, deleteWithoutExport: true });
  expect(deleted.walletAccountIds).toEqual(walletAccountIds);
  expect(await list()).toEqual([kept]);
});
