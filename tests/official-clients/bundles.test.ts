import { entropyToMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import {
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  generateP256KeyPair,
} from "@turnkey/crypto";
import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { beforeAll, describe, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { newApiKeyPair, type Release, releases, rootUserParams } from "./clients.ts";

// Imports and exports with the unmodified clients: their own cryptography encrypts and decrypts, with
// the signer's public key of this installation in place of the pinned one.

let product: SharedProduct;
let dangerouslyOverrideSignerPublicKey: string;

beforeAll(async () => {
  product = await sharedProduct();
  const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
  const { signerPublicKey } = (await described.json()) as { signerPublicKey: string };
  dangerouslyOverrideSignerPublicKey = signerPublicKey;
});

const ethereumAccount = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

const solanaAccount = {
  ...ethereumAccount,
  curve: "CURVE_ED25519" as const,
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA" as const,
};

const accounts = [ethereumAccount, solanaAccount];

type User = { client: TurnkeyApiClient; organizationId: string; userId: string };

/** A sub-organization of its own, with the client of its root user. */
async function newUser(release: Release): Promise<User> {
  const { root } = product;
  const parent = release.connect(product.url, root.organizationId, root);
  const key = newApiKeyPair();
  const { subOrganizationId, rootUserIds } = await parent.createSubOrganization({
    subOrganizationName: "bundles",
    rootUsers: [rootUserParams("Ada", key)],
    rootQuorumThreshold: 1,
  });
  const [userId = ""] = rootUserIds ?? [];
  const client = release.connect(product.url, subOrganizationId, key);
  return { client, organizationId: subOrganizationId, userId };
}

describe.each(releases)("$name", (release) => {
  let one: User;
  let other: User;

  beforeAll(async () => {
    one = await newUser(release);
    other = await newUser(release);
  });

  async function importWallet({ client, organizationId, userId }: User, mnemonic: string) {
    const { importBundle } = await client.initImportWallet({ userId });
    const encryptedBundle = await encryptWalletToBundle({
      mnemonic,
      importBundle,
      userId,
      organizationId,
      dangerouslyOverrideSignerPublicKey,
    });
    return client.importWallet({ userId, walletName: "imported", encryptedBundle, accounts });
  }

  async function open(
    { organizationId }: User,
    returnMnemonic: boolean,
    run: (targetPublicKey: string) => Promise<{ exportBundle: string }>,
    keyFormat: "HEXADECIMAL" | "SOLANA" = "HEXADECIMAL",
  ): Promise<string> {
    const { privateKey, publicKeyUncompressed } = generateP256KeyPair();
    const { exportBundle } = await run(publicKeyUncompressed);
    return decryptExportBundle({
      exportBundle,
      embeddedKey: privateKey,
      organizationId,
      dangerouslyOverrideSignerPublicKey,
      keyFormat,
      returnMnemonic,
    });
  }

  test("a wallet that was created, exported and imported elsewhere has the same addresses", async () => {
    const { client } = one;
    const { walletId, addresses } = await client.createWallet({ walletName: "created", accounts });
    const mnemonic = await open(one, true, (targetPublicKey) =>
      client.exportWallet({ walletId, targetPublicKey }),
    );
    expect(mnemonic.split(" ")).toHaveLength(12);
    const imported = await importWallet(other, mnemonic);
    expect(imported.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(imported.addresses).toEqual(addresses);
    const { wallet } = await other.client.getWallet({ walletId: imported.walletId });
    expect(wallet).toMatchObject({ imported: true, exported: false });
    expect((await client.getWallet({ walletId })).wallet.exported).toBe(true);

    // Each account alone is a private key, which a single key has elsewhere too.
    const [ethereum = "", solana = ""] = addresses;
    const [key, pair] = [
      await open(one, false, (targetPublicKey) =>
        client.exportWalletAccount({ address: ethereum, targetPublicKey }),
      ),
      await open(
        one,
        false,
        (targetPublicKey) => client.exportWalletAccount({ address: solana, targetPublicKey }),
        "SOLANA",
      ),
    ];
    const third = await newUser(release);
    const hex = { keyFormat: "HEXADECIMAL", curve: ethereumAccount.curve } as const;
    expect(
      await importKey(third, key, { ...hex, addressFormat: ethereumAccount.addressFormat }),
    ).toMatchObject({ addresses: [{ address: ethereum }] });
    const base58 = { keyFormat: "SOLANA", curve: solanaAccount.curve } as const;
    expect(
      await importKey(third, pair, { ...base58, addressFormat: solanaAccount.addressFormat }),
    ).toMatchObject({ addresses: [{ address: solana }] });
  });

  async function importKey(
    { client, organizationId, userId }: User,
    privateKey: string,
    {
      keyFormat,
      curve,
      addressFormat,
    }: {
      keyFormat: "HEXADECIMAL" | "SOLANA";
      curve: "CURVE_SECP256K1" | "CURVE_ED25519";
      addressFormat: "ADDRESS_FORMAT_ETHEREUM" | "ADDRESS_FORMAT_SOLANA";
    },
  ) {
    const { importBundle } = await client.initImportPrivateKey({ userId });
    const encryptedBundle = await encryptPrivateKeyToBundle({
      privateKey,
      keyFormat,
      importBundle,
      userId,
      organizationId,
      dangerouslyOverrideSignerPublicKey,
    });
    return client.importPrivateKey({
      userId,
      privateKeyName: `imported ${keyFormat}`,
      encryptedBundle,
      curve,
      addressFormats: [addressFormat],
    });
  }

  test("a private key comes back as it was imported", async () => {
    const user = await newUser(release);
    const { client } = user;
    const privateKey = "2b".repeat(32);
    const { privateKeyId } = await importKey(user, `0x${privateKey}`, {
      keyFormat: "HEXADECIMAL",
      curve: "CURVE_SECP256K1",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    });
    expect(
      await open(user, false, (targetPublicKey) =>
        client.exportPrivateKey({ privateKeyId, targetPublicKey }),
      ),
    ).toBe(privateKey);
    const shown = await client.getPrivateKey({ privateKeyId });
    expect(shown.privateKey).toMatchObject({ imported: true, exported: true });
  });

  test("words of another language arrive as UTF-8, which this client shows as single bytes", async () => {
    const user = await newUser(release);
    const mnemonic = entropyToMnemonic(new Uint8Array(16).fill(3), "KOREAN");
    const { walletId } = await importWallet(user, mnemonic);
    const shown = await open(user, true, (targetPublicKey) =>
      user.client.exportWallet({ walletId, targetPublicKey }),
    );
    expect(Buffer.from(shown, "latin1").toString("utf8")).toBe(mnemonic);
  });

  test("a mistake is an error that the client shows, and the same seed is one with code 6", async () => {
    const user = await newUser(release);
    const mnemonic = entropyToMnemonic(new Uint8Array(16).fill(4));
    const failed = importWallet(user, mnemonic.replace(/\w+$/, "zoo"));
    await expect(failed).rejects.toThrow(/the checksum is wrong/);
    await importWallet(user, mnemonic);
    const { organizationId, userId, client } = user;
    const { importBundle } = await client.initImportWallet({ userId });
    const encryptedBundle = await encryptWalletToBundle({
      mnemonic,
      importBundle,
      userId,
      organizationId,
      dangerouslyOverrideSignerPublicKey,
    });
    const again = client.importWallet({ userId, walletName: "again", encryptedBundle, accounts });
    await expect(again).rejects.toMatchObject({
      code: 6,
      message: expect.stringContaining("already imported in this organization"),
    });
  });

  test("the client refuses our bundles while it expects another signer", async () => {
    const { client, organizationId, userId } = one;
    const { importBundle } = await client.initImportWallet({ userId });
    const encrypted = encryptWalletToBundle({ mnemonic: "", importBundle, userId, organizationId });
    await expect(encrypted).rejects.toThrow();
  });
});
