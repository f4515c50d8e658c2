import { describe, expect, test } from "vitest";

import { keccak256 } from "#primitives";
import { decodeHex, encodeHex } from "../encoding.ts";
import { signSecp256k1 } from "../keys.ts";
import vectors from "../vectors/ethereum.json" with { type: "json" };
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "./ethereum.ts";

describe("published transactions", () => {
  test.each(vectors.transactions)("$name", (vector) => {
    const transaction = decodeEthereumTransaction(decodeHex(vector.unsignedTransaction));
    const signature = signSecp256k1(
      ethereumSigningDigest(transaction),
      decodeHex(vectors.privateKey),
    );
    const signed = encodeSignedTransaction(transaction, signature);
    expect(encodeHex(signed)).toBe(vector.signedTransaction);
    expect(encodeHex(keccak256(signed))).toBe(vector.hash);
  });

  test("the example of EIP-155", () => {
    const { eip155 } = vectors;
    const transaction = decodeEthereumTransaction(decodeHex(eip155.unsignedTransaction));
    expect(transaction).toEqual({
      type: "LEGACY",
      chainId: 1n,
      nonce: 9n,
      gasPrice: 20_000_000_000n,
      gas: 21_000n,
      to: new Uint8Array(20).fill(0x35),
      value: 10n ** 18n,
      data: new Uint8Array(0),
    });
    const digest = ethereumSigningDigest(transaction);
    expect(encodeHex(digest)).toBe(eip155.digest);
    const signature = signSecp256k1(digest, decodeHex(eip155.privateKey));
    expect(encodeHex(encodeSignedTransaction(transaction, signature))).toBe(
      eip155.signedTransaction,
    );
  });
});
