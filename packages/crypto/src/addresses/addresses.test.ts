import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import { derivePrivateKey } from "../keys/derive.ts";
import { publicKeyOf } from "../keys/keys.ts";
import vectors from "../vectors/addresses.json" with { type: "json" };
import stamps from "../vectors/stamps.json" with { type: "json" };
import { ethereumAddress } from "./ethereum.ts";
import { type AddressEncoding, type AddressFormatName, addressEncodings } from "./formats.ts";
import { solanaAddress } from "./solana.ts";

type Row = { path: string; publicKey: string; publicKeyUncompressed?: string; address: string };

// The names of the vectors are those of the table; the first test compares the two lists.
const formats = vectors.formats as {
  addressFormat: AddressFormatName;
  curve: "CURVE_SECP256K1" | "CURVE_ED25519";
  variants: Row[];
}[];

const names = Object.keys(addressEncodings);

test("every format has vectors, apart from the newest", () => {
  const tested = formats.map(({ addressFormat }) => addressFormat);
  expect(names.filter((name) => !tested.some((format) => format === name))).toEqual([
    "ADDRESS_FORMAT_TON_V5R1",
  ]);
  expect(tested.filter((format) => !names.includes(format))).toEqual([]);
});

describe.each(formats)("$addressFormat", ({ addressFormat, curve, variants }) => {
  const { encode }: AddressEncoding = addressEncodings[addressFormat];

  test.each(variants)("$path", ({ path, publicKey, publicKeyUncompressed, address }) => {
    const privateKey = derivePrivateKey({ seed: decodeHex(vectors.seedHex), curve, path });
    expect(encodeHex(publicKeyOf(curve, privateKey))).toBe(publicKey);
    expect(encode(decodeHex(publicKey), curve)).toBe(address);
    if (publicKeyUncompressed === undefined) return;
    expect(encode(decodeHex(publicKeyUncompressed), curve)).toBe(address);
  });
});

test.each(vectors.publishedPairs)(
  "published: $address",
  ({ addressFormat, publicKey, address }) => {
    // Both pairs are of formats in the table.
    const { encode }: AddressEncoding = addressEncodings[addressFormat as AddressFormatName];
    expect(encode(decodeHex(publicKey), "CURVE_SECP256K1")).toBe(address);
  },
);

test("a format refuses every key that is not of its curve", () => {
  const lengths = { CURVE_SECP256K1: [33, 65], CURVE_P256: [33, 65], CURVE_ED25519: [32] };
  for (const name of names) {
    // A key of the object that it was read from.
    const { curves, encode }: AddressEncoding = addressEncodings[name as AddressFormatName];
    for (const curve of curves) {
      const wrong = fc.oneof(
        fc.uint8Array({ maxLength: 80 }).filter(({ length }) => !lengths[curve].includes(length)),
        fc.constant(new Uint8Array(33).fill(0xff)),
        fc.constant(new Uint8Array(65)),
      );
      fc.assert(
        fc.property(wrong, (bytes) => {
          expect(() => encode(bytes, curve)).toThrow(/^invalid public key$/);
        }),
        { numRuns: 20 },
      );
    }
  }
});

test("a wallet's stamp names its Ethereum address", () => {
  const { stamp, address } = stamps.walletEip191;
  expect(ethereumAddress(decodeHex(stamp.publicKey))).toBe(address);
});

test.each([stamps.walletSolana, stamps.publishedSolana])("Solana: $address", (vector) => {
  const publicKey = "stamp" in vector ? vector.stamp.publicKey : vector.publicKeyHex;
  expect(solanaAddress(decodeHex(publicKey))).toBe(vector.address);
});
