import { describe, expect, test } from "vitest";

import { decodeBase58, encodeBase58 } from "../encoding/base58.ts";
import { concatBytes, decodeHex, encodeHex } from "../encoding/bytes.ts";
import vectors from "../vectors/solana-instructions.json" with { type: "json" };
import { MalformedError } from "./malformed.ts";
import { encodeMessage } from "./solana.testing.ts";
import { decodeSolanaTransaction } from "./solana.ts";
import { decodeKnownInstruction } from "./solana-instructions.ts";
import { describeSolanaTransaction } from "./solana-programs.ts";

const SYSTEM = "11111111111111111111111111111111";
const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const ASSOCIATED_TOKEN = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
const COMPUTE_BUDGET = "ComputeBudget111111111111111111111111111111";
const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

/** Accounts by name: `payer` and `cosigner` sign; `table 3` is writable, from a lookup table. */
type Instruction = { program: string; accounts: string[]; data: string };

/** A transaction of version 0 with these instructions. */
function transactionOf(...instructions: Instruction[]) {
  const names = ["payer", "cosigner", "alice", "bob", "mint"];
  const programs = [...new Set(instructions.map(({ program }) => program))];
  const lookedUp = [3, 7].map((index) => `table ${index}`);
  const order = [...names, ...programs, ...lookedUp];
  const message = encodeMessage({
    version: 0,
    signatures: [],
    message: new Uint8Array(),
    requiredSignatures: 2,
    readonlySigned: 1,
    readonlyUnsigned: 1 + programs.length,
    accountKeys: [...names.map(keyOf), ...programs.map(decodeBase58)],
    recentBlockhash: new Uint8Array(32).fill(9),
    instructions: instructions.map(({ program, accounts, data }) => ({
      programIndex: order.indexOf(program),
      accountIndexes: Uint8Array.from(accounts.map((name) => order.indexOf(name))),
      data: decodeHex(data),
    })),
    addressTableLookups: [
      {
        tableKey: keyOf("table"),
        writableIndexes: Uint8Array.of(3),
        readonlyIndexes: Uint8Array.of(7),
      },
    ],
  });
  return decodeSolanaTransaction(message);
}

const view = (...instructions: Instruction[]) =>
  describeSolanaTransaction(transactionOf(...instructions));

function keyOf(name: string): Uint8Array {
  const bytes = new Uint8Array(32).fill(1);
  bytes.set(new TextEncoder().encode(name));
  return bytes;
}

const textOf = (name: string) => encodeBase58(keyOf(name));

/** Little-endian hex of 8 bytes. */
function u64(value: bigint): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return encodeHex(bytes);
}

const most = 2n ** 64n - 1n;

