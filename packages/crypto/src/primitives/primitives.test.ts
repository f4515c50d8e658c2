import { generateKeyPairSync, sign } from "node:crypto";
import { createRequire } from "node:module";

import { ed25519 } from "@noble/curves/ed25519";
import { schnorr } from "@noble/curves/secp256k1";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Curve } from "../curves.ts";
import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  encodeHex,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { secretBytes } from "../secret-bytes.ts";
import * as node from "./node.ts";
import { LARGE_BYTES, loadHasher } from "./node-keccak.ts";
import * as portable from "./portable.ts";

// The properties compare the results of the twins. The compiler compares their types in both
// directions.
const twins: [typeof portable, typeof node] = [portable satisfies typeof node, node];

const CURVES: Curve[] = ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"];
const SECP256K1_ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const P256_ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const ZERO = new Uint8Array(32);
const ONES = new Uint8Array(32).fill(255);

const data = () => fc.uint8Array({ maxLength: 300 });
const exactly = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** Scalars, including edge cases that random bytes never hit. */
const scalar = () =>
  fc.oneof(
    { weight: 4, arbitrary: exactly(32) },
    fc.constantFrom(
      ZERO,
      ONES,
      decodeHex(SECP256K1_ORDER),
      decodeHex(P256_ORDER),
      decodeHex(`${SECP256K1_ORDER.slice(0, -1)}0`),
      decodeHex(`${P256_ORDER.slice(0, -1)}0`),
      decodeHex(`${"00".repeat(31)}01`),
    ),
  );

test("the twins have the same exports", () => {
  expect(Object.keys(node).sort()).toEqual(Object.keys(portable).sort());
});

test("the native binding is the one under test", () => {
  const binding = createRequire(import.meta.url)("secp256k1/bindings.js");
  expect(typeof binding.ecdsaSign).toBe("function");
});

describe("hashes", () => {
  test("are equal in both twins", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), data(), (key, message) => {
        same((p) => p.sha256(message));
        same((p) => p.sha512(message));
        same((p) => p.keccak256(message));
        same((p) => p.hmacSha256(key, message));
        same((p) => p.hmacSha512(key, message));
        same((p) => p.sha256Hex(message));
        same((p) => p.hmacSha256Hex(key, message));
        for (const p of twins) {
          expect(p.sha256Hex(message)).toBe(encodeHex(p.sha256(message)));
          expect(p.hmacSha256Hex(key, message)).toBe(encodeHex(p.hmacSha256(key, message)));
        }
      }),
    );
    fc.assert(
      fc.property(data(), data(), fc.integer({ min: 1, max: 3 }), (password, salt, iterations) => {
        same((p) => p.pbkdf2Sha512(password, salt, { iterations, length: 64 }));
      }),
      { numRuns: 20 },
    );
  });

  test("of a text are those of its bytes, and a text without bytes has none", () => {
    const key = node.randomBytes(32);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const p of twins) {
          expect(p.sha256Hex(text)).toBe(encodeHex(p.sha256(encodeUtf8(text))));
          expect(p.hmacSha256Hex(key, text)).toBe(encodeHex(p.hmacSha256(key, encodeUtf8(text))));
        }
      }),
    );
    for (const length of [5460, 5461, 5462, 16_383, 16_384, 16_385, 100_000]) {
      const text = "\u20ac".repeat(length);
      const bytes = encodeUtf8(text);
      for (const p of twins) {
        expect(p.hmacSha256Hex(key, text)).toBe(encodeHex(p.hmacSha256(key, bytes)));
        expect(p.hmacSha256Hex(key, bytes.subarray(0, length))).toBe(
          encodeHex(p.hmacSha256(key, bytes.subarray(0, length))),
        );
      }
    }
    for (const p of twins) {
      expect(() => p.sha256Hex("\ud800")).toThrow("malformed text");
      expect(() => p.hmacSha256Hex(key, "\ud800")).toThrow("malformed text");
    }
  });

  test("are equal for large data, in WebAssembly and while it is loaded", async () => {
    const sizes = [LARGE_BYTES - 1, LARGE_BYTES, LARGE_BYTES + 1, 1024 * 1024];
    const samples = sizes.map((size) => node.randomBytes(size + 8).subarray(8));
    for (const each of samples) same((p) => p.keccak256(each));
    await loadHasher();
    for (const each of samples) same((p) => p.keccak256(each));
    const seconds = (p: typeof portable) => {
      const startedAt = performance.now();
      for (let i = 0; i < 3; i++) p.keccak256(samples[3] ?? ZERO);
      return performance.now() - startedAt;
    };
    // About a twelfth, if WebAssembly is what hashes.
    expect(seconds(node)).toBeLessThan(seconds(portable) / 2);
  });

  test("have their published values", () => {
    const abc = encodeUtf8("abc");
    expect(encodeHex(node.sha256(abc))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(encodeHex(node.keccak256(abc))).toBe(
      "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    );
    // RFC 4231, test case 2.
    expect(
      encodeHex(node.hmacSha256(encodeUtf8("Jefe"), encodeUtf8("what do ya want for nothing?"))),
    ).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  });

  test("are plain arrays that own their memory", () => {
    for (const p of twins) {
      const digest = p.sha256(ZERO);
      expect(Object.getPrototypeOf(digest)).toBe(Uint8Array.prototype);
      expect(p.randomBytes(16)).toHaveLength(16);
      expect(p.randomBytes(16)).not.toEqual(p.randomBytes(16));
    }
  });
});

