import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../encoding/bytes.ts";
import { rsaSizeOf } from "./certificate.ts";

/** As much as is read of it. */
function certificateOf(publicKey: KeyObject, version = Uint8Array.of(0xa0, 3, 2, 1, 2)) {
  const key = Uint8Array.from(publicKey.export({ format: "der", type: "spki" }));
  const [serial, others] = [Uint8Array.of(2, 1, 1), Uint8Array.of(0x30, 0, 0x30, 0, 0x30, 0)];
  const algorithm = Uint8Array.of(0x30, 0);
  return sequence(sequence(version, serial, algorithm, others, key), algorithm);
}

function sequence(...parts: Uint8Array[]) {
  const value = concatBytes(...parts);
  return concatBytes(Uint8Array.of(0x30, 0x82, value.length >> 8, value.length & 255), value);
}

const rsa = (publicExponent: number, modulusLength = 2048) =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent }).publicKey;

describe("the size of a certificate's key", () => {
  test("of RSA is read", () => {
    expect(rsaSizeOf(certificateOf(rsa(65_537)))).toEqual({ modulusBytes: 256, exponentBytes: 3 });
    const ofVersion1 = certificateOf(rsa(3, 1024), new Uint8Array(0));
    expect(rsaSizeOf(ofVersion1)).toEqual({ modulusBytes: 128, exponentBytes: 1 });
  });

  test("on a curve is nothing", () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    expect(rsaSizeOf(certificateOf(publicKey))).toBeNull();
    expect(rsaSizeOf(certificateOf(generateKeyPairSync("ed25519").publicKey))).toBeNull();
  });

  test("is unknown if the certificate ends early, goes on or has another form", () => {
    const good = certificateOf(rsa(3));
    const malformed = "malformed certificate";
    for (let length = 0; length < good.length; length++) {
      expect(() => rsaSizeOf(good.subarray(0, length))).toThrow(malformed);
    }
    expect(() => rsaSizeOf(Uint8Array.of(...good, 0))).toThrow(malformed);
    for (const size of [0x80, 0x83, 0xff]) {
      const changed = Uint8Array.from(good);
      changed[1] = size;
      expect(() => rsaSizeOf(changed)).toThrow(malformed);
    }
  });
});
