import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderOf } from "../curves.ts";
import {
  concatBytes,
  decodeHex,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { decodeDerSignature, encodeDerSignature } from "../encoding/der.ts";
import { publicKeyOf, signP256Raw } from "../keys/keys.ts";
import fingerprints from "../vectors/fingerprint.json" with { type: "json" };
import vectors from "../vectors/stamps.json" with { type: "json" };
import { createApiKeyStamp, createApiKeyStamper } from "./create-stamp.ts";
import {
  type ApiKeyStamp,
  curveOfScheme,
  importStampKey,
  parseApiKeyStamp,
  STAMP_SCHEMES,
  type StampScheme,
  verifyApiKeyStamp,
} from "./stamp.ts";

const P256 = "SIGNATURE_SCHEME_TK_API_P256";
// Half of all x coordinates are on both curves. This one, from a captured vote, is not.
const P256_POINT = fingerprints.published.vote.publicKey;
const ED25519 = "SIGNATURE_SCHEME_TK_API_ED25519";
const body = encodeUtf8(vectors.body);
const {
  apiKeyP256,
  apiKeySecp256k1,
  apiKeyEd25519,
  walletEip191,
  walletSolana,
  publishedCliSample,
  publishedEip191,
  publishedSolana,
} = vectors;

const samples = [
  { name: "P-256", privateKey: apiKeyP256.privateKey, vector: apiKeyP256 },
  { name: "secp256k1", privateKey: apiKeySecp256k1.privateKey, vector: apiKeySecp256k1 },
  { name: "Ed25519", privateKey: apiKeyEd25519.privateSeed, vector: apiKeyEd25519 },
  { name: "an Ethereum wallet", privateKey: walletEip191.privateKey, vector: walletEip191 },
  { name: "a Solana wallet", privateKey: walletSolana.privateSeed, vector: walletSolana },
].map((sample) => ({ ...sample, stamp: sample.vector.stamp as ApiKeyStamp }));

describe.each(samples)("a stamp of $name", ({ privateKey, stamp, vector }) => {
  const signer = { privateKey: decodeHex(privateKey), scheme: stamp.scheme };
  const key = importStampKey(stamp.publicKey, stamp.scheme);

  test("is read from its header and verifies", () => {
    expect(parseApiKeyStamp(vector.header.value)).toEqual(stamp);
    expect(verifyApiKeyStamp(stamp, body)).toBe(true);
    expect(verifyApiKeyStamp(stamp, body, key)).toBe(true);
    expect(verifyApiKeyStamp(stamp, encodeUtf8(`${vectors.body}\n`), key)).toBe(false);
  });

  test("is valid for its body, and for no other", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (a, b) => {
        const made = parseApiKeyStamp(createApiKeyStamp(signer, a));
        expect(made).toMatchObject({ publicKey: stamp.publicKey, scheme: stamp.scheme });
        expect(verifyApiKeyStamp(made, a, key)).toBe(true);
        expect(verifyApiKeyStamp(made, b, key)).toBe(encodeHex(a) === encodeHex(b));
      }),
      { numRuns: 20 },
    );
  });

  test("never verifies with a flipped bit of body, signature or public key", () => {
    fc.assert(
      fc.property(fc.constantFrom("body", "signature", "publicKey"), fc.nat(), (part, bit) => {
        if (part === "body") {
          expect(verifyApiKeyStamp(stamp, flip(body, bit), key)).toBe(false);
          return;
        }
        const changed = { ...stamp, [part]: encodeHex(flip(decodeHex(stamp[part]), bit)) };
        expect(verifyApiKeyStamp(changed, body)).toBe(false);
        expect(verifyApiKeyStamp(changed, body, key)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test("does not verify under another scheme or with another stamp's key", () => {
    for (const scheme of STAMP_SCHEMES) {
      if (scheme === stamp.scheme) continue;
      expect(verifyApiKeyStamp({ ...stamp, scheme }, body)).toBe(false);
      expect(verifyApiKeyStamp({ ...stamp, scheme }, body, key)).toBe(false);
    }
    for (const other of samples) {
      if (other.stamp === stamp) continue;
      const otherKey = importStampKey(other.stamp.publicKey, other.stamp.scheme);
      expect(verifyApiKeyStamp(stamp, body, otherKey)).toBe(false);
    }
  });
});

describe("published and captured stamps", () => {
  test("the sample from the command line, whose members are in a different order", () => {
    const stamp = parseApiKeyStamp(publishedCliSample.header.value);
    expect(stamp).toEqual(publishedCliSample.decoded);
    expect(verifyApiKeyStamp(stamp, encodeUtf8(publishedCliSample.body))).toBe(true);
  });

  test("an s above half the order", () => {
    const stamp = parseApiKeyStamp(apiKeyP256.highSVariant.header.value);
    expect(stamp).toEqual(apiKeyP256.highSVariant.stamp);
    expect(verifyApiKeyStamp(stamp, body)).toBe(true);
  });

  test("messages signed by wallets", () => {
    const ethereum: ApiKeyStamp = {
      publicKey: publishedEip191.publicKeyCompressed,
      scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
      signature: publishedEip191.der,
    };
    const solana: ApiKeyStamp = {
      publicKey: publishedSolana.publicKeyHex,
      scheme: ED25519,
      signature: publishedSolana.signature,
    };
    expect(verifyApiKeyStamp(ethereum, encodeUtf8(publishedEip191.message))).toBe(true);
    expect(verifyApiKeyStamp(solana, encodeUtf8(publishedSolana.message))).toBe(true);
  });

  test("deterministic schemes produce the headers of the vectors", () => {
    for (const { name, privateKey, stamp, vector } of samples) {
      if (name === "P-256") continue;
      const signer = { privateKey: decodeHex(privateKey), scheme: stamp.scheme };
      expect(createApiKeyStamp(signer, body)).toBe(vector.header.value);
    }
  });
});

test("a stamper parses its key once and keeps a copy", () => {
  const privateKey = decodeHex(apiKeySecp256k1.privateKey);
  const stamper = createApiKeyStamper({ privateKey, scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1" });
  privateKey.fill(0);
  expect(stamper(body)).toBe(apiKeySecp256k1.header.value);
});

test("every scheme has its curve", () => {
  expect(STAMP_SCHEMES.map(curveOfScheme)).toEqual([
    "API_KEY_CURVE_P256",
    "API_KEY_CURVE_SECP256K1",
    "API_KEY_CURVE_SECP256K1",
    "API_KEY_CURVE_ED25519",
  ]);
});

describe("headers", () => {
  const { publicKey, scheme, signature } = apiKeyP256.stamp;
  const header = (text: string) => encodeBase64Url(encodeUtf8(text));

  test("may have members in any order, white space, and hex in either case", () => {
    const text = JSON.stringify({ signature, publicKey: publicKey.toUpperCase(), scheme }, null, 1);
    expect(parseApiKeyStamp(header(text))).toEqual({ publicKey, scheme, signature });
    const upper = { publicKey, scheme, signature: signature.toUpperCase() };
    expect(parseApiKeyStamp(header(JSON.stringify(upper)))).toEqual(upper);
    expect(verifyApiKeyStamp(parseApiKeyStamp(header(JSON.stringify(upper))), body)).toBe(true);
  });

  const members = `"publicKey":"${publicKey}","scheme":"${scheme}","signature":"${signature}"`;
  const changed = (change: object) => JSON.stringify({ publicKey, scheme, signature, ...change });
  test.each([
    ["no JSON", "stamp"],
    ["null", "null"],
    ["an array", "[]"],
    ["a string", `"${publicKey}"`],
    ["a missing member", JSON.stringify({ publicKey, scheme })],
    ["an extra member", changed({ extra: "" })],
    ["an extra in place of a missing member", JSON.stringify({ publicKey, scheme, extra: "" })],
    ["a duplicate member", `{${members},"scheme":"${scheme}"}`],
    ["a duplicate that differs", `{"publicKey":"${apiKeySecp256k1.stamp.publicKey}",${members}}`],
    ["a duplicate in escapes", `{${members},"\\u0073cheme":"${scheme}"}`],
    ["__proto__", `{"__proto__":{},${members}}`],
    ["text after the object", `{${members}}{}`],
    ["a nested value", changed({ signature: [signature] })],
    ["a number", changed({ publicKey: 2 })],
    ["an unknown scheme", changed({ scheme: "SIGNATURE_SCHEME_TK_API_P384" })],
    ["a scheme in lower case", changed({ scheme: scheme.toLowerCase() })],
    ["a prefix on the key", changed({ publicKey: `0x${publicKey.slice(2)}` })],
    ["a key that is no hex", changed({ publicKey: `g${publicKey.slice(1)}` })],
    ["an uncompressed key", changed({ publicKey: "04".padEnd(130, "1") })],
    ["a key of another length", changed({ publicKey: publicKey.slice(2) })],
    ["a key of another scheme's length", changed({ scheme: ED25519, signature: "00".repeat(64) })],
    ["no signature", changed({ signature: "" })],
    ["half a byte", changed({ signature: signature.slice(1) })],
    ["a signature that is no hex", changed({ signature: `${signature.slice(0, -1)} ` })],
    ["a signature that is too long", changed({ signature: "30".repeat(73) })],
    [
      "a short Ed25519 signature",
      JSON.stringify({ ...apiKeyEd25519.stamp, signature: "00".repeat(63) }),
    ],
    ["too much white space", `{${members}${" ".repeat(700)}}`],
  ])("with %s are refused", (_, text) => {
    expect(() => parseApiKeyStamp(header(text))).toThrow(/^malformed stamp$/);
  });

  test.each([
    ["nothing", ""],
    ["plain JSON", `{${members}}`],
    ["padding", `${header(`{${members}} `)}==`],
    ["base64 of the other alphabet", "++//"],
    ["bytes that are not UTF-8", encodeBase64Url(Uint8Array.of(0x22, 0xff, 0x22))],
  ])("of %s are refused", (_, value) => {
    expect(() => parseApiKeyStamp(value)).toThrow(/^malformed stamp$/);
  });
});

describe("public keys", () => {
  const x = "ff".repeat(32);
  test.each<[string, StampScheme, string]>([
    ["infinity", P256, "00"],
    ["infinity in 33 bytes", P256, "00".repeat(33)],
    ["an x above the field", P256, `02${x}`],
    ["an x off the curve", P256, `02${"00".repeat(31)}01`],
    ["another curve's point", P256, apiKeySecp256k1.stamp.publicKey],
    ["an unknown tag", P256, `05${apiKeyP256.stamp.publicKey.slice(2)}`],
    ["infinity", "SIGNATURE_SCHEME_TK_API_SECP256K1", "00"],
    ["infinity in 33 bytes", "SIGNATURE_SCHEME_TK_API_SECP256K1", "00".repeat(33)],
    ["an x above the field", "SIGNATURE_SCHEME_TK_API_SECP256K1", `02${x}`],
    ["an x off the curve", "SIGNATURE_SCHEME_TK_API_SECP256K1", `02${"00".repeat(31)}05`],
    ["another curve's point", "SIGNATURE_SCHEME_TK_API_SECP256K1", P256_POINT],
    ["the identity", ED25519, `01${"00".repeat(31)}`],
    ["another curve's length", ED25519, apiKeyP256.stamp.publicKey],
  ])("that are %s (%s) are refused and verify nothing", (_, scheme, publicKey) => {
    expect(() => importStampKey(publicKey, scheme)).toThrow(/^invalid public key$/);
    const signature = scheme === ED25519 ? `01${"00".repeat(63)}` : apiKeyP256.stamp.signature;
    expect(verifyApiKeyStamp({ publicKey, scheme, signature }, body)).toBe(false);
  });
});

describe.each([
  ["CURVE_P256", P256, apiKeyP256] as const,
  ["CURVE_SECP256K1", "SIGNATURE_SCHEME_TK_API_SECP256K1", apiKeySecp256k1] as const,
])("signatures of %s", (curve, scheme, vector) => {
  const { publicKey } = vector.stamp;
  const order = orderOf(curve);
  const valid = decodeDerSignature(decodeHex(vector.stamp.signature));
  const [r, s] = [number(valid.subarray(0, 32)), number(valid.subarray(32))];
  const verifies = (der: Uint8Array) =>
    verifyApiKeyStamp({ publicKey, scheme, signature: encodeHex(der) }, body);

  test.each([
    ["r = 0", 0n, s],
    ["s = 0", r, 0n],
    ["r = s = 0", 0n, 0n],
    ["r = n", order, s],
    ["s = n", r, order],
    ["r and s swapped", s, r],
    ["r = 1", 1n, s],
    ["s = 1", r, 1n],
    ["r = n - r", order - r, s],
    ["r and s at 2^256 - 1", 2n ** 256n - 1n, 2n ** 256n - 1n],
  ])("with %s are refused", (_, badR, badS) => {
    expect(verifies(encodeDerSignature(concatBytes(bytes(badR), bytes(badS))))).toBe(false);
  });

  test("are accepted with s and with n - s", () => {
    expect(verifies(encodeDerSignature(concatBytes(bytes(r), bytes(s))))).toBe(true);
    expect(verifies(encodeDerSignature(concatBytes(bytes(r), bytes(order - s))))).toBe(true);
  });

  test("are refused with r + n or s + n, which have 33 bytes", () => {
    const long = (value: bigint) => decodeHex(`0221${value.toString(16).padStart(66, "0")}`);
    const short = (value: bigint) =>
      encodeDerSignature(concatBytes(bytes(value), bytes(1n))).slice(2, -3);
    for (const [first, second] of [
      [long(r + order), short(s)],
      [short(r), long(s + order)],
    ] as const) {
      const content = concatBytes(first, second);
      expect(verifies(concatBytes(Uint8Array.of(0x30, content.length), content))).toBe(false);
    }
  });

  test("are refused with bytes after the end, in long form, or as raw bytes", () => {
    const der = decodeHex(vector.stamp.signature);
    expect(verifies(concatBytes(der, Uint8Array.of(0)))).toBe(false);
    expect(verifies(concatBytes(Uint8Array.of(0x30, 0x81), der.subarray(1)))).toBe(false);
    expect(verifies(der.subarray(0, -1))).toBe(false);
    expect(verifies(valid)).toBe(false);
    expect(verifies(new Uint8Array(0))).toBe(false);
  });
});

test("a wallet stamper's signature verifies although r or s begins with zeros", () => {
  const privateKey = decodeHex(apiKeyP256.privateKey);
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  // About one in 256 signatures has such an r or s. Deterministic nonces make it the same one.
  const { message, raw } = firstSignature(privateKey, ([first, second]) => !first && second < 128);
  const der = concatBytes(walletInteger(raw.subarray(0, 32)), walletInteger(raw.subarray(32)));
  const signature = encodeHex(concatBytes(Uint8Array.of(0x30, der.length), der));
  expect(encodeDerSignature(raw).length).toBeLessThan(der.length + 2);
  expect(verifyApiKeyStamp({ publicKey, scheme: P256, signature }, message)).toBe(true);
});

function firstSignature(
  privateKey: Uint8Array,
  isWanted: (firstBytes: readonly [number, number]) => boolean,
): { message: Uint8Array; raw: Uint8Array } {
  for (let i = 0; i < 5000; i++) {
    const message = encodeUtf8(String(i));
    const raw = signP256Raw(message, privateKey);
    const firstBytes = (offset: number) => [raw[offset], raw[offset + 1]] as [number, number];
    if (isWanted(firstBytes(0)) || isWanted(firstBytes(32))) return { message, raw };
  }
  throw new Error("no such signature");
}

/** As wallet stampers write it: with a sign byte if needed, and with leading zeros. */
function walletInteger(value: Uint8Array): Uint8Array {
  const sign = (value[0] as number) > 127 ? [0] : [];
  return Uint8Array.of(2, value.length + sign.length, ...sign, ...value);
}

function flip(whole: Uint8Array, bit: number): Uint8Array {
  const flipped = whole.slice();
  const index = (bit >> 3) % whole.length;
  flipped[index] = (flipped[index] as number) ^ (1 << (bit & 7));
  return flipped;
}

function number(value: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(value)}`);
}

function bytes(value: bigint): Uint8Array {
  return decodeHex(value.toString(16).padStart(64, "0"));
}
