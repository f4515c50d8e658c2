import { Transaction } from "ethers";
import fc from "fast-check";
import { serializeTransaction } from "viem";
import { describe, expect, test } from "vitest";

import { keccak256 } from "#primitives";
import { concatBytes, decodeHex, encodeHex } from "../encoding/bytes.ts";
import { signSecp256k1 } from "../keys/keys.ts";
import vectors from "../vectors/ethereum.json" with { type: "json" };
import { bytesOfLength, hex, transactionSample } from "./ethereum.testing.ts";
import {
  decodeEthereumTransaction,
  type EthereumTransaction,
  encodeSignedTransaction,
  encodeUnsignedTransaction,
  ethereumRecipient,
  ethereumSigningDigest,
  MAX_ETHEREUM_TRANSACTION_LENGTH,
} from "./ethereum.ts";
import { MalformedError } from "./malformed.ts";
import { decodeRlp, encodeInteger, encodeRlp, type RlpItem } from "./rlp.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const timeout = isLong ? 600_000 : 30_000;

const decode = (text: string) => decodeEthereumTransaction(decodeHex(text));

/** Any transaction that the types allow, with larger numbers than libraries accept. */
const scalar = bytesOfLength(32).filter((bytes) => bytes.some((byte) => byte !== 0));
const signature = fc.record({ r: scalar, s: scalar, recovery: fc.constantFrom<0 | 1>(0, 1) });

describe("published transactions", () => {
  test.each(vectors.transactions)("$name", (vector) => {
    const transaction = decode(vector.unsignedTransaction);
    const made = signSecp256k1(ethereumSigningDigest(transaction), decodeHex(vectors.privateKey));
    const signed = encodeSignedTransaction(transaction, made);
    expect(encodeHex(signed)).toBe(vector.signedTransaction);
    expect(encodeHex(keccak256(signed))).toBe(vector.hash);
  });

  test("the example of EIP-155", () => {
    const { eip155 } = vectors;
    const transaction = decode(eip155.unsignedTransaction);
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
    const made = signSecp256k1(digest, decodeHex(eip155.privateKey));
    expect(encodeHex(encodeSignedTransaction(transaction, made))).toBe(eip155.signedTransaction);
  });
});

describe("generated transactions of all types", () => {
  test("are read as viem wrote them, and signed as viem signs them", { timeout }, () => {
    const types = new Set<string>();
    fc.assert(
      fc.property(transactionSample, signature, ({ given, expected }, { r, s, recovery }) => {
        const serialized = serializeTransaction(given);
        const transaction = decode(serialized.slice(2));
        expect(transaction).toEqual(expected);
        expect(ethereumRecipient(decodeHex(serialized.slice(2)))).toEqual(expected.to);
        const signed = serializeTransaction(given, {
          r: hex(r),
          s: hex(s),
          yParity: recovery,
          v: 27n + BigInt(recovery),
        });
        expect(hex(encodeSignedTransaction(transaction, { r, s, recovery }))).toBe(signed);
        expect(() => decode(signed.slice(2))).toThrow(
          new MalformedError("transaction is already signed: send it without its signature"),
        );
        types.add(transaction.type);
      }),
      { numRuns },
    );
    expect(types.size).toBe(5);
  });

  test("have the digest that ethers signs", { timeout }, () => {
    fc.assert(
      fc.property(transactionSample, ({ given }) => {
        const serialized = serializeTransaction(given);
        const digest = ethereumSigningDigest(decode(serialized.slice(2)));
        expect(hex(digest)).toBe(Transaction.from(serialized).unsignedHash);
      }),
      { numRuns },
    );
  });

  test("with one byte changed are refused, or are another transaction", { timeout }, () => {
    const outcomes = { read: 0, refused: 0 };
    const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(transactionSample, change, ({ given, expected }, { at, by }) => {
        const bytes = decodeHex(serializeTransaction(given).slice(2));
        const index = at % bytes.length;
        bytes[index] = (bytes[index] as number) ^ by;
        let transaction: EthereumTransaction;
        try {
          transaction = decodeEthereumTransaction(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedError);
          outcomes.refused++;
          return;
        }
        outcomes.read++;
        expect(ethereumRecipient(bytes)).toEqual(transaction.to);
        expect(transaction).not.toEqual(expected);
        expect(ethereumSigningDigest(transaction)).toEqual(keccak256(bytes));
      }),
      { numRuns: 5 * numRuns },
    );
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(numRuns / 10);
  });

  test("that are cut off or continued are refused", () => {
    fc.assert(
      fc.property(transactionSample, fc.nat(), fc.nat({ max: 255 }), ({ given }, at, byte) => {
        const bytes = decodeHex(serializeTransaction(given).slice(2));
        const cut = bytes.subarray(0, at % bytes.length);
        expect(() => decodeEthereumTransaction(cut)).toThrow(MalformedError);
        expect(() => ethereumRecipient(cut)).toThrow(MalformedError);
        const continued = concatBytes(bytes, Uint8Array.of(byte));
        expect(() => decodeEthereumTransaction(continued)).toThrow(MalformedError);
      }),
      { numRuns },
    );
  });

  test("do not change with the bytes that they were read from", () => {
    const bytes = decodeHex(vectors.eip155.unsignedTransaction);
    const transaction = decodeEthereumTransaction(bytes);
    const before = ethereumSigningDigest(transaction);
    bytes.fill(0);
    expect(ethereumSigningDigest(transaction)).toEqual(before);
  });
});

