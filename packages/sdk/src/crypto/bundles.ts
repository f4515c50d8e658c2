import {
  decodeHex,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
  wipe,
} from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  isValidPrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { formatMnemonicText, splitMnemonicText } from "@keyhearth/crypto/keys/mnemonic-text";
import {
  formatPrivateKey,
  type KeyFormat,
  keyFormats,
  parsePrivateKey,
} from "@keyhearth/crypto/sealing/key-text";
import {
  encryptToBundle,
  openCredentialBundle,
  openExportBundle,
  openImportBundle,
} from "@keyhearth/crypto/sealing/open-bundle";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential, Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";

export type { KeyFormat };

// Encrypts imports, and decrypts exports and the keys of logins, on the client. Nothing here is sent over
// the network. No error has a cause, because the cause could show a part of a secret.

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

/**
 * A fresh key for one export, or for one login by `email_auth`, `otp_auth`, `oauth` or
 * `create_read_write_session`. Send `targetPublicKey` to the service, and delete `targetPrivateKey`
 * afterwards. With one key for two exports, a hostile server could swap their bundles.
 */
export function createTargetKey(): { targetPublicKey: string; targetPrivateKey: string } {
  const privateKey = generatePrivateKey("CURVE_P256");
  try {
    const point = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));
    return { targetPublicKey: encodeHex(point), targetPrivateKey: encodeHex(privateKey) };
  } finally {
    wipe(privateKey);
  }
}

/**
 * Encrypts a mnemonic for `import_wallet`. Throws `Unverified` if the import bundle is not for this user
 * or not by this signer, and `InvalidField` if something is malformed.
 */
export function encryptWalletToBundle(
  options: ImportOrigin & { mnemonic: string; passphrase?: string },
): string {
  const { mnemonic, passphrase = "", ...origin } = asObject(options);
  if (typeof mnemonic !== "string" || typeof passphrase !== "string") {
    throw invalidFields({
      field: typeof mnemonic === "string" ? "passphrase" : "mnemonic",
      message: "must be text",
    });
  }
  if (/[\r\n]/.test(mnemonic + passphrase)) {
    throw invalidFields({
      field: /[\r\n]/.test(mnemonic) ? "mnemonic" : "passphrase",
      message: "must be one line",
    });
  }
  return encrypt(encodeUtf8(formatMnemonicText(mnemonic, passphrase)), origin);
}

/**
 * Encrypts a private key for `import_private_key`. Throws `Unverified` if the import bundle is not for
 * this user or not by this signer, and `InvalidField` if something is malformed.
 */
export function encryptPrivateKeyToBundle(
  options: ImportOrigin & { privateKey: string; keyFormat?: KeyFormat },
): string {
  const { privateKey, keyFormat = "HEXADECIMAL", ...origin } = asObject(options);
  return encrypt(readPrivateKey(privateKey, keyFormat), origin);
}

/**
 * Verifies and decrypts the bundle of `export_wallet`. Throws `Unverified` if it is not by this signer,
 * for this organization and for this target key, and `InvalidField` if it is malformed.
 */
export function decryptWalletBundle(origin: ExportOrigin): {
  mnemonic: string;
  passphrase: string;
} {
  const secret = decrypt(origin);
  try {
    return splitMnemonicText(decodeUtf8(secret));
  } catch {
    throw unverified("exportBundle", "it does not contain a mnemonic");
  } finally {
    wipe(secret);
  }
}

/**
 * Verifies and decrypts the bundle of `export_private_key` or `export_wallet_account`. Throws as
 * `decryptWalletBundle` does.
 */
export function decryptPrivateKeyBundle(options: ExportOrigin & { keyFormat?: KeyFormat }): string {
  const { keyFormat = "HEXADECIMAL", ...origin } = asObject(options);
  assertFormat(keyFormat);
  const privateKey = decrypt(origin);
  try {
    if (privateKey.length !== 32) throw unverified("exportBundle", "it does not contain a key");
    return formatPrivateKey(privateKey, keyFormat);
  } finally {
    wipe(privateKey);
  }
}

/**
 * Decrypts the credential bundle of a login: the one that a mail of `email_auth` or of
 * `init_user_email_recovery` brings, or the result of `otp_auth`, `oauth` and
 * `create_read_write_session`. Returns a P-256 key in the form that `ApiKeyStamper` takes; it expires
 * when the login does. Bundles are not signed: anyone who made one knows the key in it.
 *
 * Throws `InvalidField` if the bundle is malformed, such as by a character lost while copying, and
 * `Unverified` if it was not made for this target key.
 */
