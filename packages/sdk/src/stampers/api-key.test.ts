import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys";
import { parseApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { describe, expect, test } from "vitest";
import { ApiKeyStamper } from "./api-key.ts";

const body = '{"organizationId":"é"}';

describe("an API-key stamper", () => {
  test.each([
    ["SIGNATURE_SCHEME_TK_API_P256", "CURVE_P256"],
    ["SIGNATURE_SCHEME_TK_API_SECP256K1", "CURVE_SECP256K1"],
    ["SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191", "CURVE_SECP256K1"],
    ["SIGNATURE_SCHEME_TK_API_ED25519", "CURVE_ED25519"],
  ] as const)("stamps with %s", async (scheme, curve) => {
    const privateKey = generatePrivateKey(curve);
    const apiPublicKey = encodeHex(publicKeyOf(curve, privateKey));
    const apiPrivateKey = encodeHex(privateKey);
    const { name, value } = await new ApiKeyStamper({
      apiPublicKey,
      apiPrivateKey,
      scheme,
    }).stamp(body);
    expect(name).toBe("X-Stamp");
    const stamp = parseApiKeyStamp(value);
    expect(stamp).toMatchObject({ publicKey: apiPublicKey, scheme });
    expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
    expect(verifyApiKeyStamp(stamp, encodeUtf8(`${body} `))).toBe(false);
  });

  test("refuses keys that are not a pair, without revealing the private key", () => {
    const apiPrivateKey = "11".repeat(32);
    const apiPublicKey = encodeHex(publicKeyOf("CURVE_P256", generatePrivateKey("CURVE_P256")));
    for (const wrong of [apiPrivateKey, "zz", "00".repeat(32), ""]) {
      const make = () => new ApiKeyStamper({ apiPublicKey, apiPrivateKey: wrong });
      expect(make).toThrow(expect.objectContaining({ code: "INVALID_CREDENTIAL" }));
      expect(make).not.toThrow(/1111|zz/);
    }
  });
});