// Transactions with one field replaced.

const EMPTY = new Uint8Array(0);
const int = (value: bigint | number) => encodeInteger(BigInt(value));
const to = new Uint8Array(20).fill(0xde);
const legacy = {
  nonce: int(1),
  gasPrice: int(2),
  gas: int(21_000),
  to,
  value: int(3),
  data: EMPTY,
};
const eip155 = { ...legacy, chainId: int(1), r: EMPTY, s: EMPTY };
const type1 = { chainId: int(1), ...legacy, accessList: [] };
const type2 = {
  chainId: int(1),
  nonce: int(1),
  maxPriorityFeePerGas: int(1),
  maxFeePerGas: int(2),
  gas: int(21_000),
  to,
  value: int(3),
  data: EMPTY,
  accessList: [],
};
const blobHash = concatBytes(Uint8Array.of(1), new Uint8Array(31).fill(7));
const type3 = { ...type2, maxFeePerBlobGas: int(5), blobVersionedHashes: [blobHash] };
const authorization = [int(1), to, int(0), int(1), int(5), int(6)];
const type4 = { ...type2, authorizationList: [authorization] };

const bases = { legacy, eip155, type1, type2, type3, type4 };
const numbers = { legacy: [], eip155: [], type1: [1], type2: [2], type3: [3], type4: [4] };

type Base = keyof typeof bases;

function bytesWith(base: Base, changed: Record<string, RlpItem>): Uint8Array {
  const fields: Record<string, RlpItem> = { ...bases[base], ...changed };
  return concatBytes(Uint8Array.from(numbers[base]), encodeRlp(Object.values(fields)));
}