describe("AES-256-GCM", () => {
  test("has equal ciphertexts, which either twin opens", () => {
    fc.assert(
      fc.property(exactly(32), exactly(12), data(), data(), (key, nonce, aad, plaintext) => {
        const ciphertext = same((p) => p.aes256GcmEncrypt({ key, nonce, aad, plaintext }));
        const opened = same((p) =>
          p.aes256GcmDecrypt({ key, nonce, aad, ciphertext: ciphertext as Uint8Array }),
        );
        expect(opened).toEqual(plaintext);
      }),
    );
  });

  test("a flipped bit of ciphertext or associated data never opens", () => {
    fc.assert(
      fc.property(
        exactly(32),
        exactly(12),
        exactly(8),
        data(),
        fc.nat(),
        (key, nonce, aad, plaintext, bit) => {
          const ciphertext = node.aes256GcmEncrypt({ key, nonce, aad, plaintext });
          for (const p of twins) {
            const wrongText = () =>
              p.aes256GcmDecrypt({ key, nonce, aad, ciphertext: flip(ciphertext, bit) });
            const wrongAad = () =>
              p.aes256GcmDecrypt({ key, nonce, aad: flip(aad, bit), ciphertext });
            expect(wrongText).toThrow(/^decryption failed$/);
            expect(wrongAad).toThrow(/^decryption failed$/);
          }
        },
      ),
    );
  });

  test("keys, nonces and texts of other lengths are refused", () => {
    const aad = ZERO;
    for (const p of twins) {
      const short = { key: ZERO, nonce: new Uint8Array(12), aad, ciphertext: new Uint8Array(15) };
      expect(() => p.aes256GcmDecrypt(short)).toThrow(/^decryption failed$/);
      for (const [key, nonce] of [
        [16, 12],
        [32, 16],
        [32, 0],
      ] as const) {
        const sealing = { key: new Uint8Array(key), nonce: new Uint8Array(nonce), aad };
        expect(() => p.aes256GcmEncrypt({ ...sealing, plaintext: ZERO })).toThrow(
          /^malformed key or nonce$/,
        );
      }
    }
  });
});

