import type { TestClient, TestOrganization, TestServer } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encryptToBundle, openImportBundle } from "@keyhearth/crypto/sealing/open-bundle";
import type { WalletAccountParams } from "@keyhearth/sdk";
import {
  createTargetKey,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
} from "@keyhearth/sdk/crypto";

// What the tests of imports and exports share. The helpers of the SDK do the client's part.

/** The mnemonic of the published vectors of BIP-39, and addresses that other wallets show for it. */
export const known = {
  mnemonic:
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
  ethereum: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  solana: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
};

/** A user who imports or exports. */
export type Importer = { client: TestClient; userId: string };

export function rootOf({ root, userId }: TestOrganization): Importer {
  return { client: root, userId };
}

export function signerPublicKeyOf({ signer }: TestServer): string {
  const answer = signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error("the signer did not describe itself");
  return answer.signerPublicKey;
}

/** Opens an import and encrypts this to its key. Nothing checks what it is. */
export async function encryptFor(
  { server, root }: TestOrganization,
  purpose: "wallet" | "private-key",
  secret: Uint8Array | string,
  { client, userId }: Importer,
): Promise<string> {
  const { importBundle } =
    purpose === "wallet"
      ? await client.initImportWallet({ userId })
      : await client.initImportPrivateKey({ userId });
  const target = openImportBundle(importBundle, signerPublicKeyOf(server));
  if (target.organizationId !== root.organizationId || target.userId !== userId) {
    throw new Error("a bundle for somebody else");
  }
  const bytes = typeof secret === "string" ? encodeUtf8(secret) : secret;
  return encryptToBundle(bytes, target.targetPublic);
}

export async function importMnemonic(
  organization: TestOrganization,
  text: string,
  {
    walletName = "imported",
    accounts = [] as WalletAccountParams[],
    by = rootOf(organization),
  } = {},
) {
  const encryptedBundle = await encryptFor(organization, "wallet", text, by);
  return by.client.importWallet({ userId: by.userId, walletName, encryptedBundle, accounts });
}

export async function exportMnemonic(
  { server, organizationId, root }: TestOrganization,
  params: Omit<Parameters<TestClient["exportWallet"]>[0], "targetPublicKey">,
) {
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await root.exportWallet({ ...params, targetPublicKey });
  const signerPublicKey = signerPublicKeyOf(server);
  return decryptWalletBundle({ exportBundle, organizationId, signerPublicKey, targetPrivateKey });
}

/** Runs an export to a fresh key, and decrypts the private key in its bundle. */
export async function exportedKey(
  { server, organizationId }: TestOrganization,
  run: (targetPublicKey: string) => Promise<{ exportBundle: string }>,
): Promise<string> {
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const { exportBundle } = await run(targetPublicKey);
  const signerPublicKey = signerPublicKeyOf(server);
  return decryptPrivateKeyBundle({
    exportBundle,
    organizationId,
    signerPublicKey,
    targetPrivateKey,
  });
}
