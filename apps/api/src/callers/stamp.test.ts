import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { expect, test } from "vitest";
import { goodStamp, readStamp, stampOver } from "./stamp.ts";

const scheme = "SIGNATURE_SCHEME_TK_API_P256";
const privateKey = generatePrivateKey("CURVE_P256");
const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
const other = encodeHex(publicKeyOf("CURVE_P256", generatePrivateKey("CURVE_P256")));

function stamped(body: Uint8Array, signed = body) {
  const value = createApiKeyStamp({ privateKey, scheme }, signed);
  return goodStamp(stampOver(body, readStamp({ name: "X-Stamp", value })).read);
}

test("a stamp is by its own key and over its own body", () => {
  const { isBy } = stamped(encodeUtf8("{}"));
  expect([publicKey, other, publicKey].map((key) => isBy(key))).toEqual([true, false, true]);
  expect(stamped(encodeUtf8("{}"), encodeUtf8("[]")).isBy(publicKey)).toBe(false);
});

test("a signature is verified once, however many ask", () => {
  const body = encodeUtf8("{}");
  const { isBy } = stamped(body);
  expect(isBy(publicKey)).toBe(true);
  body.fill(0);
  expect(isBy(publicKey)).toBe(true);
});
