import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  AuthorityType,
  createSetAuthorityInstruction,
  createTransferInstruction,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { Psbt } from "bitcoinjs-lib";
import { utils } from "tronweb";
import {
  encodeFunctionData,
  erc20Abi,
  erc721Abi,
  parseEther,
  parseGwei,
  serializeTransaction,
} from "viem";
import { expect, test } from "vitest";
import { english, fill, type KitTexts } from "../texts.ts";
import { readTransaction } from "./read.ts";

const to = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e";
const token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const fees = { maxPriorityFeePerGas: 1n, maxFeePerGas: parseGwei("30"), gas: 21_000n, nonce: 0 };

/** As people read it. */
function read(type: Parameters<typeof readTransaction>[0]["type"], hex: string, signWith = to) {
  const { lines, warnings } = readTransaction({ type, unsignedTransaction: hex, signWith });
  const say = (name: keyof KitTexts, values = {}) => fill(english[name], values);
  return {
    lines: lines.map(
      ({ label, value, text }) =>
        `${english[label]}: ${text ? say(text.name, text.values) : value}`,
    ),
    warnings: warnings.map(({ text, values }) => say(text, values)),
  };
}

test("a payment of ether", () => {
  const hex = serializeTransaction({ chainId: 8453, to, value: parseEther("0.25"), ...fees });
  expect(read("TRANSACTION_TYPE_ETHEREUM", hex)).toEqual({
    lines: [
      "What it does: A payment",
      `To: ${to}`,
      "Amount: 0.25 ETH",
      "Network: Base",
      "Fee: at most 0.00063 ETH",
      expect.stringMatching(/^Digest that is signed: 0x[0-9a-f]{64}$/),
    ],
    warnings: [],
  });
});

test("a payment of a token, and an approval without a limit", () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 5n] });
  const hex = serializeTransaction({ chainId: 1, to: token, data, ...fees });
  const { lines, warnings } = read("TRANSACTION_TYPE_ETHEREUM", hex);
  expect(lines.slice(0, 4)).toEqual([
    "What it does: A payment of a token",
    `To: ${to}`,
    "Amount: 5 of the token’s smallest unit",
    `Token contract: ${token}`,
  ]);
  expect(warnings).toEqual([]);
  const all = 2n ** 256n - 1n;
  const given = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [to, all] });
  const approval = serializeTransaction({ chainId: 1, to: token, data: given, ...fees });
  expect(read("TRANSACTION_TYPE_ETHEREUM", approval).lines.slice(0, 3)).toEqual([
    "What it does: Lets somebody else spend a token",
    `Who may spend: ${to}`,
    `Amount: without a limit, or the collectible number ${all}`,
  ]);
});

test("an approval may be of a collectible, which is said", () => {
  const data = encodeFunctionData({ abi: erc721Abi, functionName: "approve", args: [to, 5n] });
  const hex = serializeTransaction({ chainId: 1, to: token, data, ...fees });
  const { lines, warnings } = read("TRANSACTION_TYPE_ETHEREUM", hex);
  expect(lines).toContain("Amount: 5 of the token’s smallest unit, or the collectible number 5");
  expect(warnings).toEqual([english.tokenOrCollectible]);
});

test("what nobody can read is said, and so is a transaction that counts everywhere", () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 5n] });
  // One byte more than a transfer has.
  const long = serializeTransaction({ chainId: 999, to: token, data: `${data}00`, ...fees });
  const unread = read("TRANSACTION_TYPE_ETHEREUM", long);
  expect(unread.lines).toContain("Call: 0xa9059cbb");
  expect(unread.lines).toContain("Network: Chain 999");
  expect(unread.warnings).toEqual([english.unreadCall]);
  const legacy = serializeTransaction({ to, gasPrice: 1n, gas: 21_000n, nonce: 0, type: "legacy" });
  expect(read("TRANSACTION_TYPE_ETHEREUM", legacy).warnings).toEqual([english.replayable]);
  for (const hex of ["c0ffee", "zz", "", `${long}00`]) {
    expect(read("TRANSACTION_TYPE_ETHEREUM", hex).warnings).toEqual([english.unreadTransaction]);
  }
  expect(read("TRANSACTION_TYPE_TEMPO", "c0ffee").lines).toEqual([
    "What it does: Something else",
    "Data: 3 bytes",
    expect.stringMatching(/^SHA-256 of the bytes: [0-9a-f]{64}$/),
  ]);
});