export function decryptCredentialBundle(options: {
  /** The bundle, 117 characters in base58 at most. */
  credentialBundle: string;
  /** The private key of the target key that the login named, in hex. */
  targetPrivateKey: string;
}): { apiPublicKey: string; apiPrivateKey: string } {
  const { credentialBundle, targetPrivateKey } = asObject(options);
  const target = parseTargetKey(targetPrivateKey);
  try {
    // People paste what they copied from a mail.
    const bundle = typeof credentialBundle === "string" ? credentialBundle.trim() : "";
    const open = () => openCredentialBundle(bundle, target);
    const privateKey = opened("credentialBundle", open);
    try {
      if (!isValidPrivateKey("CURVE_P256", privateKey)) {
        throw unverified("credentialBundle", "it does not contain a key on P-256");
      }
      const publicKey = publicKeyOf("CURVE_P256", privateKey);
      return { apiPublicKey: encodeHex(publicKey), apiPrivateKey: encodeHex(privateKey) };
    } finally {
      wipe(privateKey);
    }
  } finally {
    wipe(target);
  }
}

/** Wipes the secret. */
function encrypt(
  secret: Uint8Array,
  { importBundle, signerPublicKey, organizationId, userId }: ImportOrigin,
): string {
  try {
    const open = () => openImportBundle(importBundle, signerPublicKey);
    const target = opened("importBundle", open);
    if (target.organizationId !== organizationId) {
      throw unverified("importBundle", "the bundle is for another organization");
    }
    if (target.userId !== userId) {
      throw unverified("importBundle", "the bundle is for another user");
    }
    return opened("importBundle", () => encryptToBundle(secret, target.targetPublic));
  } finally {
    wipe(secret);
  }
}

function decrypt(options: ExportOrigin): Uint8Array {
  const { exportBundle, targetPrivateKey, ...origin } = asObject(options);
  const target = parseTargetKey(targetPrivateKey);
  try {
    return opened("exportBundle", () => openExportBundle(exportBundle, origin, target));
  } finally {
    wipe(target);
  }
}

/** Calls code whose errors are short, constant texts, and throws those of the SDK instead. */
function opened<Result>(field: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    const problem = error instanceof Error ? error.message : "";
    if (/^(malformed|invalid public key)/.test(problem)) {
      throw invalidFields({
        field,
        message: "is a malformed bundle. Pass the text of the service or of the mail unchanged",
      });
    }
    throw unverified(field, known.has(problem) ? problem : "it is not what this function opens");
  }
}

const known = /* @__PURE__ */ new Set([
  "the bundle is for another organization",
  "the bundle is signed by another signer than the pinned one",
  "the bundle's signature is invalid",
  "decryption failed",
]);

function unverified(field: string, problem: string): Unverified {
  const what =
    problem === "decryption failed"
      ? `decryption failed: ${field} was not made for this targetPrivateKey, or it was changed. Use the target key that this request named`
      : `${field} is refused: ${problem}. Do not use it, and compare the organization, the user and the pinned key with those of your operator`;
  return new Unverified(what, { code: "UNVERIFIED", field });
}

function parseTargetKey(targetPrivateKey: string): Uint8Array {
  if (typeof targetPrivateKey === "string" && /^[0-9a-f]{64}$/i.test(targetPrivateKey)) {
    const bytes = decodeHex(targetPrivateKey);
    if (isValidPrivateKey("CURVE_P256", bytes)) return bytes;
  }
  throw new InvalidCredential(
    "targetPrivateKey must be a private key on P-256: 32 bytes in hex, as createTargetKey returns it",
    { code: "INVALID_CREDENTIAL", field: "targetPrivateKey" },
  );
}

function readPrivateKey(text: string, keyFormat: KeyFormat): Uint8Array {
  assertFormat(keyFormat);
  const bytes = typeof text === "string" ? parsePrivateKey(text, keyFormat) : undefined;
  if (bytes) return bytes;
  throw new InvalidCredential(`privateKey must be ${expected[keyFormat]}`, {
    code: "INVALID_CREDENTIAL",
    field: "privateKey",
  });
}

const expected: Record<KeyFormat, string> = {
  HEXADECIMAL: "32 bytes in hex, with or without 0x",
  SOLANA: "a key pair of 64 bytes in base58, as Solana wallets show it",
  BITCOIN_MAINNET_WIF:
    "the WIF of a key of Bitcoin's main network with a compressed public key, which begins with K or L",
  BITCOIN_TESTNET_WIF:
    "the WIF of a key of Bitcoin's test networks with a compressed public key, which begins with c",
  SUI_BECH32: "an Ed25519 key that begins with suiprivkey, as Sui wallets show it",
};

function assertFormat(keyFormat: KeyFormat) {
  if (keyFormats.includes(keyFormat)) return;
  throw invalidFields({
    field: "keyFormat",
    message: `must be one of ${keyFormats.join(", ")}`,
  });
}
