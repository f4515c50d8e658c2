import { describe, expect, test } from "vitest";

import { decodeHex } from "../encoding.ts";
import { uncompressedPublicKey } from "../keys.ts";
import vectors from "../vectors/addresses.json" with { type: "json" };
import stamps from "../vectors/stamps.json" with { type: "json" };
import { ethereumAddress } from "./ethereum.ts";
import { solanaAddress } from "./solana.ts";

type Row = { publicKey: string; publicKeyUncompressed?: string; address: string };

const rowsOf = (format: string) =>
  vectors.formats.filter((row) => row.addressFormat === format).flatMap<Row>((row) => row.variants);

describe("Ethereum", () => {
  test.each(rowsOf("ADDRESS_FORMAT_ETHEREUM"))("$address", (row) => {
    expect(ethereumAddress(decodeHex(row.publicKey))).toBe(row.address);
    expect(ethereumAddress(decodeHex(row.publicKeyUncompressed ?? ""))).toBe(row.address);
  });

  test("a wallet's stamp names its address", () => {
    const { stamp, address } = stamps.walletEip191;
    expect(ethereumAddress(decodeHex(stamp.publicKey))).toBe(address);
  });

  test("only a secp256k1 key has an address", () => {
    for (const hex of ["", "00".repeat(33), "00".repeat(65), "02".padEnd(66, "f")]) {
      expect(() => ethereumAddress(decodeHex(hex))).toThrow(/^invalid public key$/);
    }
  });
});

describe("Solana", () => {
  test.each(rowsOf("ADDRESS_FORMAT_SOLANA"))("$address", ({ publicKey, address }) => {
    expect(solanaAddress(decodeHex(publicKey))).toBe(address);
  });

  test.each([stamps.walletSolana, stamps.publishedSolana])("$address", (vector) => {
    const publicKey = "stamp" in vector ? vector.stamp.publicKey : vector.publicKeyHex;
    expect(solanaAddress(decodeHex(publicKey))).toBe(vector.address);
  });

  test("only 32 bytes have an address", () => {
    expect(() => solanaAddress(new Uint8Array(33))).toThrow(/^invalid public key$/);
  });
});

test("the formats COMPRESSED and UNCOMPRESSED are keys in hex", () => {
  const [compressed] = rowsOf("ADDRESS_FORMAT_COMPRESSED");
  const [uncompressed] = rowsOf("ADDRESS_FORMAT_UNCOMPRESSED");
  const point = uncompressedPublicKey("CURVE_SECP256K1", decodeHex(compressed?.address ?? ""));
  expect(point).toEqual(decodeHex(uncompressed?.address ?? ""));
});