function withAuthorization(index: number, item: RlpItem): Record<string, RlpItem> {
  const list: RlpItem[] = [...authorization];
  list[index] = item;
  return { authorizationList: [authorization, list] };
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const MAX_256 = 2n ** 256n - 1n;

describe("the edges of what is accepted", () => {
  test.each<[Base, Record<string, RlpItem>]>([
    ["legacy", { to: EMPTY }],
    ["legacy", { nonce: int(2n ** 64n - 2n), gas: int(2n ** 64n - 1n), value: int(MAX_256) }],
    ["legacy", { nonce: EMPTY, gasPrice: EMPTY, gas: EMPTY, value: EMPTY }],
    ["eip155", { to: EMPTY, data: Uint8Array.of(0) }],
    ["eip155", { chainId: int((MAX_256 - 36n) / 2n) }],
    ["type1", { to: EMPTY, chainId: int(MAX_256) }],
    ["type2", { to: EMPTY, maxPriorityFeePerGas: int(MAX_256), maxFeePerGas: int(MAX_256) }],
    ["type2", { accessList: [[to, []]] }],
    ["type2", { data: new Uint8Array(MAX_ETHEREUM_TRANSACTION_LENGTH - 100) }],
    ["type3", { maxFeePerBlobGas: EMPTY }],
    ["type4", withAuthorization(0, EMPTY)],
    ["type4", withAuthorization(4, int(ORDER - 1n))],
    ["type4", withAuthorization(5, int(ORDER / 2n))],
  ])("%s %#", (base, changed) => {
    const bytes = bytesWith(base, changed);
    const transaction = decodeEthereumTransaction(bytes);
    expect(encodeUnsignedTransaction(transaction)).toEqual(bytes);
    expect(ethereumSigningDigest(transaction)).toEqual(keccak256(bytes));
  });

  test("v of the largest chain id of EIP-155 has 256 bits", () => {
    const bytes = bytesWith("eip155", { chainId: int((MAX_256 - 36n) / 2n) });
    const r = new Uint8Array(32).fill(1);
    const signed = encodeSignedTransaction(decodeEthereumTransaction(bytes), {
      r,
      s: r,
      recovery: 1,
    });
    const fields = decodeRlp(signed, { subject: "transaction" }) as Uint8Array[]; // no lists inside
    expect(fields[6]).toEqual(int(MAX_256 - 1n));
  });

  test("r and s that are not 32 bytes long are not a signature", () => {
    const transaction = decode(vectors.eip155.unsignedTransaction);
    const r = new Uint8Array(32).fill(1);
    for (const bad of [new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
      for (const made of [
        { r: bad, s: r },
        { r, s: bad },
      ]) {
        expect(() => encodeSignedTransaction(transaction, { ...made, recovery: 0 })).toThrow(
          /^malformed signature$/,
        );
      }
    }
  });
});

describe("refused, with the place and the reason", () => {
  const zeros = (length: number) => new Uint8Array(length);
  const rows: [base: Base, changed: Record<string, RlpItem>, reason: string][] = [
    ["legacy", { nonce: Uint8Array.of(0) }, "field 0 (nonce): leading zero"],
    ["legacy", { gas: Uint8Array.of(0, 1) }, "field 2 (gas): leading zero"],
    ["legacy", { gas: int(2n ** 64n) }, "field 2 (gas): 9 bytes are more than 64 bits"],
    [
      "legacy",
      { gasPrice: int(2n ** 256n) },
      "field 1 (gasPrice): 33 bytes are more than 256 bits",
    ],
    ["legacy", { nonce: int(2n ** 64n - 1n) }, "field 0 (nonce): must be below 2^64 - 1"],
    ["legacy", { nonce: int(2n ** 64n) }, "field 0 (nonce): 9 bytes are more than 64 bits"],
    ["legacy", { to: zeros(19) }, "field 3 (to): expected 20 bytes, got 19"],
    ["legacy", { to: zeros(21) }, "field 3 (to): expected 20 bytes, got 21"],
    ["legacy", { to: zeros(32) }, "field 3 (to): expected 20 bytes, got 32"],
    ["legacy", { to: [] }, "field 3 (to): expected bytes, got a list"],
    ["legacy", { data: [] }, "field 5 (data): expected bytes, got a list"],
    ["legacy", { value: [int(1)] }, "field 4 (value): expected bytes, got a list"],
    ["legacy", { more: EMPTY }, "LEGACY has 7 fields, expected 6, or 9 with a chain id"],
    [
      "eip155",
      { chainId: EMPTY },
      "field 6 (chainId): must not be 0: leave out the last three fields instead",
    ],
    ["eip155", { chainId: int((MAX_256 - 34n) / 2n) }, "field 6 (chainId): too large for EIP-155"],
    ["eip155", { r: int(1) }, "is already signed: send it without its signature"],
    ["eip155", { s: int(1) }, "is already signed: send it without its signature"],
    ["eip155", { r: Uint8Array.of(0) }, "is already signed: send it without its signature"],
    ["type1", { chainId: Uint8Array.of(0) }, "field 0 (chainId): leading zero"],
    ["type1", { accessList: EMPTY }, "field 7 (accessList): expected a list, got 0 bytes"],
    ["type2", { accessList: [to] }, "field 8 (accessList), entry 0: expected a list"],
    [
      "type2",
      { accessList: [[to, [], EMPTY]] },
      "field 8 (accessList), entry 0 has 3 fields, expected 2",
    ],
    ["type2", { accessList: [[to]] }, "field 8 (accessList), entry 0 has 1 fields, expected 2"],
    [
      "type2",
      {
        accessList: [
          [to, []],
          [zeros(19), []],
        ],
      },
      "field 8 (accessList), entry 1 field 0 (address): expected 20 bytes, got 19",
    ],
    [
      "type2",
      { accessList: [[to, EMPTY]] },
      "field 8 (accessList), entry 0 field 1 (storageKeys): expected a list, got 0 bytes",
    ],
    [
      "type2",
      { accessList: [[to, [zeros(32), zeros(31)]]] },
      "field 8 (accessList), entry 0 field 1 (storageKeys), key 1: expected 32 bytes, got 31",
    ],
    [
      "type2",
      { accessList: [[to, [[]]]] },
      "field 8 (accessList), entry 0 field 1 (storageKeys), key 0: expected 32 bytes, got a list",
    ],
    [
      "type2",
      { maxPriorityFeePerGas: int(3) },
      "field 2 (maxPriorityFeePerGas): exceeds maxFeePerGas",
    ],
    ["type2", { more: EMPTY }, "TYPE_2 has 10 fields, expected 9"],
    [
      "type2",
      { v: EMPTY, r: int(1), s: int(1) },
      "is already signed: send it without its signature",
    ],
    ["type3", { to: EMPTY }, "field 5 (to): is empty, and this type cannot create a contract"],
    ["type3", { blobVersionedHashes: [] }, "field 10 (blobVersionedHashes): must not be empty"],
    [
      "type3",
      { blobVersionedHashes: [zeros(32)] },
      "field 10 (blobVersionedHashes), hash 0: version byte must be 0x01",
    ],
    [
      "type3",
      { blobVersionedHashes: [blobHash, zeros(33)] },
      "field 10 (blobVersionedHashes), hash 1: expected 32 bytes, got 33",
    ],
    ["type4", { to: EMPTY }, "field 5 (to): is empty, and this type cannot create a contract"],
    ["type4", { authorizationList: [] }, "field 9 (authorizationList): must not be empty"],
    [
      "type4",
      { authorizationList: [authorization.slice(0, 3)] },
      "field 9 (authorizationList), entry 0 has 3 fields, expected 6",
    ],
    [
      "type4",
      withAuthorization(0, int(2n ** 256n)),
      "field 9 (authorizationList), entry 1 field 0 (chainId): 33 bytes are more than 256 bits",
    ],
    [
      "type4",
      withAuthorization(1, EMPTY),
      "field 9 (authorizationList), entry 1 field 1 (address): expected 20 bytes, got 0",
    ],
    [
      "type4",
      withAuthorization(2, int(2n ** 64n - 1n)),
      "field 9 (authorizationList), entry 1 field 2 (nonce): must be below 2^64 - 1",
    ],
    [
      "type4",
      withAuthorization(3, int(2)),
      "field 9 (authorizationList), entry 1 field 3 (yParity): must be 0 or 1",
    ],
    [
      "type4",
      withAuthorization(4, EMPTY),
      "field 9 (authorizationList), entry 1 field 4 (r): is not part of a valid signature",
    ],
    [
      "type4",
      withAuthorization(4, int(ORDER)),
      "field 9 (authorizationList), entry 1 field 4 (r): is not part of a valid signature",
    ],
    [
      "type4",
      withAuthorization(5, int(ORDER / 2n + 1n)),
      "field 9 (authorizationList), entry 1 field 5 (s): is not part of a valid signature",
    ],
  ];
  test.each(rows.map(([base, changed, reason]) => ({ base, changed, reason })))(
    "$base $reason",
    ({ base, changed, reason }) => {
      expect(() => decodeEthereumTransaction(bytesWith(base, changed))).toThrow(
        new MalformedError(`transaction ${reason}`),
      );
    },
  );

  test.each([
    ["", "is empty"],
    [
      "00",
      "starts with byte 0x00: expected a type from 0x01 to 0x04, or a list (0xc0 or more) for a legacy transaction",
    ],
    [
      "05c0",
      "starts with byte 0x05: expected a type from 0x01 to 0x04, or a list (0xc0 or more) for a legacy transaction",
    ],
    [
      "80",
      "starts with byte 0x80: expected a type from 0x01 to 0x04, or a list (0xc0 or more) for a legacy transaction",
    ],
    ["0280", "is not a list of fields"],
    ["02", ", byte 1: ends where an item should start"],
    ["02c000", ", byte 2: 1 bytes too many"],
    ["c0", "LEGACY has 0 fields, expected 6, or 9 with a chain id"],
    ["02c0", "TYPE_2 has 0 fields, expected 9"],
    [
      "03c4c0c0c0c0",
      "TYPE_3 comes with blobs, commitments and proofs, which are not signed: send only the list of its fields",
    ],
  ])("`%s`", (text, reason) => {
    expect(() => decode(text)).toThrow(
      new MalformedError(`transaction${reason.startsWith(",") ? "" : " "}${reason}`),
    );
  });

  test("a field of several encodings", () => {
    // A list of six fields whose first is 1 with a prefix.
    expect(() => decode("c78101808080808080")).toThrow(MalformedError);
    const bytes = bytesWith("legacy", { data: Uint8Array.of(5) });
    const longer = concatBytes(
      Uint8Array.of((bytes[0] as number) + 1),
      bytes.subarray(1, -1),
      Uint8Array.of(0x81, 5),
    );
    expect(() => decodeEthereumTransaction(longer)).toThrow(
      "a single byte below 0x80 must not have a prefix",
    );
  });

  test("a transaction that no node relays", () => {
    const bytes = new Uint8Array(MAX_ETHEREUM_TRANSACTION_LENGTH + 1);
    expect(() => decodeEthereumTransaction(bytes)).toThrow(
      new MalformedError("transaction has 131073 bytes; at most 131072 are allowed"),
    );
  });
});
