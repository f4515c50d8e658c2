import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import {
  createExportBundle,
  createImportBundle,
  decryptBundle,
} from "@keyhearth/crypto/sealing/bundle";
import { keyFormats } from "@keyhearth/crypto/sealing/key-text";
import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { decryptExportBundle } from "@turnkey/crypto";
import { expect, test } from "vitest";
import {
  createTargetKey,
  decryptPrivateKeyBundle,
  decryptWalletBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
} from "./bundles.ts";

const organizationId = "11111111-2222-4333-8444-555555555555";
const userId = "66666666-7777-4888-8999-aaaaaaaaaaaa";
const otherId = "77777777-7777-4888-8999-aaaaaaaaaaaa";
const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";

const pointOf = (privateKey: Uint8Array) =>
  uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));

// The signer's side.
const signerKey = generatePrivateKey("CURVE_P256");
const signerPublicKey = encodeHex(pointOf(signerKey));
const importKey = generatePrivateKey("CURVE_P256");
const importBundle = createImportBundle(
  { targetPublicKey: pointOf(importKey), organizationId, userId },
  signerKey,
);
const origin = { importBundle, organizationId, userId, signerPublicKey };
const received = (bundle: string) => openBytes(decryptBundle(bundle, importKey));

function exported(secret: Uint8Array) {
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const target = { targetPublicKey: decodeHex(targetPublicKey), organizationId };
  const exportBundle = createExportBundle(secret, target, signerKey);
  return { exportBundle, targetPrivateKey, organizationId, signerPublicKey };
}

test("a mnemonic arrives with its passphrase", () => {
  expect(received(encryptWalletToBundle({ ...origin, mnemonic }))).toEqual(encodeUtf8(mnemonic));
  const withPassphrase = encryptWalletToBundle({ ...origin, mnemonic, passphrase: "TREZOR" });
  expect(received(withPassphrase)).toEqual(encodeUtf8(`${mnemonic}\nTREZOR`));
  expect(() => encryptWalletToBundle({ ...origin, mnemonic, passphrase: "a\nb" })).toThrow(
    /one line/,
  );
});

test("a private key arrives as its 32 bytes, in every format", () => {
  const key = new Uint8Array(32).fill(43);
  const hex = encodeHex(key);
  const written = keyFormats.map((keyFormat) => {
    return [decryptPrivateKeyBundle({ ...exported(key), keyFormat }), keyFormat] as const;
  });
  expect(new Set(written.map(([text]) => text)).size).toBe(5);
  const prefixed = [`0x${hex.toUpperCase()}`, "HEXADECIMAL"] as const;
  for (const [privateKey, keyFormat] of [...written, prefixed]) {
    const bundle = encryptPrivateKeyToBundle({ ...origin, privateKey, keyFormat });
    expect(received(bundle)).toEqual(key);
  }
});

test.each([
  ["2b".repeat(31), "HEXADECIMAL"],
  ["zz".repeat(32), "HEXADECIMAL"],
  ["2b".repeat(32), "SOLANA"],
  ["1".repeat(64), "SOLANA"],
  ["0OIl", "SOLANA"],
  ["KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617", "BITCOIN_TESTNET_WIF"],
  ["cMzLdeGd5vEqxB8B6VFQoRopQ3sLAAvEzDAoQgvX54xwofSWj1fx", "BITCOIN_MAINNET_WIF"],
  ["2b".repeat(32), "SUI_BECH32"],
] as const)("%s is no private key in the format %s, and no message shows it", (text, keyFormat) => {
  const encrypt = () => encryptPrivateKeyToBundle({ ...origin, privateKey: text, keyFormat });
  expect(encrypt).toThrow(/^privateKey must be/);
  expect(encrypt).not.toThrow(text);
  expect(encrypt).toThrow(
    expect.objectContaining({ name: "InvalidCredential", field: "privateKey" }),
  );
});

test("an unknown format is refused before anything is decrypted", () => {
  const keyFormat = "BASE64" as "SOLANA";
  const refusal = /^keyFormat must be one of HEXADECIMAL, SOLANA, /;
  expect(() => decryptPrivateKeyBundle({ ...exported(new Uint8Array(1)), keyFormat })).toThrow(
    refusal,
  );
  const privateKey = "2b".repeat(32);
  expect(() => encryptPrivateKeyToBundle({ ...origin, privateKey, keyFormat })).toThrow(refusal);
});

test("nothing is encrypted for another organization, user or signer", () => {
  const encrypt = (change: Partial<typeof origin>) => () =>
    encryptWalletToBundle({ ...origin, mnemonic, ...change });
  expect(encrypt({ organizationId: otherId })).toThrow("for another organization");
  expect(encrypt({ userId: otherId })).toThrow("for another user");
  expect(encrypt({ signerPublicKey: createTargetKey().targetPublicKey })).toThrow("another signer");
  expect(encrypt({ importBundle: importBundle.replace("v1.0.0", "v2.0.0") })).toThrow("malformed");
});

