import { expect, test } from "vitest";
import { decodeBase64Url, decodeHex, encodeBase64Url } from "../encoding/bytes.ts";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "../keys/keys.ts";
import { createExportBundle } from "./bundle.ts";
import { hpkeDecrypt } from "./hpke.ts";
import { openMessage, sealMessage } from "./sealed-message.ts";

const privateKey = generatePrivateKey("CURVE_P256");
const publicKey = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));
const label = { messageId: "8f2f1c1e-0a57-4a3c-9b58-0a4f4bb4f9a0", kind: "email-code" };

test("a message opens with the courier's key and its own label", () => {
  const sealed = sealMessage(publicKey, label, '{"code":"123456"}');
  expect(openMessage(privateKey, label, sealed)).toBe('{"code":"123456"}');
  expect(sealMessage(publicKey, label, "same")).not.toBe(sealMessage(publicKey, label, "same"));
});

test("a message opens with no other key and under no other label", () => {
  const sealed = sealMessage(publicKey, label, "hello");
  const other = generatePrivateKey("CURVE_P256");
  expect(() => openMessage(other, label, sealed)).toThrow("decryption failed");
  for (const changed of [
    { ...label, kind: "sms-code" },
    { ...label, messageId: "8f2f1c1e-0a57-4a3c-9b58-0a4f4bb4f9a1" },
  ]) {
    expect(() => openMessage(privateKey, changed, sealed)).toThrow("decryption failed");
  }
});

test("a message with any part changed does not open", () => {
  const bytes = decodeBase64Url(sealMessage(publicKey, label, "hello"));
  for (const at of [1, 40, 65, bytes.length - 1]) {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openMessage(privateKey, label, encodeBase64Url(changed))).toThrow();
  }
  expect(() => openMessage(privateKey, label, "")).toThrow();
  expect(() => openMessage(privateKey, label, "not base64url!")).toThrow();
});

test("a message is no bundle, and a bundle no message", () => {
  const bytes = decodeBase64Url(sealMessage(publicKey, label, "hello"));
  const parts = { encappedPublic: bytes.subarray(0, 65), ciphertext: bytes.subarray(65) };
  expect(() => hpkeDecrypt(privateKey, parts)).toThrow("decryption failed");
  const signerKey = generatePrivateKey("CURVE_P256");
  const bundle = createExportBundle(
    new Uint8Array(32),
    { targetPublicKey: publicKey, organizationId: "o" },
    signerKey,
  );
  const { data } = JSON.parse(bundle);
  const { encappedPublic, ciphertext } = JSON.parse(Buffer.from(data, "hex").toString());
  const joined = Buffer.concat([decodeHex(encappedPublic), decodeHex(ciphertext)]);
  expect(() => openMessage(privateKey, label, encodeBase64Url(joined))).toThrow(
    "decryption failed",
  );
});
