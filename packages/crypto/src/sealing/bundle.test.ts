import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from "@hpke/core";
import {
  decryptCredentialBundle,
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
} from "@turnkey/crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, decodeHex, decodeUtf8, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "../keys/keys.ts";
import { openBytes } from "../secret-bytes.ts";
import vectors from "../vectors/hpke.json" with { type: "json" };
import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  decryptBundle,
} from "./bundle.ts";
import { hpkeDecrypt, hpkeEncrypt } from "./hpke.ts";
import {
  encryptToBundle,
  type HeldKey,
  openCredentialBundle,
  openExportBundle,
  openImportBundle,
  openWithHeldKey,
  readCredentialBundle,
  readExportBundle,
} from "./open-bundle.ts";

const { keys, organizationId, userId } = vectors;
const signerKey = decodeHex(keys.quorumSigner.private);
const signerPublicKey = keys.quorumSigner.publicUncompressed;
const receiver = decodeHex(keys.receiver.private);
const receiverPublic = decodeHex(keys.receiver.publicCompressed);
const pinned = { signerPublicKey, organizationId };

function newKey() {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = publicKeyOf("CURVE_P256", privateKey);
  return { privateKey, publicKey, point: uncompressedPublicKey("CURVE_P256", publicKey) };
}

describe("HPKE", () => {
  const { seal } = vectors;

  test("the vector, with a known ephemeral key", () => {
    const ephemeral = decodeHex(keys.ephemeral.private);
    const encrypted = hpkeEncrypt(receiverPublic, encodeUtf8(seal.plaintextUtf8), ephemeral);
    expect(encodeHex(encrypted.encappedPublic)).toBe(seal.encappedPublic);
    expect(encodeHex(encrypted.ciphertext)).toBe(seal.ciphertext);
    expect(decodeUtf8(openBytes(hpkeDecrypt(receiver, encrypted)))).toBe(seal.plaintextUtf8);
    expect(ephemeral.every((byte) => byte === 0)).toBe(true);
  });

  test("other software decrypts what is encrypted here, and the other way round", async () => {
    const suite = new CipherSuite({
      kem: new DhkemP256HkdfSha256(),
      kdf: new HkdfSha256(),
      aead: new Aes256Gcm(),
    });
    const info = bufferOf(encodeUtf8("turnkey_hpke"));
    for (const length of [0, 1, 32, 200]) {
      const plaintext = new Uint8Array(length).fill(length);
      const { privateKey, publicKey, point } = newKey();
      const secretKey = await suite.kem.importKey("raw", bufferOf(privateKey), false);
      const { encappedPublic, ciphertext } = hpkeEncrypt(publicKey, plaintext);
      const opened = await suite.open(
        { recipientKey: secretKey, enc: bufferOf(encappedPublic), info },
        bufferOf(ciphertext),
        bufferOf(concatBytes(encappedPublic, point)),
      );
      expect(new Uint8Array(opened)).toEqual(plaintext);

      const recipientPublicKey = await suite.kem.importKey("raw", bufferOf(point), true);
      const sender = await suite.createSenderContext({ recipientPublicKey, info });
      const enc = new Uint8Array(sender.enc);
      const sealed = await sender.seal(bufferOf(plaintext), bufferOf(concatBytes(enc, point)));
      const encrypted = { encappedPublic: enc, ciphertext: new Uint8Array(sealed) };
      expect(openBytes(hpkeDecrypt(privateKey, encrypted))).toEqual(plaintext);
    }
  });

  test("a changed bit anywhere, or another key, decrypts to nothing", () => {
    const { privateKey, publicKey } = newKey();
    const encrypted = hpkeEncrypt(publicKey, encodeUtf8("secret"));
    fc.assert(
      fc.property(fc.constantFrom("encappedPublic", "ciphertext"), fc.nat(), (part, position) => {
        const changed = Uint8Array.from(encrypted[part]);
        const index = position % (changed.length * 8);
        changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7));
        expect(() => hpkeDecrypt(privateKey, { ...encrypted, [part]: changed })).toThrow(
          /^(decryption failed|invalid public key)$/,
        );
      }),
      { numRuns: 60 },
    );
    expect(() => hpkeDecrypt(newKey().privateKey, encrypted)).toThrow(/^decryption failed$/);
    for (const length of [0, 15]) {
      const ciphertext = encrypted.ciphertext.slice(0, length);
      expect(() => hpkeDecrypt(privateKey, { ...encrypted, ciphertext })).toThrow(
        /^decryption failed$/,
      );
    }
  });
});