describe("what policies read", () => {
  test("of accounts: which sign, which are writable, and which are looked up", () => {
    const { instructions, ...transaction } = view(
      {
        program: MEMO,
        accounts: ["payer", "cosigner", "alice", "mint", MEMO, "table 3", "table 7"],
        data: "00ff",
      },
      { program: SYSTEM, accounts: ["table 7"], data: `08000000${u64(5n)}` },
    );
    const account = (accountKey: string, signer: boolean, writable: boolean) => ({
      accountKey,
      signer,
      writable,
    });
    const table = textOf("table");
    expect(instructions).toEqual([
      {
        programKey: MEMO,
        accounts: [
          account(textOf("payer"), true, true),
          account(textOf("cosigner"), true, false),
          account(textOf("alice"), false, true),
          account(textOf("mint"), false, false),
          account(MEMO, false, false),
          account("ADDRESS_TABLE_LOOKUP", false, true),
          account("ADDRESS_TABLE_LOOKUP", false, false),
        ],
        instructionDataHex: "00ff",
        addressTableLookups: [
          { addressTableKey: table, writableIndexes: [3], readonlyIndexes: [7] },
        ],
      },
      {
        programKey: SYSTEM,
        accounts: [account("ADDRESS_TABLE_LOOKUP", false, false)],
        instructionDataHex: "080000000500000000000000",
        addressTableLookups: [
          { addressTableKey: table, writableIndexes: [], readonlyIndexes: [7] },
        ],
      },
    ]);
    expect(transaction).toEqual({
      accountKeys: [...["payer", "cosigner", "alice", "bob", "mint"].map(textOf), MEMO, SYSTEM],
      programKeys: [MEMO, SYSTEM],
      transfers: [],
      splTransfers: [],
      recentBlockhash: encodeBase58(new Uint8Array(32).fill(9)),
      addressTableLookups: [{ addressTableKey: table, writableIndexes: [3], readonlyIndexes: [7] }],
      addressTableLookupReferences: [
        { addressTableKey: table, index: 3, writable: true },
        { addressTableKey: table, index: 7, writable: false },
      ],
    });
  });

  test("of System transfers: each kind, the exact amount and the recipient", () => {
    const seed = `${u64(2n)}6869`;
    const { transfers } = view(
      { program: SYSTEM, accounts: ["payer", "alice"], data: `02000000${u64(most)}` },
      { program: SYSTEM, accounts: ["payer", "table 3", "bob"], data: `02000000${u64(0n)}` },
      {
        program: SYSTEM,
        accounts: ["bob", "payer", "alice"],
        data: `0b000000${u64(7n)}${seed}${encodeHex(keyOf("owner"))}`,
      },
    );
    expect(transfers).toEqual([
      { from: textOf("payer"), to: textOf("alice"), amount: most },
      { from: textOf("payer"), to: "ADDRESS_TABLE_LOOKUP", amount: 0n },
      { from: textOf("bob"), to: textOf("alice"), amount: 7n },
    ]);
  });

  test.each([TOKEN, TOKEN_2022])("of token transfers of %s", (program) => {
    const { splTransfers, transfers } = view(
      { program, accounts: ["alice", "bob", "payer"], data: `03${u64(most)}` },
      { program, accounts: ["alice", "mint", "bob", "payer"], data: `0c${u64(5n)}06` },
      { program, accounts: ["alice", "table 7", "table 3", "payer"], data: `0c${u64(5n)}06` },
    );
    const transfer = { from: textOf("alice"), to: textOf("bob"), owner: textOf("payer") };
    expect(transfers).toEqual([]);
    expect(splTransfers).toEqual([
      { ...transfer, amount: most, signers: [], tokenMint: "" },
      { ...transfer, amount: 5n, signers: [], tokenMint: textOf("mint") },
      {
        ...transfer,
        amount: 5n,
        signers: [],
        to: "ADDRESS_TABLE_LOOKUP",
        tokenMint: "ADDRESS_TABLE_LOOKUP",
      },
    ]);
  });

  test("of a transfer with a fee", () => {
    const { splTransfers } = view({
      program: TOKEN_2022,
      accounts: ["alice", "mint", "bob", "payer"],
      data: `1a01${u64(100n)}06${u64(1n)}`,
    });
    expect(splTransfers).toEqual([
      {
        from: textOf("alice"),
        to: textOf("bob"),
        owner: textOf("payer"),
        amount: 100n,
        signers: [],
        tokenMint: textOf("mint"),
      },
    ]);
  });

  test("of a multisig: the signers, but not other accounts of the instruction", () => {
    const { splTransfers } = view({
      program: TOKEN_2022,
      accounts: ["alice", "mint", "bob", "table 7", "payer", "mint", "cosigner", "table 3"],
      data: `0c${u64(5n)}06`,
    });
    expect(splTransfers).toMatchObject([
      { owner: "ADDRESS_TABLE_LOOKUP", signers: [textOf("payer"), textOf("cosigner")] },
    ]);
  });
});

describe("every published instruction of the base programs", () => {
  const { instructions } = vectors;
  /** Names that differ in the clients. */
  const names = new Map([
    ["transferSol", "Transfer"],
    ["transferSolWithSeed", "TransferWithSeed"],
    ["createAssociatedToken", "Create"],
    ["createAssociatedTokenIdempotent", "CreateIdempotent"],
    ["recoverNestedAssociatedToken", "RecoverNested"],
  ]);
  const decode = (program: string, data: Uint8Array, accountCount: number) =>
    decodeKnownInstruction({ program, data, accountCount, where: "instruction 0" });

  test("is known by its name", () => {
    for (const { program, name, accounts, data } of instructions) {
      const known = decode(program, decodeHex(data), accounts);
      expect(known?.name).toBe(names.get(name) ?? name[0]?.toUpperCase() + name.slice(1));
    }
  });

  test("is refused with fewer accounts than it needs", () => {
    for (const { program, name, accounts, data } of instructions) {
      if (accounts === 0) continue;
      expect(() => decode(program, decodeHex(data), accounts - 1), name).toThrow(MalformedError);
    }
  });

  test("is refused with an extra byte, unless it ends with text or a list", () => {
    for (const { program, name, accounts, data } of instructions) {
      if (name === "uiAmountToAmount") continue;
      const longer = concatBytes(decodeHex(data), Uint8Array.of(0));
      expect(() => decode(program, longer, accounts), name).toThrow(MalformedError);
    }
  });

  test("is refused without its last byte, unless the rest is another instruction", () => {
    // Without their only byte, instructions of the Associated Token program are the old form of
    // Create. A text without its last character is still a text.
    for (const { program, name, accounts, data } of instructions) {
      if (program === ASSOCIATED_TOKEN || name === "uiAmountToAmount") continue;
      const shorter = decodeHex(data).slice(0, -1);
      expect(() => decode(program, shorter, accounts), name).toThrow(MalformedError);
    }
  });
});

