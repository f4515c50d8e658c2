import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keccak256, sha256 } from "#primitives";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { openBytes } from "../secret-bytes.ts";
import vectors from "../vectors/signing.json" with { type: "json" };
import {
  type Curve,
  generatePrivateKey,
  importPrivateKey,
  isValidPrivateKey,
  isValidPublicKey,
  publicKeyOf,
  signEd25519,
  signP256,
  signP256Raw,
  signSecp256k1,
  uncompressedPublicKey,
} from "./keys.ts";
import { recoverSecp256k1, verifyEd25519, verifyP256Raw, verifySecp256k1 } from "./verify.ts";

const CURVES: Curve[] = ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"];
const { ethereum, solana } = vectors.keys;

describe.each(vectors.rawPayloads)("$key signs $payload ($encoding, $hashFunction)", (vector) => {
  const { payload, encoding, hashFunction, result } = vector;
  const isText = encoding === "PAYLOAD_ENCODING_TEXT_UTF8";
  const bytes = isText ? encodeUtf8(payload) : decodeHex(payload.replace(/^0x/, ""));

  test("as in the vector", () => {
    if (vector.key === "solana") {
      const signature = signEd25519(bytes, decodeHex(solana.privateSeed));
      expect(encodeHex(signature)).toBe(result.r + result.s);
      const publicKey = publicKeyOf("CURVE_ED25519", decodeHex(solana.privateSeed));
      expect(verifyEd25519(publicKey, bytes, signature)).toBe(true);
      return;
    }
    const digest = digestOf(bytes, hashFunction);
    const privateKey = decodeHex(ethereum.privateKey);
    const publicKey = publicKeyOf("CURVE_SECP256K1", privateKey);
    const signature = signSecp256k1(digest, privateKey);
    expect(encodeHex(digest)).toBe(vector.digest);
    expect({
      r: encodeHex(signature.r),
      s: encodeHex(signature.s),
      v: `0${signature.recovery}`,
    }).toEqual(result);
    expect(recoverSecp256k1(digest, signature)).toEqual(publicKey);
    expect(verifySecp256k1(publicKey, digest, signature)).toBe(true);
  });
});

describe.each(CURVES)("%s", (curve) => {
  test("new keys are valid, and differ", () => {
    const keys = Array.from({ length: 5 }, () => generatePrivateKey(curve));
    expect(keys.every((key) => isValidPrivateKey(curve, key))).toBe(true);
    expect(keys.every((key) => isValidPublicKey(curve, publicKeyOf(curve, key)))).toBe(true);
    expect(new Set(keys.map(encodeHex)).size).toBe(5);
  });

  test("given entropy is copied as the key, or refused", () => {
    const entropy = sha256(encodeUtf8("entropy"));
    const key = generatePrivateKey(curve, entropy);
    expect(key).toEqual(entropy);
    expect(key).not.toBe(entropy);
    for (const length of [0, 31, 33, 64]) {
      const wrong = new Uint8Array(length).fill(1);
      expect(() => generatePrivateKey(curve, wrong)).toThrow(/^invalid private key$/);
    }
  });

  test("keys out of range are refused", () => {
    const orders = {
      CURVE_SECP256K1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
      CURVE_P256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
      CURVE_ED25519: undefined,
    };
    const order = orders[curve];
    const isEd25519 = order === undefined;
    expect(isValidPrivateKey(curve, new Uint8Array(32))).toBe(isEd25519);
    expect(isValidPrivateKey(curve, new Uint8Array(32).fill(255))).toBe(isEd25519);
    if (order === undefined) return;
    expect(isValidPrivateKey(curve, decodeHex(order))).toBe(false);
    expect(isValidPrivateKey(curve, decodeHex(`${order.slice(0, -1)}0`))).toBe(true);
    expect(isValidPrivateKey(curve, decodeHex(`${"00".repeat(31)}01`))).toBe(true);
    expect(() => publicKeyOf(curve, decodeHex(order))).toThrow(/^invalid private key$/);
  });

  test("a public key has one uncompressed form", () => {
    const publicKey = publicKeyOf(curve, sha256(encodeUtf8("key")));
    const point = uncompressedPublicKey(curve, publicKey);
    expect(uncompressedPublicKey(curve, point)).toEqual(point);
    if (curve === "CURVE_ED25519") {
      expect(point).toEqual(publicKey);
      return;
    }
    expect(point.length).toBe(65);
    expect(point.subarray(1, 33)).toEqual(publicKey.subarray(1));
    expect(() => uncompressedPublicKey(curve, point.subarray(1))).toThrow(/^invalid public key$/);
  });
});