describe("export bundles", () => {
  test("the published bundle and the vector open", () => {
    const { bundle, embeddedPrivateKey, plaintextUtf8, ...published } = vectors.exportBundle;
    const options = {
      signerPublicKey: bundle.enclaveQuorumPublic,
      organizationId: published.organizationId,
    };
    const secret = openExportBundle(JSON.stringify(bundle), options, decodeHex(embeddedPrivateKey));
    expect(decodeUtf8(secret)).toBe(plaintextUtf8);

    const { bundleString, plaintextUtf8: expected } = vectors.exportWallet;
    expect(decodeUtf8(openExportBundle(bundleString, pinned, receiver))).toBe(expected);
  });

  test("the official client decrypts ours with its signer key overridden", async () => {
    const mnemonic = vectors.seal.plaintextUtf8;
    const target = { targetPublicKey: receiverPublic, organizationId };
    const options = {
      embeddedKey: keys.receiver.private,
      organizationId,
      dangerouslyOverrideSignerPublicKey: signerPublicKey,
    };
    const wallet = createExportBundle(encodeUtf8(mnemonic), target, signerKey);
    expect(
      await decryptExportBundle({ ...options, exportBundle: wallet, returnMnemonic: true }),
    ).toBe(mnemonic);
    const key = createExportBundle(new Uint8Array(32).fill(43), target, signerKey);
    expect(
      await decryptExportBundle({ ...options, exportBundle: key, returnMnemonic: false }),
    ).toBe("2b".repeat(32));
  });

  test("a bundle of another signer or organization, or changed, is refused", () => {
    const secret = encodeUtf8("secret");
    const target = { targetPublicKey: receiverPublic, organizationId };
    const bundle = createExportBundle(secret, target, signerKey);
    expect(openExportBundle(bundle, pinned, receiver)).toEqual(secret);
    const other = encodeHex(newKey().point);
    const open = (text: string, options = pinned) => {
      return () => openExportBundle(text, options, receiver);
    };
    expect(open(bundle, { ...pinned, signerPublicKey: other })).toThrow("another signer");
    expect(open(bundle, { ...pinned, organizationId: userId })).toThrow("another organization");
    const { dataSignature, ...rest } = JSON.parse(bundle);
    const changed = rest.data.replace(/..$/, "7c");
    expect(open(JSON.stringify({ ...rest, data: changed, dataSignature }))).toThrow(
      "signature is invalid",
    );
    for (const text of ["", "{}", `${bundle} `.slice(0, -3), bundle.replace("v1.0.0", "v1.0.1")]) {
      expect(open(text)).toThrow("malformed bundle");
    }
  });
});

describe("import bundles", () => {
  test("the vector opens, and the submissions decrypt", () => {
    const target = openImportBundle(vectors.importTarget.bundleString, signerPublicKey);
    expect(target).toEqual({
      targetPublic: keys.importTarget.publicUncompressed,
      organizationId,
      userId,
    });
    const privateKey = decodeHex(keys.importTarget.private);
    const { importWalletSubmission: wallet, importPrivateKeySubmission: key } = vectors;
    expect(decodeUtf8(openBytes(decryptBundle(wallet.encryptedBundle, privateKey)))).toBe(
      wallet.plaintextUtf8,
    );
    expect(encodeHex(openBytes(decryptBundle(key.encryptedBundle, privateKey)))).toBe(
      key.plaintextHex,
    );
  });

  test("what the official client encrypts for us decrypts", async () => {
    const { privateKey, publicKey } = newKey();
    const ids = { organizationId, userId };
    const importBundle = createImportBundle({ ...ids, targetPublicKey: publicKey }, signerKey);
    const options = { ...ids, importBundle, dangerouslyOverrideSignerPublicKey: signerPublicKey };
    const mnemonic = vectors.seal.plaintextUtf8;
    const wallet = await encryptWalletToBundle({ ...options, mnemonic });
    expect(decodeUtf8(openBytes(decryptBundle(wallet, privateKey)))).toBe(mnemonic);
    const key = await encryptPrivateKeyToBundle({
      ...options,
      privateKey: "2b".repeat(32),
      keyFormat: "HEXADECIMAL",
    });
    expect(encodeHex(openBytes(decryptBundle(key, privateKey)))).toBe("2b".repeat(32));
  });

  test("our own client's encryption decrypts, and malformed text is refused", () => {
    const { privateKey, publicKey, point } = newKey();
    const ids = { organizationId, userId };
    const bundle = createImportBundle({ ...ids, targetPublicKey: publicKey }, signerKey);
    const { targetPublic } = openImportBundle(bundle, signerPublicKey);
    expect(targetPublic).toBe(encodeHex(point));
    const encrypted = encryptToBundle(encodeUtf8("secret"), targetPublic);
    expect(decodeUtf8(openBytes(decryptBundle(encrypted, privateKey)))).toBe("secret");

    const { encappedPublic, ciphertext } = JSON.parse(encrypted);
    const texts = [
      "",
      "null",
      "[]",
      JSON.stringify({ encappedPublic }),
      JSON.stringify({ encappedPublic, ciphertext: `${ciphertext}0` }),
      JSON.stringify({ encappedPublic: encappedPublic.slice(2), ciphertext }),
      JSON.stringify({ encappedPublic, ciphertext, extra: "" }),
      encrypted.replace('{"', '{"ciphertext":"00","'),
    ];
    for (const text of texts) {
      expect(() => decryptBundle(text, privateKey)).toThrow(/^malformed bundle$/);
    }
    expect(() => decryptBundle(encrypted, newKey().privateKey)).toThrow(/^decryption failed$/);
  });
});