describe("forms that older clients and newer programs write", () => {
  const accounts = ["alice", "bob", "payer", "mint", "mint", "mint", "mint"];
  const zeros = "00".repeat(32);
  const key = encodeHex(keyOf("owner"));

  test.each([
    ["a token account created without data", ASSOCIATED_TOKEN, ""],
    ["CreateWithArgs", ASSOCIATED_TOKEN, "0301fe a5000000"],
    ["no freeze authority, its place in zeros", TOKEN, `0006${key}00${zeros}`],
    ["no new authority, its place in zeros", TOKEN, `060200${zeros}`],
    ["no close authority, its place in zeros", TOKEN_2022, `1900${zeros}`],
  ])("%s", (_, program, data) => {
    expect(() => view({ program, accounts, data: data.replace(" ", "") })).not.toThrow();
  });
});

describe("an instruction is refused", () => {
  const accounts = ["alice", "bob", "payer", "mint", "mint", "mint", "mint"];
  const key = encodeHex(keyOf("owner"));
  const seedOf = (length: number) => `${u64(BigInt(length))}${"61".repeat(length)}`;

  test.each([
    ["System program", SYSTEM, "", "the discriminator takes 4 bytes, but the data has only 0 more"],
    [
      "System program",
      SYSTEM,
      "020000",
      "the discriminator takes 4 bytes, but the data has only 3 more",
    ],
    ["System program", SYSTEM, "0e000000", "no instruction has discriminator 14"],
    ["System program", SYSTEM, "00000080", "no instruction has discriminator 2147483648"],
    [
      "System program",
      SYSTEM,
      "0200000001",
      "Transfer: the amount takes 8 bytes, but the data has only 1 more",
    ],
    [
      "System program",
      SYSTEM,
      `02000000${u64(1n)}00`,
      "Transfer: 1 byte after the end of its data",
    ],
    [
      "System program",
      SYSTEM,
      `0a000000${key}${seedOf(33)}${key}`,
      "AssignWithSeed: seed has 33 bytes: at most 32 are allowed",
    ],
    [
      "System program",
      SYSTEM,
      `0a000000${key}${u64(1n)}ff${key}`,
      "AssignWithSeed: seed is not UTF-8",
    ],
    ["Token program", TOKEN, "", "the discriminator is missing: the bytes end before it"],
    ["Token program", TOKEN, "19", "no instruction has discriminator 25"],
    ["Token program", TOKEN, `1a01${u64(1n)}06${u64(1n)}`, "no instruction has discriminator 26"],
    ["Token program", TOKEN, "060400", "SetAuthority: authority type is 4: 0 to 3 are known"],
    [
      "Token program",
      TOKEN,
      "060202",
      "SetAuthority: the option new authority is 2: expected 0 or 1",
    ],
    [
      "Token program",
      TOKEN,
      `060200${key}`,
      "SetAuthority: new authority is absent, but its place does not hold zeros",
    ],
    [
      "Token program",
      TOKEN,
      `ff0309 03${u64(1n)}`,
      "Batch: instructions inside another one are not supported: send them as instructions of the transaction",
    ],
    ["Token-2022 program", TOKEN_2022, "2f", "no instruction has discriminator 47"],
    ["Token-2022 program", TOKEN_2022, "1a06", "no instruction has discriminator 26, 6"],
    [
      "Token-2022 program",
      TOKEN_2022,
      "1a",
      "the second byte of discriminator 26 is missing: the bytes end before it",
    ],
    [
      "Token-2022 program",
      TOKEN_2022,
      "1d1d00",
      "Reallocate: extension types: 29 is not a known extension type",
    ],
    [
      "Token-2022 program",
      TOKEN_2022,
      "1c0003",
      "InitializeDefaultAccountState: state is 3: 0 to 2 are known",
    ],
    [
      "Token-2022 program",
      TOKEN_2022,
      "dde9312db5cadcc804",
      "UpdateTokenMetadataField: field is 4: 0 to 3 are known",
    ],
    [
      "Token-2022 program",
      TOKEN_2022,
      "dde9312db5cadcc800ffffffff",
      "UpdateTokenMetadataField: value takes 4294967295 bytes, but the data has only 0 more",
    ],
    [
      "Associated Token Account program",
      ASSOCIATED_TOKEN,
      "04",
      "no instruction has discriminator 4",
    ],
    ["Compute Budget program", COMPUTE_BUDGET, "05", "no instruction has discriminator 5"],
    [
      "Compute Budget program",
      COMPUTE_BUDGET,
      "000100000000000000",
      "RequestUnits: the runtime refuses it: use SetComputeUnitLimit",
    ],
  ])("of the %s (%#)", (name, program, data, problem) => {
    const given = { program, accounts, data: data.replaceAll(" ", "") };
    expect(() => view({ program: MEMO, accounts: [], data: "" }, given)).toThrow(
      new MalformedError(`instruction 1, of the ${name}: ${problem}`),
    );
  });

  test("with fewer accounts than it needs, and the message names them", () => {
    const given = { program: TOKEN, accounts: ["alice", "mint", "bob"], data: `0c${u64(5n)}06` };
    expect(() => view(given)).toThrow(
      new MalformedError(
        "instruction 0, of the Token program: TransferChecked: 3 accounts, where it needs 4 accounts: source, mint, destination, owner",
      ),
    );
  });
});
