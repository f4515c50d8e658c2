import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeBase58 } from "../encoding/base58.ts";
import { concatBytes, decodeHex, encodeHex } from "../encoding/bytes.ts";
import { signEd25519 } from "../keys/keys.ts";
import vectors from "../vectors/solana.json" with { type: "json" };
import { MalformedError } from "./malformed.ts";
import { compact, encodeMessage, keypairs, transactionSample } from "./solana.testing.ts";
import {
  decodeSolanaTransaction,
  encodeSignedSolanaTransaction,
  MAX_SOLANA_TRANSACTION_BYTES,
  type SolanaTransaction,
  solanaMessage,
} from "./solana.ts";
import { fuzz } from "./solana-fuzz.testing.ts";
import { describeSolanaTransaction } from "./solana-programs.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 10_000 : 200;
const fuzzMs = isLong ? 180_000 : 2_000;
const timeout = isLong ? 1_200_000 : 60_000;

describe("published transactions", () => {
  const privateKey = decodeHex(vectors.privateKey);
  const publicKey = decodeBase58(vectors.address);

  test.each(vectors.transactions)("$name", ({ unsignedTransaction, messageHex, ...vector }) => {
    const transaction = decodeSolanaTransaction(decodeHex(unsignedTransaction));
    expect(encodeHex(solanaMessage(transaction))).toBe(messageHex);
    const signature = signEd25519(solanaMessage(transaction), privateKey);
    const signed = encodeSignedSolanaTransaction(transaction, publicKey, signature);
    expect(encodeHex(signed)).toBe(vector.signedTransaction);
  });

  test.each(vectors.transactions)("$name, from its message alone", (vector) => {
    const transaction = decodeSolanaTransaction(decodeHex(vector.messageHex));
    expect(transaction).toEqual(decodeSolanaTransaction(decodeHex(vector.unsignedTransaction)));
  });

  test("solana-legacy, field by field", () => {
    const [vector] = vectors.transactions;
    const { message, ...fields } = decodeSolanaTransaction(
      decodeHex(vector?.unsignedTransaction ?? ""),
    );
    expect(fields).toEqual({
      version: "legacy",
      signatures: [new Uint8Array(64)],
      requiredSignatures: 1,
      readonlySigned: 0,
      readonlyUnsigned: 1,
      accountKeys: [publicKey, new Uint8Array(32).fill(7), new Uint8Array(32)],
      recentBlockhash: new Uint8Array(32).fill(9),
      instructions: [
        {
          programIndex: 2,
          accountIndexes: Uint8Array.of(0, 1),
          data: decodeHex("020000003930000000000000"),
        },
      ],
      addressTableLookups: [],
    });
  });
});

test("transactions by web3.js are read correctly and signed in the same way", {
  timeout,
}, () => {
  fc.assert(
    fc.property(transactionSample, ({ transaction, view }) => {
      const wire = transaction.serialize();
      const decoded = decodeSolanaTransaction(wire);
      expect(decodeSolanaTransaction(transaction.message.serialize())).toEqual(decoded);
      expect(encodeHex(solanaMessage(decoded))).toBe(encodeHex(transaction.message.serialize()));
      expect(encodeHex(encodeMessage(decoded))).toBe(encodeHex(solanaMessage(decoded)));
      expect(describeSolanaTransaction(decoded)).toEqual(view);

      const signers = transaction.message.staticAccountKeys
        .slice(0, decoded.requiredSignatures)
        .map((key) => keypairs.find(({ publicKey }) => publicKey.equals(key)));
      let signed = wire;
      // The last signer signs first, so that there are other slots on both sides of a filled one.
      for (const signer of signers.toReversed()) {
        if (signer === undefined) throw new Error("a key without a keypair");
        const signature = signEd25519(solanaMessage(decoded), signer.secretKey.slice(0, 32));
        signed = encodeSignedSolanaTransaction(
          decodeSolanaTransaction(signed),
          signer.publicKey.toBytes(),
          signature,
        );
        transaction.sign([signer]);
        expect(encodeHex(signed)).toBe(encodeHex(transaction.serialize()));
      }
    }),
    { numRuns },
  );
});

