import { createHash } from "node:crypto";
import {
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  type TransactionInstructionCtorFields,
} from "@solana/web3.js";
import { Psbt } from "bitcoinjs-lib";
import {
  encodeFunctionData,
  erc20Abi,
  erc721Abi,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  serializeTransaction,
} from "viem";
import { describe, expect, test } from "vitest";
import { bytesOfRequest, readTransaction } from "./read.ts";
import type { KnownInterface } from "./reading.ts";

const to = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
const fees = { gas: 21_000n, maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1n };

function read(
  type: string,
  unsigned: string,
  more: { signWith?: string; interfaces?: readonly KnownInterface[] } = {},
) {
  const reading = readTransaction({ type, bytes: bytesOfRequest(unsigned), ...more });
  return { ...reading, facts: reading.facts.map(({ name, value }) => [name, value]) };
}

const ethereum = (transaction: string, ...interfaces: KnownInterface[]) =>
  read("TRANSACTION_TYPE_ETHEREUM", transaction, { interfaces });

test("a payment is read as people write it", () => {
  const value = parseEther("1234.000000000000000001");
  const unsigned = serializeTransaction({ chainId: 11155111, nonce: 7, to, value, ...fees });
  expect(ethereum(unsigned)).toEqual({
    title: "A payment",
    facts: [
      ["To", to],
      ["Amount", "1,234.000000000000000001 ETH"],
      ["Network", "Sepolia, a test network (11155111)"],
      ["Fee", "at most 0.00063 ETH"],
      ["Gas limit", "21,000"],
      ["Nonce", "7"],
      ["Digest that is signed", keccak256(unsigned)],
    ],
    warnings: [],
    isUnread: false,
  });
});

const called = (data: Hex) => serializeTransaction({ chainId: 1, nonce: 0, to, data, ...fees });

test("a call of a token says whom it pays, and one of anything else is shown whole", () => {
  const abi = erc20Abi;
  const paid = encodeFunctionData({ abi, functionName: "transfer", args: [to, 5_000_000n] });
  const reading = ethereum(called(paid));
  expect(reading).toMatchObject({ title: "A payment of a token", warnings: [], isUnread: false });
  expect(reading.facts.slice(0, 3)).toEqual([
    ["To", to],
    ["Tokens", "5,000,000 of the token’s smallest unit"],
    ["Token contract", to],
  ]);
  const args = [payerOfTokens, to, 7n] as const;
  const moved = encodeFunctionData({ abi, functionName: "transferFrom", args });
  expect(ethereum(called(moved)).facts.slice(0, 2)).toEqual([
    ["From", payerOfTokens],
    ["To", to],
  ]);
  const other = ethereum(called("0x12345678"));
  expect(other.facts).toContainEqual(["Call data", "0x12345678"]);
  expect(other).toMatchObject({
    warnings: [expect.stringContaining("cannot tell what this call does")],
    isUnread: true,
  });
});

const payerOfTokens = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e";

describe("an interface that the organization uploaded", () => {
  const abi = parseAbi(["function setOwner(address owner, string note, uint256[] shares)"]);
  const known: KnownInterface = {
    smartContractAddress: to.toLowerCase(),
    smartContractInterface: JSON.stringify(abi),
    label: "Vault",
  };
  const args = [payerOfTokens, "to\u202Eevil", [1n, 2_000n]] as const;
  const data = encodeFunctionData({ abi, functionName: "setOwner", args });

  test("says which function a call is of, and with what, and whose word that is", () => {
    const reading = ethereum(called(data), known);
    expect(reading).toMatchObject({
      title: "Calls setOwner of a contract",
      warnings: [],
      isUnread: false,
      readBy: ["Vault"],
    });
    expect(reading.facts.slice(0, 6)).toEqual([
      ["Contract", to],
      ["Function", "setOwner"],
      ["Argument owner", payerOfTokens],
      ["Argument note", "“to\u202Eevil”"],
      ["Argument shares", "[1, 2,000]"],
      ["Call data", data],
    ]);
    expect(ethereum(called(data)).isUnread).toBe(true);
  });

  test("is not believed where the call does not fit it, to the last byte", () => {
    expect(ethereum(called(`${data}00`), known).warnings).toEqual([
      expect.stringContaining("1 bytes follow the arguments"),
    ]);
    const short = ethereum(called(data.slice(0, -2) as Hex), known);
    expect(short).toMatchObject({
      warnings: [expect.stringContaining("The arguments of setOwner cannot be read")],
      isUnread: true,
    });
    expect(ethereum(called("0x12345678"), known)).toMatchObject({ isUnread: true });
    const elsewhere = { ...known, smartContractAddress: payerOfTokens };
    expect(ethereum(called(data), elsewhere).isUnread).toBe(true);
    const broken = { ...known, smartContractInterface: "[{}" };
    expect(ethereum(called(data), broken)).toEqual(ethereum(called(data)));
  });

  test("reads the instructions of a program of Solana", () => {
    const smartContractInterface = JSON.stringify({
      instructions: [
        {
          name: "withdraw",
          accounts: [{ name: "vault", isMut: true, isSigner: false }],
          args: [{ name: "amount", type: "u64" }],
        },
      ],
      types: [],
    });
    const program = { smartContractAddress: receiver, smartContractInterface, label: "Vault" };
    const discriminator = createHash("sha256").update("global:withdraw").digest().subarray(0, 8);
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(5000n);
    const unsigned = solanaTransfer({
      keys: [{ pubkey: new PublicKey(payer), isSigner: false, isWritable: true }],
      programId: new PublicKey(receiver),
      data: Buffer.concat([discriminator, amount]),
    });
    const reading = read("TRANSACTION_TYPE_SOLANA", unsigned, { interfaces: [program] });
    expect(reading).toMatchObject({ warnings: [], isUnread: false, readBy: ["Vault"] });
    expect(reading.facts.slice(3, 6)).toEqual([
      ["Instruction 2", `withdraw of the program ${receiver}`],
      ["Instruction 2, argument amount", "5,000"],
      ["Instruction 2, account vault", payer],
    ]);
    expect(read("TRANSACTION_TYPE_SOLANA", unsigned).isUnread).toBe(true);
  });
});

