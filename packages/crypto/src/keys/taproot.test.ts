import { schnorr } from "@noble/curves/secp256k1";
import * as fc from "fast-check";
import * as tiny from "tiny-secp256k1";
import { expect, test } from "vitest";

import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import signing from "../vectors/signing.json" with { type: "json" };
import { generatePrivateKey, publicKeyOf } from "./keys.ts";
import { signTaproot, taprootOutputKey } from "./taproot.ts";

test("a signature of the vectors, and the output key that verifies it", () => {
  const { privateKey, internalPublicKey, outputKey, digest, signature } = signing.taproot;
  expect(encodeHex(taprootOutputKey(decodeHex(internalPublicKey)))).toBe(outputKey);
  expect(encodeHex(signTaproot(decodeHex(digest), decodeHex(privateKey)))).toBe(signature);
});

test("other software verifies signatures of random keys, of either parity", () => {
  const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(digest, (message) => {
      const privateKey = generatePrivateKey("CURVE_SECP256K1");
      const before = encodeHex(privateKey);
      const outputKey = taprootOutputKey(publicKeyOf("CURVE_SECP256K1", privateKey));
      const signature = signTaproot(message, privateKey);
      expect(tiny.verifySchnorr(message, outputKey, signature)).toBe(true);
      expect(schnorr.verify(signature, message, outputKey)).toBe(true);
      // The caller's key is neither tweaked in place nor wiped.
      expect(encodeHex(privateKey)).toBe(before);
    }),
    { numRuns: 30 },
  );
});

test("a private key out of range is refused", () => {
  expect(() => signTaproot(new Uint8Array(32), new Uint8Array(32))).toThrow("invalid private key");
});