const [payer, other, mint] = [1, 2, 3].map(
  (seed) => new PublicKey(new Uint8Array(32).fill(seed)),
) as [PublicKey, PublicKey, PublicKey];

function solana(...instructions: Parameters<typeof SystemProgram.transfer>[0][] | unknown[]) {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: mint.toBase58(),
    instructions: instructions as [],
  });
  return encodeHex(new VersionedTransaction(message.compileToV0Message()).serialize());
}

test("payments on Solana, and instructions that are none", () => {
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: other, lamports: 1500 });
  const tokens = createTransferInstruction(mint, other, payer, 7n);
  const paid = read("TRANSACTION_TYPE_SOLANA", solana(transfer, tokens));
  expect(paid).toEqual({
    lines: [
      "What it does: A payment",
      `To: ${other.toBase58()}`,
      "Amount: 0.0000015 SOL",
      "What it does: A payment of a token",
      `To: ${other.toBase58()}`,
      "Amount: 7 of the token’s smallest unit",
      "Network: Solana",
      `Fee: at most 0.000005 SOL, paid by ${payer.toBase58()}`,
    ],
    warnings: [],
  });
  // The price of a unit turns a small payment into a large one.
  const priced = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5_000_000_000_000n });
  expect(read("TRANSACTION_TYPE_SOLANA", solana(priced, transfer)).lines).toContain(
    `Fee: at most 1000.000005 SOL, paid by ${payer.toBase58()}`,
  );
  // It gives the token account away, beside a payment that looks harmless.
  const given = createSetAuthorityInstruction(mint, payer, AuthorityType.AccountOwner, other);
  expect(read("TRANSACTION_TYPE_SOLANA", solana(transfer, given)).warnings).toEqual([
    expect.stringContaining("We can’t tell what these programs do: 1111"),
  ]);
});

test("payments of Bitcoin, whose fee is what the app says unless it is proven", () => {
  const spending = new Psbt();
  const script = Uint8Array.from([0, 20, ...new Uint8Array(20).fill(7)]);
  const witnessUtxo = { script, value: 100_000n };
  spending.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo });
  const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  spending.addOutput({ address, value: 90_000n });
  const psbt = spending.toHex();
  expect(read("TRANSACTION_TYPE_BITCOIN", psbt, "bc1q…")).toEqual({
    lines: [
      "What it does: A payment",
      `To: ${address}`,
      "Amount: 0.0009 BTC",
      "Network: Bitcoin",
      "Fee: 0.0001 BTC, as the app says",
    ],
    warnings: [],
  });
  expect(read("TRANSACTION_TYPE_BITCOIN", psbt, "tb1q…").lines[1]).toMatch(/^To: tb1q/);
});

test("a payment on Tron", () => {
  const value = {
    owner_address: `41${"01".repeat(20)}`,
    to_address: `41${"02".repeat(20)}`,
    amount: 5,
  };
  const made = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ...{ ref_block_bytes: "a1b2", ref_block_hash: "0102030405060708" },
      ...{ expiration: 1_700_000_060_000, timestamp: 1_700_000_000_000 },
      contract: [{ type: "TransferContract", parameter: { value } }],
    },
  });
  expect(read("TRANSACTION_TYPE_TRON", utils.transaction.txPbToRawDataHex(made))).toEqual({
    lines: [
      "What it does: A payment",
      `To: ${utils.address.fromHex(value.to_address)}`,
      "Amount: 0.000005 TRX",
      "Network: Tron",
      "Fee: at most 0.265 TRX, or more if the receiver is new",
      expect.stringMatching(/^Digest that is signed: [0-9a-f]{64}$/),
    ],
    warnings: [],
  });
});