describe("a call that tokens and collectibles share", () => {
  const approval = encodeFunctionData({ abi: erc721Abi, functionName: "approve", args: [to, 5n] });

  test("has both meanings, and a warning", () => {
    const approved = ethereum(called(approval));
    const both = ["Tokens", "5 of the token’s smallest unit, or the collectible number 5"];
    expect(approved.facts).toContainEqual(both);
    expect(approved.warnings).toEqual([
      expect.stringContaining("the spender can take the whole of that collectible"),
    ]);
    const args = [payerOfTokens, to, 5n] as const;
    const data = encodeFunctionData({ abi: erc721Abi, functionName: "transferFrom", args });
    const moved = ethereum(called(data));
    expect(moved.facts).toContainEqual(both);
    expect(moved.warnings).toEqual([
      expect.stringContaining("the whole of that collectible is moved"),
    ]);
  });

  test("is read by the organization's own interface, which takes away no risk", () => {
    const collectibles: KnownInterface = {
      smartContractAddress: to,
      smartContractInterface: JSON.stringify(erc721Abi),
      label: "Apes",
    };
    const reading = ethereum(called(approval), collectibles);
    expect(reading).toMatchObject({
      title: "Calls approve of a contract",
      warnings: [],
      readBy: ["Apes"],
    });
    expect(reading.facts).toContainEqual(["Argument tokenId", "5"]);
    const tokens = {
      ...collectibles,
      smartContractInterface: JSON.stringify(erc20Abi),
    };
    const args = [to, 2n ** 256n - 1n] as const;
    const all = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    expect(ethereum(called(all), tokens).warnings).toEqual([
      expect.stringContaining("take all of these tokens"),
    ]);
    const elsewhere = parseAbi(["function other()"]);
    const silent = { ...collectibles, smartContractInterface: JSON.stringify(elsewhere) };
    expect(ethereum(called(approval), silent)).toEqual(ethereum(called(approval)));
  });
});

test("an amount is in the coin of its chain", () => {
  const on = (chainId: number) =>
    ethereum(serializeTransaction({ chainId, nonce: 0, to, value: 1n, ...fees })).facts[1];
  expect(on(137)).toEqual(["Amount", "0.000000000000000001 POL"]);
  expect(on(424242)).toEqual(["Amount", "0.000000000000000001 × 10^18 of the chain’s coin"]);
});

test("what holds on every chain, and a new contract, are said", () => {
  const unsigned = serializeTransaction({ gasPrice: 1n, gas: 1n, nonce: 0, data: "0x60" });
  const { facts, warnings, isUnread } = ethereum(unsigned);
  expect(facts).toContainEqual(["To", "a new contract"]);
  expect(warnings).toEqual([
    "This page cannot tell what the code of the new contract does.",
    expect.stringContaining("counts on every one"),
  ]);
  expect(isUnread).toBe(true);
});

test("a payment on Solana names both sides", () => {
  // A transfer of 1 SOL, built by @solana/web3.js.
  const reading = read("TRANSACTION_TYPE_SOLANA", solanaTransfer());
  expect(reading).toMatchObject({ title: "A payment", isUnread: false });
  expect(reading.facts.slice(0, 4)).toEqual([
    ["From", payer],
    ["To", receiver],
    ["Amount", "1 SOL"],
    ["Fee", `at most 0.000005 SOL, paid by ${payer}`],
  ]);
});