describe("signing", () => {
  const transaction = decodeSolanaTransaction(whole(sample()));

  test("an account that is not a required signer is refused, and the message names the signers", () => {
    for (const key of [accountKey(1), accountKey(99)]) {
      expect(() => encodeSignedSolanaTransaction(transaction, key, new Uint8Array(64))).toThrow(
        new MalformedError(
          "the transaction requires signatures of 4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi, not of the account that signs",
        ),
      );
    }
  });

  test("a signature has 64 bytes", () => {
    expect(() =>
      encodeSignedSolanaTransaction(transaction, accountKey(0), new Uint8Array(63)),
    ).toThrow("signature must be 64 bytes");
  });

  test("a decoded transaction does not change with the bytes that it came from", () => {
    const bytes = Buffer.from(whole(sample()));
    const decoded = decodeSolanaTransaction(bytes);
    const message = encodeHex(solanaMessage(decoded));
    bytes.fill(0xff);
    solanaMessage(decoded).fill(0xff);
    expect(encodeHex(solanaMessage(decoded))).toBe(message);
  });
});

type Fields = Omit<SolanaTransaction, "signatures" | "message">;

/** The smallest transaction of interest: the payer, an account and a program. */
function sample(changes: Partial<Fields> = {}): Fields {
  return {
    version: "legacy",
    requiredSignatures: 1,
    readonlySigned: 0,
    readonlyUnsigned: 1,
    accountKeys: [accountKey(0), accountKey(1), accountKey(2)],
    recentBlockhash: new Uint8Array(32).fill(9),
    instructions: [instruction({})],
    addressTableLookups: [],
    ...changes,
  };
}

function instruction({ program = 2, accounts = [0, 1], data = [1, 2, 3] }) {
  return {
    programIndex: program,
    accountIndexes: Uint8Array.from(accounts),
    data: Uint8Array.from(data),
  };
}

function lookup(writable: number[], readonly: number[]) {
  return {
    tableKey: new Uint8Array(32).fill(100),
    writableIndexes: Uint8Array.from(writable),
    readonlyIndexes: Uint8Array.from(readonly),
  };
}

function accountKey(i: number): Uint8Array {
  return new Uint8Array(32).fill(i + 1);
}

function bare(fields: Fields): Uint8Array {
  return encodeMessage({ ...fields, signatures: [], message: new Uint8Array() });
}

function whole(fields: Fields, slots = fields.requiredSignatures): Uint8Array {
  return concatBytes(compact(slots), new Uint8Array(64 * slots), bare(fields));
}

/** A transaction whose number of accounts is written in these bytes. */
function withLengthOfAccounts(...length: number[]): Uint8Array {
  const bytes = whole(sample());
  return concatBytes(bytes.slice(0, 68), Uint8Array.from(length), bytes.slice(69));
}