test("a changed message, signature or key never verifies", () => {
  const schemes = [
    {
      curve: "CURVE_ED25519" as const,
      sign: signEd25519,
      verify: verifyEd25519,
    },
    { curve: "CURVE_P256" as const, sign: signP256Raw, verify: verifyP256Raw },
    {
      curve: "CURVE_SECP256K1" as const,
      sign: (message: Uint8Array, key: Uint8Array) => {
        const { r, s } = signSecp256k1(sha256(message), key);
        return concatBytes(r, s);
      },
      verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
        const parts = { r: signature.slice(0, 32), s: signature.slice(32) };
        return verifySecp256k1(publicKey, sha256(message), parts);
      },
    },
  ];
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const message = fc.uint8Array({ minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(
      fc.constantFrom(...schemes),
      bytes32,
      message,
      fc.nat(),
      (scheme, key, text, bit) => {
        fc.pre(isValidPrivateKey(scheme.curve, key));
        const publicKey = publicKeyOf(scheme.curve, key);
        const signature = scheme.sign(text, key);
        expect(scheme.sign(text, key)).toEqual(signature);
        expect(scheme.verify(publicKey, text, signature)).toBe(true);
        expect(scheme.verify(publicKey, flip(text, bit), signature)).toBe(false);
        expect(scheme.verify(publicKey, text, flip(signature, bit))).toBe(false);
        expect(scheme.verify(flip(publicKey, bit), text, signature)).toBe(false);
        expect(scheme.verify(publicKey.subarray(1), text, signature)).toBe(false);
        expect(scheme.verify(publicKey, text, signature.subarray(1))).toBe(false);
      },
    ),
    { numRuns: 40 },
  );
});

test("a P-256 key verifies in both forms, but not with another y", () => {
  const privateKey = sha256(encodeUtf8("key"));
  const message = encodeUtf8("message");
  const signature = signP256Raw(message, privateKey);
  const point = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey));
  expect(verifyP256Raw(point, message, signature)).toBe(true);
  for (const bit of [0, 8, 300, 300 + 8, 519]) {
    expect(verifyP256Raw(flip(point, bit), message, signature)).toBe(false);
  }
});

test("a private key in a Buffer survives its use", () => {
  const privateKey = Buffer.from(sha256(encodeUtf8("key")));
  const before = encodeHex(privateKey);
  signEd25519(privateKey, privateKey);
  signP256Raw(privateKey, privateKey);
  signSecp256k1(privateKey, privateKey);
  generatePrivateKey("CURVE_P256", privateKey).fill(0);
  expect(encodeHex(privateKey)).toBe(before);
});

test("malformed digests and signatures are refused", () => {
  const key = decodeHex(ethereum.privateKey);
  const digest = sha256(key);
  const { r, s } = signSecp256k1(digest, key);
  expect(() => signSecp256k1(digest.subarray(1), key)).toThrow(/^digest must be 32 bytes$/);
  expect(() => signSecp256k1(digest, key.subarray(1))).toThrow(/^invalid private key$/);
  expect(() => signEd25519(digest, key.subarray(1))).toThrow(/^invalid private key$/);
  expect(() => signP256Raw(digest, new Uint8Array(32))).toThrow(/^invalid private key$/);
  for (const wrong of [
    { r: new Uint8Array(32), s },
    { r, s: new Uint8Array(32) },
    { r: r.subarray(1), s },
    { r: concatBytes(r, s.subarray(0, 1)), s: s.subarray(1) },
  ]) {
    expect(() => recoverSecp256k1(digest, { ...wrong, recovery: 0 })).toThrow(
      /^cannot recover key$/,
    );
    expect(verifySecp256k1(publicKeyOf("CURVE_SECP256K1", key), digest, wrong)).toBe(false);
  }
});

function digestOf(bytes: Uint8Array, hashFunction: string): Uint8Array {
  if (hashFunction === "HASH_FUNCTION_KECCAK256") return keccak256(bytes);
  return hashFunction === "HASH_FUNCTION_SHA256" ? sha256(bytes) : bytes;
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  const index = (bit >> 3) % bytes.length;
  flipped[index] = (flipped[index] as number) ^ (1 << (bit & 7));
  return flipped;
}

describe("an imported private key", () => {
  const bytes = sha256(encodeUtf8("key"));
  const digest = sha256(encodeUtf8("message"));

  test("signs as its bytes do, each time", () => {
    for (const [curve, sign] of [
      ["CURVE_SECP256K1", signSecp256k1],
      ["CURVE_P256", signP256],
      ["CURVE_ED25519", signEd25519],
    ] as const) {
      const key = importPrivateKey(curve, bytes);
      expect(sign(digest, key)).toEqual(sign(digest, bytes));
      expect(sign(digest, key)).toEqual(sign(digest, bytes));
      expect(openBytes(key.bytes)).toEqual(bytes);
    }
  });

  test("is a copy, and signs nothing on another curve", () => {
    const key = importPrivateKey("CURVE_ED25519", bytes);
    key.bytes.fill(0);
    expect(bytes).not.toEqual(openBytes(key.bytes));
    const other = importPrivateKey("CURVE_P256", bytes);
    expect(() => signEd25519(digest, other)).toThrow(/^wrong curve$/);
    expect(() => signSecp256k1(digest, other)).toThrow(/^wrong curve$/);
    expect(() => signP256(digest, key)).toThrow(/^wrong curve$/);
    expect(() => importPrivateKey("CURVE_P256", new Uint8Array(32))).toThrow(
      /^invalid private key$/,
    );
  });
});