const payer = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM";
const receiver = "8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh";

test("what a transaction of Tron can cost is its bytes, energy, and fixed fees on top", () => {
  const costs = ({ facts }: ReturnType<typeof read>) =>
    facts.filter(([name]) => /Fee|energy/.test(name ?? ""));
  // A call with a fee limit of 5 TRX, and a payment with the same limit and a memo.
  const call =
    "0A02A1B22208010203040506070840E0A499FFBC315A6D081F12690A31747970652E676F6F676C65617069732E636F6D2F70726F746F636F6C2E54726967676572536D617274436F6E747261637412340A1541010101010101010101010101010101010101010112154102020202020202020202020202020202020202022204C0FFEE007080D095FFBC319001C096B102";
  expect(costs(read("TRANSACTION_TYPE_TRON", call))).toEqual([
    ["Fee for its bytes", "at most 0.279 TRX"],
    ["Most for energy", "5 TRX"],
  ]);
  const payment =
    "0A02A1B22208010203040506070840E0A499FFBC315203C0FFEE5A65080112610A2D747970652E676F6F676C65617069732E636F6D2F70726F746F636F6C2E5472616E73666572436F6E747261637412300A15410101010101010101010101010101010101010101121541020202020202020202020202020202020202020218017080D095FFBC319001C096B102";
  const paid = read("TRANSACTION_TYPE_TRON", payment);
  expect(costs(paid)).toEqual([
    ["Fee for its bytes", "at most 0.276 TRX, or more if the receiver is new"],
  ]);
  expect(paid.warnings).toEqual([expect.stringMatching(/^Tron takes fixed fees on top: /)]);
});

test("an instruction that is not read is shown with its data, and said", () => {
  const reading = read(
    "TRANSACTION_TYPE_SOLANA",
    solanaTransfer({
      ...{ keys: [], programId: new PublicKey(receiver), data: Buffer.from("c0ffee", "hex") },
    }),
  );
  expect(reading.facts[3]).toEqual([
    "Instruction 2",
    `of the program ${receiver}, with the data 0xc0ffee`,
  ]);
  expect(reading.warnings).toEqual([
    "This page cannot tell what this does: Instruction 2. Look at its programs.",
  ]);
  expect(reading.isUnread).toBe(true);
});

test("the id of a key names no network of Bitcoin, and a fee that is only claimed is said", () => {
  const psbt = new Psbt();
  const script = Uint8Array.from([0, 20, ...new Uint8Array(20).fill(7)]);
  psbt.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo: { script, value: 100_000n } });
  const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  psbt.addOutput({ address, value: 90_000n });
  const readFor = (signWith: string) =>
    read("TRANSACTION_TYPE_BITCOIN", psbt.toHex(), { signWith });
  // Begins as an address of the test network does.
  const { facts, warnings } = readFor("2a1f0c3e-0000-4000-8000-00000000abcd");
  expect(facts.slice(0, 3)).toEqual([
    ["To", address],
    ["Amount", "0.0009 BTC"],
    ["Network", expect.stringContaining("not named")],
  ]);
  expect(warnings).toEqual([expect.stringContaining("what the PSBT claims")]);
  const onTestnet = readFor("2N3oefVeg6stiTb5Kh3ozCSkaqmx91FDbsm");
  expect(onTestnet.facts[2]).toEqual(["Network", "Bitcoin, testnet"]);
});

function solanaTransfer(...more: TransactionInstructionCtorFields[]): string {
  const instruction = SystemProgram.transfer({
    fromPubkey: new PublicKey(payer),
    toPubkey: new PublicKey(receiver),
    lamports: 1_000_000_000,
  });
  const transaction = new Transaction({
    feePayer: new PublicKey(payer),
    blockhash: payer,
    lastValidBlockHeight: 1,
  }).add(instruction, ...more.map((fields) => new TransactionInstruction(fields)));
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  return bytes.toString("hex");
}

test.each([
  ["TRANSACTION_TYPE_ETHEREUM", "0x02c0"],
  ["TRANSACTION_TYPE_SOLANA", "00"],
  ["TRANSACTION_TYPE_TRON", "ff"],
  ["TRANSACTION_TYPE_BITCOIN", "00"],
  ["TRANSACTION_TYPE_ETHEREUM", "not hexadecimal"],
  ["TRANSACTION_TYPE_NEW", "00"],
])("of the type %s, %s is refused", (type, unsigned) => {
  expect(() => read(type, unsigned)).toThrow();
});
