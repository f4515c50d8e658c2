import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { parseApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { describe, expect, test, vi } from "vitest";
import { ApiKeyStamper } from "./api-key.ts";
import { PortableApiKeyStamper } from "./api-key-portable.ts";

const body = '{"organizationId":"é"}';

const schemes = [
  ["SIGNATURE_SCHEME_TK_API_P256", "CURVE_P256"],
  ["SIGNATURE_SCHEME_TK_API_SECP256K1", "CURVE_SECP256K1"],
  ["SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191", "CURVE_SECP256K1"],
  ["SIGNATURE_SCHEME_TK_API_ED25519", "CURVE_ED25519"],
] as const;

function newPair(curve: (typeof schemes)[number][1]) {
  const privateKey = generatePrivateKey(curve);
  return {
    apiPublicKey: encodeHex(publicKeyOf(curve, privateKey)),
    apiPrivateKey: encodeHex(privateKey),
  };
}

function expectStamp(header: { name: string; value: string }, expected: object) {
  expect(header.name).toBe("X-Stamp");
  const stamp = parseApiKeyStamp(header.value);
  expect(stamp).toMatchObject(expected);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(`${body} `))).toBe(false);
}

test.each(schemes)("the portable stamper stamps with %s", async (scheme, curve) => {
  const pair = newPair(curve);
  const header = await new PortableApiKeyStamper({ ...pair, scheme }).stamp(body);
  expectStamp(header, { publicKey: pair.apiPublicKey, scheme });
});

test.each([schemes[0], schemes[3]])("WebCrypto stamps with %s", async (scheme, curve) => {
  // Half of all P-256 points have an odd y, and both halves must be imported.
  for (let i = 0; i < 8; i++) {
    const pair = newPair(curve);
    const stamper = new ApiKeyStamper({ ...pair, scheme });
    for (const _ of [1, 2]) {
      expectStamp(await stamper.stamp(body), { publicKey: pair.apiPublicKey, scheme });
    }
  }
});

test("public keys may be in upper case", async () => {
  const { apiPublicKey, apiPrivateKey } = newPair("CURVE_P256");
  const stamper = new ApiKeyStamper({ apiPublicKey: apiPublicKey.toUpperCase(), apiPrivateKey });
  expectStamp(await stamper.stamp(body), { publicKey: apiPublicKey });
});

describe("wrong keys are refused with their field, and the private key is not shown:", () => {
  const apiPrivateKey = "11".repeat(32);
  const { apiPublicKey } = newPair("CURVE_P256");
  const { apiPublicKey: secp256k1 } = newPair("CURVE_SECP256K1");
  const { apiPublicKey: ed25519 } = newPair("CURVE_ED25519");
  const wrong: [string, object, string][] = [
    ["halves of two pairs", { apiPublicKey, apiPrivateKey }, "apiPublicKey"],
    ["a key on secp256k1", { apiPublicKey: secp256k1, apiPrivateKey }, "apiPublicKey"],
    ["a key on Ed25519", { apiPublicKey: ed25519, apiPrivateKey }, "apiPublicKey"],
    ["no hex", { apiPublicKey, apiPrivateKey: "zz".repeat(32) }, "apiPrivateKey"],
    ["a prefix", { apiPublicKey, apiPrivateKey: `0x${apiPrivateKey}` }, "apiPrivateKey"],
    ["too few bytes", { apiPublicKey, apiPrivateKey: "1111" }, "apiPrivateKey"],
    ["zero", { apiPublicKey, apiPrivateKey: "00".repeat(32) }, "apiPublicKey"],
    ["no public key", { apiPrivateKey }, "apiPublicKey"],
    ["an unknown scheme", { apiPublicKey, apiPrivateKey, scheme: "RSA" }, "scheme"],
  ];
  test.each(wrong)("%s", async (_, keys, field) => {
    // A program in plain JavaScript can pass anything.
    const stamp = async () => new ApiKeyStamper(keys as never).stamp(body);
    const error = await stamp().catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: "InvalidCredential",
      code: "INVALID_CREDENTIAL",
      field,
    });
    expect(error).not.toHaveProperty("cause");
    expect(String(error)).not.toMatch(/1111|zzz/);
  });

  test.each(wrong.filter(([name]) => name !== "a key on Ed25519" && name !== "zero"))(
    "%s, by the portable stamper",
    (_, keys, field) => {
      // A program in plain JavaScript can pass anything.
      const make = () => new PortableApiKeyStamper(keys as never);
      expect(make).toThrow(expect.objectContaining({ name: "InvalidCredential", field }));
      expect(make).not.toThrow(/1111|zzz/);
    },
  );
});

test("an old Node.js is named as the reason, with the version that works", async () => {
  const stamper = new ApiKeyStamper(newPair("CURVE_P256"));
  vi.stubGlobal("crypto", {});
  vi.stubGlobal("process", { versions: { node: "18.20.4" } });
  try {
    await expect(stamper.stamp(body)).rejects.toMatchObject({
      name: "Unsupported",
      message: "Node.js 18.20.4 is too old for this package. Use Node.js 20.18 or newer",
    });
  } finally {
    vi.unstubAllGlobals();
  }
});

test("an empty key file is named by what is missing, and where it comes from", () => {
  const missing =
    "apiPublicKey is missing. Take it from a key file of the service, such as data/root-api-key.json";
  for (const Stamper of [ApiKeyStamper, PortableApiKeyStamper]) {
    expect(() => new Stamper(JSON.parse("{}"))).toThrow(missing);
  }
});

test("without WebCrypto, the first stamp names the stamper that needs none", async () => {
  const stamper = new ApiKeyStamper(newPair("CURVE_P256"));
  vi.stubGlobal("crypto", {});
  try {
    await expect(stamper.stamp(body)).rejects.toMatchObject({
      name: "Unsupported",
      code: "UNSUPPORTED",
      message: expect.stringContaining("PortableApiKeyStamper"),
    });
  } finally {
    vi.unstubAllGlobals();
  }
});