describe("credential bundles", () => {
  test.each(vectors.credentialBundles)("a published bundle opens", (vector) => {
    const opened = openCredentialBundle(vector.bundle, decodeHex(vector.embeddedPrivateKey));
    expect(encodeHex(opened)).toBe(vector.credentialPrivateKey);
  });

  test("the vector, with a known ephemeral key", () => {
    const { bundle, credentialPrivateKey } = vectors.credentialBundle;
    const ephemeral = decodeHex(keys.ephemeralCredential.private);
    const credential = decodeHex(credentialPrivateKey);
    expect(createCredentialBundle(credential, receiverPublic, ephemeral)).toBe(bundle);
  });

  test("the official client opens ours", () => {
    const credential = generatePrivateKey("CURVE_P256");
    const bundle = createCredentialBundle(credential, receiverPublic);
    expect(decryptCredentialBundle(bundle, keys.receiver.private)).toBe(encodeHex(credential));
    expect(openCredentialBundle(bundle, receiver)).toEqual(credential);
  });

  test("another text or key is refused", () => {
    const bundle = createCredentialBundle(generatePrivateKey("CURVE_P256"), receiverPublic);
    const last = bundle.endsWith("2") ? "3" : "2";
    for (const text of [
      "",
      "2",
      bundle.slice(1),
      `${bundle.slice(0, -1)}${last}`,
      "z".repeat(121),
    ]) {
      expect(() => openCredentialBundle(text, receiver)).toThrow(/^malformed bundle$/);
    }
    expect(() => openCredentialBundle(bundle, newKey().privateKey)).toThrow(/^decryption failed$/);
  });
});

describe("with a key that a browser holds", () => {
  async function held(): Promise<HeldKey> {
    const algorithm = { name: "ECDH", namedCurve: "P-256" };
    const pair = await crypto.subtle.generateKey(algorithm, false, ["deriveBits"]);
    return {
      publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
      async agree(point) {
        const other = await crypto.subtle.importKey("raw", bufferOf(point), algorithm, false, []);
        const agreement = { name: "ECDH", public: other };
        return new Uint8Array(await crypto.subtle.deriveBits(agreement, pair.privateKey, 256));
      },
    };
  }

  test("both kinds of bundles open, and those for another key do not", async () => {
    const [key, other] = [await held(), await held()];
    const credential = generatePrivateKey("CURVE_P256");
    const login = createCredentialBundle(credential, key.publicKey);
    expect(await openWithHeldKey(readCredentialBundle(login), key)).toEqual(credential);
    const secret = encodeUtf8("secret");
    const target = { targetPublicKey: key.publicKey, organizationId };
    const bundle = readExportBundle(createExportBundle(secret, target, signerKey), pinned);
    expect(await openWithHeldKey(bundle, key)).toEqual(secret);
    await expect(openWithHeldKey(bundle, other)).rejects.toThrow(/^decryption failed$/);
    const encappedPublic = Uint8Array.from(bundle.encappedPublic).fill(1, 1);
    await expect(openWithHeldKey({ ...bundle, encappedPublic }, key)).rejects.toThrow(
      /^invalid public key$/,
    );
  });
});

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