describe("keys", () => {
  test.each(CURVES)("of %s are the same, or refused by both", (curve) => {
    fc.assert(
      fc.property(scalar(), (privateKey) => {
        const publicKey = same((p) => p.publicKeyOf(curve, privateKey));
        same((p) => p.isPrivateKey(curve, privateKey));
        if (publicKey === undefined) return;
        same((p) => p.isPublicKey(curve, publicKey as Uint8Array));
        if (curve === "CURVE_ED25519") return;
        const point = same((p) => p.uncompressPublicKey(curve, publicKey as Uint8Array));
        expect(same((p) => p.uncompressPublicKey(curve, point as Uint8Array))).toEqual(point);
      }),
      { numRuns: 40 },
    );
  });

  test.each(CURVES)("of %s: bytes are a public key in both twins or in none", (curve) => {
    const length = curve === "CURVE_ED25519" ? 32 : 33;
    const bytes = fc.oneof(
      fc
        .tuple(fc.constantFrom(0, 2, 3, 4, 6, 7), exactly(32))
        .map(([tag, x]) => concatBytes(Uint8Array.of(tag), x).subarray(33 - length)),
      fc.uint8Array({ minLength: length - 1, maxLength: length + 1 }),
      fc.constantFrom(
        new Uint8Array(length),
        new Uint8Array(length).fill(255),
        new Uint8Array(1),
        concatBytes(Uint8Array.of(2), ONES),
        concatBytes(Uint8Array.of(2), ZERO),
        concatBytes(Uint8Array.of(4), ZERO, ZERO),
      ),
    );
    fc.assert(
      fc.property(bytes, (publicKey) => {
        const isKey = same((p) => p.isPublicKey(curve, publicKey));
        const imported = same((p) => p.importPublicKey(curve, publicKey).bytes);
        expect(imported !== undefined).toBe(isKey);
        if (curve !== "CURVE_ED25519") same((p) => p.uncompressPublicKey(curve, publicKey));
      }),
      { numRuns: 150 },
    );
  });

  test("hybrid points and points off the curve are not keys", () => {
    for (const curve of ["CURVE_P256", "CURVE_SECP256K1"] as const) {
      const point = node.uncompressPublicKey(curve, node.publicKeyOf(curve, privateKeyOf("a")));
      const hybrid = point.slice();
      hybrid[0] = 6 + ((point[64] as number) & 1);
      for (const p of twins) {
        expect(() => p.uncompressPublicKey(curve, hybrid)).toThrow(/^invalid public key$/);
        expect(() => p.uncompressPublicKey(curve, flip(point, 400))).toThrow(
          /^invalid public key$/,
        );
      }
    }
  });

  test.each([
    ["0000000000000000000000000000000000000000000000000000000000000000", "order 4"],
    ["0100000000000000000000000000000000000000000000000000000000000000", "the identity"],
    ["ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "order 2"],
    ["26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "order 8"],
    ["c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "order 8"],
    ["0100000000000000000000000000000000000000000000000000000000000080", "x is -0"],
    ["edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "y is p"],
    ["eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", "y is p + 1"],
    ["0200000000000000000000000000000000000000000000000000000000000000", "off the curve"],
  ])("Ed25519: %s (%s) is not a key", (hex) => {
    for (const p of twins) expect(p.isPublicKey("CURVE_ED25519", decodeHex(hex))).toBe(false);
  });

  test("a child key is the same sum, or refused by both", () => {
    const order = decodeHex(SECP256K1_ORDER);
    fc.assert(
      fc.property(scalar(), scalar(), (privateKey, tweak) => {
        same((p) => p.tweakAddSecp256k1(privateKey, tweak));
      }),
    );
    const minusOne = flip(order, 248);
    const one = flip(ZERO, 248);
    for (const p of twins) {
      expect(() => p.tweakAddSecp256k1(minusOne, one)).toThrow(/^invalid tweak$/);
      expect(() => p.tweakAddSecp256k1(one, order)).toThrow(/^invalid tweak$/);
      expect(p.tweakAddSecp256k1(one, ZERO)).toEqual(one);
    }
  });

  test("a tweaked public key is that of the tweaked private key, or refused by both", () => {
    const publicOf = (key: Uint8Array) => node.publicKeyOf("CURVE_SECP256K1", key);
    fc.assert(
      fc.property(scalar(), scalar(), (privateKey, tweak) => {
        const tweaked = same((p) => p.tweakPublicSecp256k1(publicOf(privateKey), tweak));
        const sum = same((p) => p.tweakAddSecp256k1(privateKey, tweak));
        if (sum) expect(tweaked).toEqual(publicOf(sum as Uint8Array));
      }),
    );
    const order = decodeHex(SECP256K1_ORDER);
    const one = flip(ZERO, 248);
    for (const p of twins) {
      const minusOne = publicOf(flip(order, 248));
      expect(() => p.tweakPublicSecp256k1(minusOne, one)).toThrow(/^invalid tweak$/);
      expect(() => p.tweakPublicSecp256k1(publicOf(one), order)).toThrow(/^invalid tweak$/);
      expect(() => p.tweakPublicSecp256k1(new Uint8Array(33), one)).toThrow(/^invalid tweak$/);
      expect(p.tweakPublicSecp256k1(publicOf(one), ZERO)).toEqual(publicOf(one));
    }
  });

  test("the wrong curve is refused", () => {
    const key = node.importPublicKey(
      "CURVE_SECP256K1",
      node.publicKeyOf("CURVE_SECP256K1", privateKeyOf("a")),
    );
    for (const p of twins) {
      expect(() => p.verifyP256(key, ZERO, new Uint8Array(64))).toThrow(/^wrong curve$/);
      expect(() => p.verifyEd25519(key, ZERO, new Uint8Array(64))).toThrow(/^wrong curve$/);
    }
  });
});

describe("secp256k1", () => {
  test("signatures are equal, low, recoverable, and verify in both twins with high s too", () => {
    fc.assert(
      fc.property(scalar(), scalar(), (privateKey, digest) => {
        const signed = same((p) => p.signSecp256k1(privateKey, digest));
        if (signed === undefined) return;
        const { signature, recovery } = signed as { signature: Uint8Array; recovery: 0 | 1 };
        const publicKey = node.publicKeyOf("CURVE_SECP256K1", privateKey);
        expect(same((p) => p.recoverSecp256k1(digest, signature, recovery))).toEqual(publicKey);
        expect(signature[32]).toBeLessThan(128);
        const high = negateS(signature, SECP256K1_ORDER);
        for (const s of [signature, high]) {
          expect(same((p) => verifiesSecp256k1(p, publicKey, digest, s))).toBe(true);
        }
        const other = (recovery ^ 1) as 0 | 1;
        expect(same((p) => p.recoverSecp256k1(digest, high, other))).toEqual(publicKey);
        expect(
          same((p) => verifiesSecp256k1(p, publicKey, flip(digest, recovery), signature)),
        ).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  // RFC 6979 has no vectors for this curve. Those of other implementations agree on these.
  test.each([
    [
      1n,
      "Satoshi Nakamoto",
      "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
        "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
    ],
    [
      1n,
      "All those moments will be lost in time, like tears in rain. Time to die...",
      "8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b" +
        "547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21",
    ],
    [
      BigInt(`0x${SECP256K1_ORDER}`) - 1n,
      "Satoshi Nakamoto",
      "fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0" +
        "6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5",
    ],
    [
      0xf8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181n,
      "Alan Turing",
      "7063ae83e7f62bbb171798131b4a0564b956930092b33b07b395615d9ec7e15c" +
        "58dfcc1e00a35e1572f366ffe34ba0fc47db1e7189759b9fb233c5b05ab388ea",
    ],
  ])("the deterministic nonce is that of RFC 6979: key %s, %s", (key, message, expected) => {
    const privateKey = decodeHex(key.toString(16).padStart(64, "0"));
    const digest = node.sha256(encodeUtf8(message));
    const signed = same((p) => p.signSecp256k1(privateKey, digest));
    expect(encodeHex((signed as { signature: Uint8Array }).signature)).toBe(expected);
  });

  test("BIP-340 signatures are equal, and the key stays", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(scalar(), exactly(32), (privateKey, digest) => {
        const before = encodeHex(privateKey);
        const signature = same((p) => p.signSchnorr(privateKey, digest));
        expect(encodeHex(privateKey)).toBe(before);
        if (signature === undefined) return;
        const publicKey = node.publicKeyOf("CURVE_SECP256K1", privateKey).slice(1);
        expect(schnorr.verify(signature as Uint8Array, digest, publicKey)).toBe(true);
      }),
      { numRuns: process.env.KEYHEARTH_LONG ? 1000 : 60 },
    );
  });

  // BIP-340, test vector 0, whose auxiliary random bytes are zeros.
  test("a BIP-340 signature of the published vectors", () => {
    const privateKey = decodeHex(`${"00".repeat(31)}03`);
    const signature = same((p) => p.signSchnorr(privateKey, new Uint8Array(32)));
    expect(encodeHex(signature as Uint8Array)).toBe(
      "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215" +
        "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0",
    );
  });

  test("arbitrary r and s have the same verdict and recover the same key", () => {
    const publicKey = node.publicKeyOf("CURVE_SECP256K1", privateKeyOf("a"));
    fc.assert(
      fc.property(
        scalar(),
        scalar(),
        scalar(),
        fc.constantFrom(0 as const, 1 as const),
        (digest, r, s, recovery) => {
          const signature = concatBytes(r, s);
          same((p) => p.recoverSecp256k1(digest, signature, recovery));
          expect(same((p) => verifiesSecp256k1(p, publicKey, digest, signature))).toBe(false);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("P-256", () => {
  test("each twin verifies what the other signs, and refuses what was changed", () => {
    fc.assert(
      fc.property(exactly(32), data(), fc.nat(), (privateKey, message, bit) => {
        fc.pre(node.isPrivateKey("CURVE_P256", privateKey));
        const publicKey = node.publicKeyOf("CURVE_P256", privateKey);
        for (const signer of twins) {
          const signature = signer.signP256(
            signer.importPrivateKey("CURVE_P256", privateKey),
            message,
          );
          const variants: [Uint8Array, boolean][] = [
            [signature, true],
            [negateS(signature, P256_ORDER), true],
            [flip(signature, bit), false],
            [signature.subarray(1), false],
          ];
          for (const [variant, verdict] of variants) {
            const verified = same((p) =>
              p.verifyP256(p.importPublicKey("CURVE_P256", publicKey), message, variant),
            );
            expect(verified).toBe(verdict);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test("two keys share a point, whoever computes it", () => {
    fc.assert(
      fc.property(exactly(32), exactly(32), (a, b) => {
        const publicKeys = [a, b].map((key) => node.publicKeyOf("CURVE_P256", key));
        const [ofA = a, ofB = b] = publicKeys;
        const shared = same((p) => p.ecdhP256(a, ofB));
        expect(same((p) => p.ecdhP256(b, ofA))).toEqual(shared);
        expect((shared as Uint8Array).length).toBe(32);
      }),
      { numRuns: 15 },
    );
    const tooLarge = Uint8Array.of(2, ...new Uint8Array(32).fill(255));
    const wrong = [new Uint8Array(33), tooLarge, new Uint8Array(65).fill(4)];
    for (const publicKey of wrong) {
      for (const p of [node, portable]) {
        const key = new Uint8Array(32).fill(7);
        expect(() => p.ecdhP256(key, publicKey)).toThrow(/^invalid public key$/);
      }
    }
  });

  test("the deterministic nonce is that of RFC 6979", () => {
    // RFC 6979, A.2.5, SHA-256, "sample".
    const privateKey = decodeHex(
      "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
    );
    const signature = same((p) =>
      p.signP256Deterministically(
        p.importPrivateKey("CURVE_P256", privateKey),
        encodeUtf8("sample"),
      ),
    );
    expect(encodeHex(signature as Uint8Array)).toBe(
      "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" +
        "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    );
    // The same nonce, with the low one of the two values of s.
    const digest = node.sha256(encodeUtf8("sample"));
    const low = same((p) => p.signP256Digest(privateKey, digest));
    expect(encodeHex((low as { signature: Uint8Array }).signature)).toBe(
      "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716" +
        "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9",
    );
  });

  test("of any digest they are equal, also of one above the order", () => {
    const digest = fc.oneof(exactly(32), fc.constant(new Uint8Array(32).fill(0xff)));
    fc.assert(
      fc.property(scalar(), digest, (privateKey, given) => {
        same((p) => p.signP256Digest(privateKey, given));
        same((p) =>
          p.signP256Deterministically(p.importPrivateKey("CURVE_P256", privateKey), given),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe("Ed25519", () => {
  test("signatures are equal; a changed one is refused by both twins", () => {
    fc.assert(
      fc.property(exactly(32), data(), fc.nat(), (privateKey, message, bit) => {
        const publicKey = node.publicKeyOf("CURVE_ED25519", privateKey);
        const signature = same((p) =>
          p.signEd25519(p.importPrivateKey("CURVE_ED25519", privateKey), message),
        );
        expect(verdicts(publicKey, message, signature as Uint8Array)).toBe(true);
        expect(verdicts(publicKey, message, flip(signature as Uint8Array, bit))).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test("aside are the same, of the message as it was", async () => {
    await fc.assert(
      fc.asyncProperty(exactly(32), data(), async (privateKey, message) => {
        for (const p of [node, portable]) {
          const key = p.importPrivateKey("CURVE_ED25519", privateKey);
          const given = message.slice();
          const signing = p.signEd25519Aside(key, given);
          given.fill(0);
          expect(await signing).toEqual(p.signEd25519(key, message));
        }
      }),
      { numRuns: 20 },
    );
  });

  test("RFC 8032, 7.1, test 2", () => {
    const privateKey = decodeHex(
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    );
    const message = Uint8Array.of(0x72);
    const signature =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    expect(encodeHex(node.publicKeyOf("CURVE_ED25519", privateKey))).toBe(
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    );
    const key = node.importPrivateKey("CURVE_ED25519", privateKey);
    expect(encodeHex(node.signEd25519(key, message))).toBe(signature);
  });

  test("s at or above the order is refused", () => {
    const privateKey = privateKeyOf("b");
    const publicKey = node.publicKeyOf("CURVE_ED25519", privateKey);
    const signature = node.signEd25519(node.importPrivateKey("CURVE_ED25519", privateKey), ZERO);
    const order = decodeHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    const malleated = signature.slice();
    let carry = 0;
    for (let i = 0; i < 32; i++) {
      const sum = (malleated[32 + i] as number) + (order[i] as number) + carry;
      malleated[32 + i] = sum & 255;
      carry = sum >> 8;
    }
    expect(verdicts(publicKey, ZERO, malleated)).toBe(false);
  });

  // Verifiers disagree about signers who add a point of small order to R or to the public key.
  test("points of mixed order have the same verdict, and none with R of mixed order is accepted", () => {
    const { Point } = ed25519;
    const torsion = Point.fromHex(
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    );
    const a = 11n;
    for (const [keyTorsion, rTorsion] of [
      [1n, 0n],
      [0n, 1n],
      [1n, 1n],
      [4n, 4n],
      [3n, 2n],
    ] as const) {
      const key = times(torsion, keyTorsion).add(Point.BASE.multiply(a)).toBytes();
      for (let nonce = 1n; nonce < 9n; nonce++) {
        const r = times(torsion, rTorsion).add(Point.BASE.multiply(nonce)).toBytes();
        const k = littleEndian(node.sha512(concatBytes(r, key, ZERO))) % Point.Fn.ORDER;
        const s = (nonce + k * a) % Point.Fn.ORDER;
        const verdict = verdicts(key, ZERO, concatBytes(r, Point.Fn.toBytes(s)));
        if (keyTorsion === 0n) expect(verdict).toBe(false);
      }
    }
  });

  function times(point: typeof ed25519.Point.BASE, factor: bigint) {
    return factor === 0n ? ed25519.Point.ZERO : point.multiplyUnsafe(factor);
  }

  function littleEndian(bytes: Uint8Array): bigint {
    return BigInt(`0x${encodeHex(bytes.slice().reverse())}`);
  }

  function verdicts(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): unknown {
    return same((p) =>
      p.verifyEd25519(p.importPublicKey("CURVE_ED25519", publicKey), message, signature),
    );
  }
});

describe("RS256", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  const key = { modulus: decodeBase64Url(n as string), exponent: decodeBase64Url(e as string) };

  test("both twins verify what OpenSSL signs, and refuse what was changed", () => {
    fc.assert(
      fc.property(data(), fc.nat(), (message, bit) => {
        const signature = Uint8Array.from(sign("sha256", message, privateKey));
        expect(same((p) => p.verifyRs256(key, message, signature))).toBe(true);
        for (const wrong of [
          flip(signature, bit),
          signature.subarray(1),
          concatBytes(Uint8Array.of(0), signature),
        ]) {
          expect(same((p) => p.verifyRs256(key, message, wrong))).toBe(false);
        }
        const pss = Uint8Array.from(sign("sha256", message, { key: privateKey, padding: 6 }));
        expect(same((p) => p.verifyRs256(key, message, pss))).toBe(false);
        const otherHash = Uint8Array.from(sign("sha384", message, privateKey));
        expect(same((p) => p.verifyRs256(key, message, otherHash))).toBe(false);
      }),
      { numRuns: 10 },
    );
  });

  test("a signature at or above the modulus is refused", () => {
    expect(same((p) => p.verifyRs256(key, ZERO, new Uint8Array(256).fill(255)))).toBe(false);
    expect(same((p) => p.verifyRs256(key, ZERO, new Uint8Array(256)))).toBe(false);
  });
});

// A Buffer's `slice` shares memory, so a copy that it made would be the key of the caller.
test("a Buffer argument is not changed, and results are never a Buffer", () => {
  const bytes = Buffer.from(privateKeyOf("buffer"));
  const before = encodeHex(bytes);
  for (const p of twins) {
    for (const curve of CURVES) {
      const { bytes: privateKey } = p.importPrivateKey(curve, bytes);
      const publicKey = p.publicKeyOf(curve, bytes);
      const { bytes: imported } = p.importPublicKey(curve, Buffer.from(publicKey));
      const prototype = Object.getPrototypeOf(secretBytes(new Uint8Array()));
      for (const [copy, expected] of [
        [privateKey, prototype],
        [imported, Uint8Array.prototype],
      ] as const) {
        expect(Object.getPrototypeOf(copy)).toBe(expected);
        expect(copy.buffer.byteLength).toBe(copy.length);
        copy.fill(0);
      }
    }
    p.tweakAddSecp256k1(bytes, bytes);
    const { signature } = p.signSecp256k1(bytes, bytes);
    const publicKey = p.publicKeyOf("CURVE_SECP256K1", bytes);
    const high = Buffer.from(negateS(signature, SECP256K1_ORDER));
    expect(verifiesSecp256k1(p, publicKey, bytes, high)).toBe(true);
    expect(verifiesSecp256k1(p, publicKey, bytes, high)).toBe(true);
    const key = p.importPublicKey("CURVE_ED25519", p.publicKeyOf("CURVE_ED25519", bytes));
    const ed25519Signature = Buffer.from(
      p.signEd25519(p.importPrivateKey("CURVE_ED25519", bytes), bytes),
    );
    expect(p.verifyEd25519(key, bytes, ed25519Signature)).toBe(true);
    expect(p.verifyEd25519(key, bytes, ed25519Signature)).toBe(true);
  }
  expect(encodeHex(bytes)).toBe(before);
});

/** The result of both twins, which must be equal. Undefined if both throw the same message. */
function same(run: (p: typeof portable) => unknown): unknown {
  const [first, second] = twins.map((p) => {
    try {
      return { result: run(p) };
    } catch (error) {
      return { message: (error as Error).message };
    }
  });
  expect(second).toEqual(first);
  return first?.result;
}

function verifiesSecp256k1(
  p: typeof portable,
  publicKey: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  return p.verifySecp256k1(p.importPublicKey("CURVE_SECP256K1", publicKey), digest, signature);
}

function privateKeyOf(label: string): Uint8Array {
  return node.sha256(encodeUtf8(label));
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  const index = (bit >> 3) % bytes.length;
  flipped[index] = (flipped[index] as number) ^ (1 << (bit & 7));
  return flipped;
}

function negateS(signature: Uint8Array, order: string): Uint8Array {
  const s = BigInt(`0x${order}`) - BigInt(`0x${encodeHex(signature.subarray(32))}`);
  return concatBytes(signature.subarray(0, 32), decodeHex(s.toString(16).padStart(64, "0")));
}
