import { encryptOauth2ClientSecret } from "@turnkey/crypto";
import { expect, test } from "vitest";
import { decodeHex, decodeUtf8, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "../keys/keys.ts";
import { openBytes } from "../secret-bytes.ts";
import { encryptToQuorumKey } from "./encrypt-to-quorum-key.ts";
import { decryptQuorumMessage, QUORUM_MESSAGE_OVERHEAD } from "./quorum-message.ts";

const privateKey = generatePrivateKey("CURVE_P256");
const publicKey = publicKeyOf("CURVE_P256", privateKey);
const point = uncompressedPublicKey("CURVE_P256", publicKey);
const text = "a client’s secret";

const open = (message: Uint8Array, key = privateKey) =>
  decodeUtf8(openBytes(decryptQuorumMessage(key, message)));

test("what a released client encrypts is opened", async () => {
  const message = await encryptOauth2ClientSecret(text, encodeHex(point));
  expect(open(decodeHex(message))).toBe(text);
});

test.each([
  ["compressed", publicKey],
  ["uncompressed", point],
])("what is encrypted to the %s key is opened", (_form, key) => {
  const message = encryptToQuorumKey(key, encodeUtf8(text));
  expect(message.length).toBe(encodeUtf8(text).length + QUORUM_MESSAGE_OVERHEAD);
  expect(open(message)).toBe(text);
  expect(encryptToQuorumKey(key, encodeUtf8(text))).not.toEqual(message);
});

test("another key opens nothing", () => {
  const message = encryptToQuorumKey(point, encodeUtf8(text));
  expect(() => open(message, generatePrivateKey("CURVE_P256"))).toThrow("decryption failed");
});

test("no byte of a message can be changed, left out or added", () => {
  const message = encryptToQuorumKey(point, encodeUtf8("secret"));
  for (let at = 0; at < message.length; at++) {
    const changed = message.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => open(changed), `byte ${at}`).toThrow();
    expect(() => open(message.slice(0, at)), `the first ${at} bytes`).toThrow();
  }
  expect(() => open(Uint8Array.of(...message, 0))).toThrow("malformed message");
});