describe("a transaction is refused", () => {
  const v0 = (changes: Partial<Fields>) => sample({ version: 0, ...changes });

  test.each<[string, Uint8Array, string]>([
    ["without bytes", new Uint8Array(), "the transaction has no bytes"],
    [
      "without a required signature",
      whole(sample({ requiredSignatures: 0 })),
      "no signature is required: at least 1 must be",
    ],
    [
      "whose payer is read-only",
      whole(sample({ readonlySigned: 1 })),
      "1 read-only signer of 1: the first must be writable",
    ],
    [
      "with more read-only accounts than accounts",
      whole(sample({ readonlyUnsigned: 3 })),
      "the header counts 1 signer and 3 other read-only accounts, but there are only 3 accounts",
    ],
    [
      "with fewer slots than signers",
      whole(sample({ requiredSignatures: 2 }), 1),
      "1 signature slot, but the message requires 2 signatures: give every signer a slot, with zeros if it has not signed",
    ],
    [
      "with more slots than signers",
      whole(sample(), 2),
      "2 signature slots, but the message requires 1 signature: give every signer a slot, with zeros if it has not signed",
    ],
    [
      "that names an account twice",
      whole(sample({ accountKeys: [accountKey(0), accountKey(1), accountKey(1)] })),
      "accounts 1 and 2 are both 8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR",
    ],
    [
      "whose payer is a program",
      whole(sample({ instructions: [instruction({ program: 0 })] })),
      "instruction 0: its program is account 0, which pays the fee",
    ],
    [
      "with a program out of range",
      whole(sample({ instructions: [instruction({}), instruction({ program: 3 })] })),
      "instruction 1: its program is account 3 of 3, counted from 0",
    ],
    [
      "with an account out of range",
      whole(sample({ instructions: [instruction({ accounts: [0, 3] })] })),
      "instruction 0: it names account 3 of 3, counted from 0",
    ],
    [
      "with an account beyond those looked up",
      whole(
        v0({
          instructions: [instruction({ accounts: [3, 4, 5] })],
          addressTableLookups: [lookup([7], [8])],
        }),
      ),
      "instruction 0: it names account 5 of 5, counted from 0",
    ],
    [
      "whose program comes from a lookup table",
      whole(
        v0({
          instructions: [instruction({ program: 3 })],
          addressTableLookups: [lookup([], [8])],
        }),
      ),
      "instruction 0: its program comes from an address lookup table: name it among the static accounts",
    ],
    [
      "with an empty lookup",
      whole(v0({ addressTableLookups: [lookup([1], []), lookup([], [])] })),
      "address table lookup 1 has no index: leave it out",
    ],
    [
      "with more accounts than an index can name",
      whole(
        v0({
          addressTableLookups: [
            lookup(
              Array.from({ length: 254 }, (_, i) => i),
              [],
            ),
          ],
        }),
      ),
      "257 accounts: at most 256 can be named",
    ],
    [
      "of version 1",
      concatBytes(compact(1), new Uint8Array(64), Uint8Array.of(0x81), bare(sample())),
      "message version 1: expected legacy or version 0",
    ],
    [
      "of version 127, as other signed texts of Solana begin",
      Uint8Array.of(0xff, 0x73, 0x6f, 0x6c),
      "message version 127: expected legacy or version 0",
    ],
    [
      "with bytes left over",
      concatBytes(whole(sample()), new Uint8Array(2)),
      "2 bytes after the end of the message",
    ],
    [
      "that ends early",
      whole(sample()).slice(0, -1),
      "the data array of instruction 0 takes 3 bytes, but the data has only 2 more",
    ],
    [
      "with a length in needless bytes",
      withLengthOfAccounts(0x83, 0x00),
      "the number of accounts is written with needless bytes",
    ],
    [
      "with a length beyond 16 bits",
      withLengthOfAccounts(0xff, 0xff, 0x04),
      "the number of accounts is more than 65535",
    ],
    [
      "that does not fit a packet",
      whole(sample({ instructions: [instruction({ data: Array(1029).fill(0) })] })),
      `1233 bytes with all signatures: the network accepts at most ${MAX_SOLANA_TRANSACTION_BYTES}`,
    ],
    [
      "that fits a packet without its signatures only",
      bare(v0({ instructions: [instruction({ data: Array(1027).fill(0) })] })),
      `1233 bytes with all signatures: the network accepts at most ${MAX_SOLANA_TRANSACTION_BYTES}`,
    ],
  ])("%s", (_, bytes, message) => {
    expect(() => decodeSolanaTransaction(bytes)).toThrow(new MalformedError(message));
  });

  test("if it reads as neither, with both reasons", () => {
    const bytes = bare(sample({ instructions: [instruction({ program: 0 })] }));
    expect(() => decodeSolanaTransaction(bytes)).toThrow(
      /^as a transaction: .*; as a message alone: instruction 0: its program is account 0/,
    );
  });

  test("if it reads as a transaction and as a message alone", () => {
    const both = new Uint8Array(169).fill(3);
    // As a message alone: a signer, three accounts, one instruction with 33 bytes of data.
    both.set([1, 0, 0, 3], 0);
    both.set([1, 2, 0, 33], 132);
    // As a transaction: the signature ends in the second account, and a message of two accounts and
    // one instruction without data follows to the end.
    both.set([1, 0, 0, 2], 65);
    both.set([1, 1, 0, 0], 165);
    expect(() => decodeSolanaTransaction(both)).toThrow(
      new MalformedError(
        "the bytes read as a transaction and as a message alone: leave the signature slots empty",
      ),
    );
  });
});

