import {
  decodeBase58,
  decodeHex,
  decodeUtf8,
  encodeBase58,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys";
import { formatMnemonicText, splitMnemonicText } from "@keyhearth/crypto/mnemonic-text";
import { encryptToBundle, openExportBundle, openImportBundle } from "@keyhearth/crypto/open-bundle";

// Encrypts imports and decrypts exports, on the client. Nothing here is sent over the network.

/** Where a bundle must come from: your organization, and the signer whose public key you pinned. */
export type BundleOrigin = { organizationId: string; signerPublicKey: string };

export type ImportOrigin = BundleOrigin & {
  /** The result of an `init_import_…` submission. */
  importBundle: string;
  userId: string;
};

export type ExportOrigin = BundleOrigin & {
  /** The result of an `export_…` submission. */
  exportBundle: string;
  /** The private key of the target key, in hex. */
  targetPrivateKey: string;
};

/** `HEXADECIMAL` is 32 bytes in hex; `SOLANA` is the key pair of 64 bytes in base58. */
export type KeyFormat = "HEXADECIMAL" | "SOLANA";

/**
 * A fresh key for one export. Send `targetPublicKey` to the service, and delete `targetPrivateKey`
 * afterwards. With one key for two exports, a hostile server could swap their bundles.
 */
export function createTargetKey(): { targetPublicKey: string; targetPrivateKey: string } {
  const privateKey = generatePrivateKey("CURVE_P256");
  const point = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));
  return { targetPublicKey: encodeHex(point), targetPrivateKey: encodeHex(privateKey) };
}

/** Encrypts a mnemonic for `import_wallet`. Throws if the import bundle is not for this user. */
export function encryptWalletToBundle({
  mnemonic,
  passphrase = "",
  ...origin
}: ImportOrigin & { mnemonic: string; passphrase?: string }): string {
  return encrypt(encodeUtf8(formatMnemonicText(mnemonic, passphrase)), origin);
}

/** Encrypts a private key for `import_private_key`. Throws if the import bundle is not for this user. */
export function encryptPrivateKeyToBundle({
  privateKey,
  keyFormat = "HEXADECIMAL",
  ...origin
}: ImportOrigin & { privateKey: string; keyFormat?: KeyFormat }): string {
  return encrypt(parsePrivateKey(privateKey, keyFormat), origin);
}

/** Verifies and decrypts the bundle of `export_wallet`. */
export function decryptWalletBundle(origin: ExportOrigin): {
  mnemonic: string;
  passphrase: string;
} {
  return splitMnemonicText(decodeUtf8(decrypt(origin)));
}

/** Verifies and decrypts the bundle of `export_private_key` or `export_wallet_account`. */
export function decryptPrivateKeyBundle({
  keyFormat = "HEXADECIMAL",
  ...origin
}: ExportOrigin & { keyFormat?: KeyFormat }): string {
  const privateKey = decrypt(origin);
  if (keyFormat === "HEXADECIMAL") return encodeHex(privateKey);
  const pair = new Uint8Array(64);
  pair.set(privateKey);
  pair.set(publicKeyOf("CURVE_ED25519", privateKey), 32);
  return encodeBase58(pair);
}

function encrypt(
  secret: Uint8Array,
  { importBundle, signerPublicKey, organizationId, userId }: ImportOrigin,
): string {
  const target = openImportBundle(importBundle, signerPublicKey);
  if (target.organizationId !== organizationId) {
    throw new Error("the bundle is for another organization");
  }
  if (target.userId !== userId) throw new Error("the bundle is for another user");
  return encryptToBundle(secret, target.targetPublic);
}

function decrypt({ exportBundle, targetPrivateKey, ...origin }: ExportOrigin): Uint8Array {
  return openExportBundle(exportBundle, origin, decodeHex(targetPrivateKey));
}

function parsePrivateKey(text: string, keyFormat: KeyFormat): Uint8Array {
  const bytes = decodePrivateKey(text, keyFormat);
  if (bytes) return bytes;
  const expected =
    keyFormat === "SOLANA"
      ? "a key pair of 64 bytes in base58"
      : "32 bytes in hex, with or without 0x";
  throw new Error(`malformed private key: expected ${expected}`);
}

/** Undefined if the text is something else. The text may be secret, so no error shows it. */
function decodePrivateKey(text: string, keyFormat: KeyFormat): Uint8Array | undefined {
  if (keyFormat === "HEXADECIMAL") {
    const hex = text.replace(/^0x/, "");
    return /^[0-9a-fA-F]{64}$/.test(hex) ? decodeHex(hex) : undefined;
  }
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,88}$/.test(text)) return undefined;
  const pair = decodeBase58(text);
  if (pair.length !== 64) return undefined;
  const privateKey = pair.slice(0, 32);
  const publicKey = publicKeyOf("CURVE_ED25519", privateKey);
  return publicKey.every((byte, index) => byte === pair[32 + index]) ? privateKey : undefined;
}