test("exports open as they were encrypted, also with another client", async () => {
  const wallet = exported(encodeUtf8(`${mnemonic}\nTREZOR`));
  expect(decryptWalletBundle(wallet)).toEqual({ mnemonic, passphrase: "TREZOR" });
  const key = exported(new Uint8Array(32).fill(43));
  expect(decryptPrivateKeyBundle(key)).toBe("2b".repeat(32));
  for (const keyFormat of ["HEXADECIMAL", "SOLANA"] as const) {
    const { exportBundle, targetPrivateKey } = key;
    const theirs = await decryptExportBundle({
      exportBundle,
      embeddedKey: targetPrivateKey,
      organizationId,
      dangerouslyOverrideSignerPublicKey: signerPublicKey,
      keyFormat,
      returnMnemonic: false,
    });
    expect(decryptPrivateKeyBundle({ ...key, keyFormat })).toBe(theirs);
  }
  const { targetPrivateKey } = createTargetKey();
  expect(() => decryptWalletBundle({ ...wallet, targetPrivateKey })).toThrow("decryption failed");
  expect(() => decryptWalletBundle({ ...wallet, organizationId: otherId })).toThrow(
    "for another organization",
  );
});

const unverified = (field: string) =>
  expect.objectContaining({ name: "Unverified", code: "UNVERIFIED", field });
const invalid = (field: string) =>
  expect.objectContaining({
    name: "InvalidField",
    code: "INVALID_OPTION",
    field,
  });

test("every error is one of the SDK, with its field and the remedy", () => {
  const encrypt = (change: object) => () =>
    encryptWalletToBundle({ ...origin, mnemonic, ...change });
  expect(encrypt({ organizationId: otherId })).toThrow(unverified("importBundle"));
  expect(encrypt({ userId: otherId })).toThrow(unverified("importBundle"));
  const { targetPublicKey: stranger } = createTargetKey();
  expect(encrypt({ signerPublicKey: stranger })).toThrow(unverified("importBundle"));
  const { dataSignature } = JSON.parse(importBundle);
  const forged = importBundle.replace(dataSignature, JSON.parse(signedByStranger()).dataSignature);
  expect(encrypt({ importBundle: forged })).toThrow(unverified("importBundle"));
  for (const wrong of [
    "",
    "{}",
    "null",
    importBundle.slice(1),
    importBundle.replace("v1", "v2"),
    7,
  ]) {
    expect(encrypt({ importBundle: wrong })).toThrow(invalid("importBundle"));
  }
  expect(encrypt({ mnemonic: `${mnemonic}\n` })).toThrow(invalid("mnemonic"));
  expect(encrypt({ passphrase: "a\rb" })).toThrow(invalid("passphrase"));

  const wallet = exported(encodeUtf8(mnemonic));
  const decrypt = (change: object) => () => decryptWalletBundle({ ...wallet, ...change });
  expect(decrypt({ organizationId: otherId })).toThrow(unverified("exportBundle"));
  expect(decrypt({ signerPublicKey: stranger })).toThrow(unverified("exportBundle"));
  const { targetPrivateKey } = createTargetKey();
  expect(decrypt({ targetPrivateKey })).toThrow(unverified("exportBundle"));
  for (const wrong of ["", importBundle, wallet.exportBundle.slice(0, -1)]) {
    expect(decrypt({ exportBundle: wrong })).toThrow(invalid("exportBundle"));
  }
  for (const wrong of [
    "",
    "zz".repeat(32),
    `0x${targetPrivateKey}`,
    "00".repeat(32),
    "ff".repeat(32),
  ]) {
    expect(decrypt({ targetPrivateKey: wrong })).toThrow(
      expect.objectContaining({ name: "InvalidCredential", field: "targetPrivateKey" }),
    );
  }
  // What was exported is something else than what is asked for.
  expect(() => decryptPrivateKeyBundle(wallet)).toThrow(unverified("exportBundle"));
  const severalLines = exported(encodeUtf8("a\nb\nc"));
  expect(() => decryptWalletBundle(severalLines)).toThrow(unverified("exportBundle"));
  const noText = exported(Uint8Array.of(0xff, 0xfe));
  expect(() => decryptWalletBundle(noText)).toThrow(unverified("exportBundle"));
});

/** The same import bundle, signed by somebody else. */
function signedByStranger(): string {
  const inner = { targetPublicKey: pointOf(importKey), organizationId, userId };
  return createImportBundle(inner, generatePrivateKey("CURVE_P256"));
}