test("the longest transaction is accepted", () => {
  const data = Array(1028).fill(0);
  const bytes = whole(sample({ instructions: [instruction({ data })] }));
  expect(bytes.length).toBe(MAX_SOLANA_TRANSACTION_BYTES);
  expect(decodeSolanaTransaction(bytes).instructions[0]?.data.length).toBe(1028);
});

test("lengths of one, two and three bytes are read", () => {
  for (const length of [0, 127, 128, 300]) {
    const data = Array(length).fill(5);
    const { instructions } = decodeSolanaTransaction(
      whole(sample({ instructions: [instruction({ data })] })),
    );
    expect(instructions[0]?.data.length).toBe(length);
  }
});

/** Encodes the decoded fields in the form that they came in. */
function written(decoded: SolanaTransaction, form: Uint8Array): string {
  const message = encodeMessage(decoded);
  if (message.length === form.length) return encodeHex(message);
  return encodeHex(concatBytes(compact(decoded.signatures.length), ...decoded.signatures, message));
}

/** Decodes and describes bytes. If they are accepted, they must encode to the same bytes again. */
function judge(bytes: Uint8Array): void {
  try {
    const decoded = decodeSolanaTransaction(bytes);
    if (written(decoded, bytes) !== encodeHex(bytes)) throw new Error("written otherwise");
    describeSolanaTransaction(decoded);
  } catch (error) {
    if (!(error instanceof MalformedError)) {
      throw new Error(`for ${encodeHex(bytes)}`, { cause: error });
    }
  }
}

test("a transaction with any byte changed is refused or encodes to the same bytes", () => {
  for (const fields of [
    sample({ requiredSignatures: 2, instructions: [instruction({}), instruction({})] }),
    sample({
      version: 0,
      instructions: [instruction({ accounts: [0, 3, 4] })],
      addressTableLookups: [lookup([7], [8])],
    }),
  ]) {
    for (const bytes of [whole(fields), bare(fields)]) {
      for (let i = 0; i < bytes.length; i++) {
        for (const value of [0, 1, 2, 0x7f, 0x80, 0x81, 0xff, (bytes[i] ?? 0) ^ 1]) {
          const changed = bytes.slice();
          changed[i] = value;
          judge(changed);
        }
        judge(bytes.slice(0, i));
      }
    }
  }
});

test("generated transactions with a byte changed are refused or encode to the same bytes", {
  timeout,
}, () => {
  fc.assert(
    fc.property(transactionSample, fc.nat(), fc.nat({ max: 255 }), ({ transaction }, at, byte) => {
      const bytes = transaction.serialize();
      bytes[at % bytes.length] = byte;
      judge(bytes);
    }),
    { numRuns },
  );
});

test("random bytes are refused or encode to the same bytes", { timeout }, () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1300 }), judge), { numRuns: 10 * numRuns });
});

test("no combination of parts of transactions breaks the decoder", { timeout }, () => {
  const seeds = fc.sample(transactionSample, { numRuns: 100, seed: 1 });
  const parts = seeds.flatMap(({ transaction }) => [
    transaction.serialize(),
    transaction.message.serialize(),
  ]);
  fuzz(parts, judge, fuzzMs);
});
