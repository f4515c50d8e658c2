// Ethereum transactions that the service signed, executed by an implementation of the chain.

import type { KeyhearthClient } from "@keyhearth/sdk";
import {
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from "viem";
import { beforeAll, expect, test } from "vitest";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { type Evm, GWEI, startEvm } from "./evm.ts";

let product: SharedProduct;
let client: KeyhearthClient;
let evm: Evm;
let payer: Hex;
let other: Hex;

beforeAll(async () => {
  product = await sharedProduct();
  client = clientOf(product, product.root);
  evm = await startEvm();
  const { addresses } = await client.createWallet({
    walletName: "Ethereum",
    accounts: [0, 1].map((index) => ({
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/60'/0'/0/${index}`,
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    })),
  });
  // Addresses of this format start with 0x.
  [payer, other] = addresses as [Hex, Hex];
  await evm.fund(payer);
});

const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };

// Stores the first word of a call in its first slot.
const runtime = "5f355f5500";
const creation: Hex = `0x64${runtime}5f526005601bf3`;

async function sign(transaction: TransactionSerializable): Promise<Hex> {
  const unsignedTransaction = serializeTransaction(transaction);
  const { signedTransaction } = await client.signTransaction({
    signWith: payer,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction,
  });
  return `0x${signedTransaction}`;
}

async function execute(transaction: TransactionSerializable) {
  const executed = await evm.execute(await sign({ ...transaction, nonce: await nextNonce() }));
  expect(executed).toMatchObject({ sender: payer.toLowerCase(), isReverted: false });
  return executed;
}

async function nextNonce() {
  return Number(await evm.nonceOf(payer));
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

async function createContract(): Promise<Hex> {
  const { created } = await execute({
    type: "legacy",
    chainId: 1,
    gas: 200_000n,
    gasPrice: 5n * GWEI,
    data: creation,
  });
  expect(await evm.codeOf(created ?? "")).toBe(`0x${runtime}`);
  return created as Hex; // the contract has code
}

test("a legacy transaction pays, with and without a chain", async () => {
  const payment = { type: "legacy", to: recipient, gas: 21_000n, gasPrice: 5n * GWEI } as const;
  const before = await evm.balanceOf(recipient);
  expect(await execute({ ...payment, chainId: 1, value: 7n })).toMatchObject({ type: 0 });
  expect(await execute({ ...payment, value: 5n })).toMatchObject({ type: 0 });
  expect(await evm.balanceOf(recipient)).toBe(before + 12n);
});

test("a transaction with an access list calls a contract (EIP-2930)", async () => {
  const contract = await createContract();
  const executed = await execute({
    type: "eip2930",
    chainId: 1,
    to: contract,
    gas: 100_000n,
    gasPrice: 5n * GWEI,
    data: word(2930n),
    accessList: [{ address: contract, storageKeys: [word(0n)] }],
  });
  expect(executed.type).toBe(1);
  expect(await evm.wordOf(contract, 0n)).toBe(2930n);
});

test("a transaction with a priority fee creates and calls a contract (EIP-1559)", async () => {
  const { created = "" } = await execute({
    type: "eip1559",
    chainId: 1,
    gas: 200_000n,
    data: creation,
    ...fees,
  });
  const executed = await execute({
    type: "eip1559",
    chainId: 1,
    to: created as Hex, // a contract's address
    gas: 100_000n,
    data: word(1559n),
    ...fees,
  });
  expect(executed.type).toBe(2);
  expect(await evm.wordOf(created, 0n)).toBe(1559n);
});

test("a transaction with blobs pays (EIP-4844)", async () => {
  const before = await evm.balanceOf(recipient);
  const executed = await execute({
    type: "eip4844",
    chainId: 1,
    to: recipient,
    value: 4844n,
    gas: 21_000n,
    maxFeePerBlobGas: GWEI,
    blobVersionedHashes: [`0x01${"ab".repeat(31)}`],
    ...fees,
  });
  expect(executed.type).toBe(3);
  expect(await evm.balanceOf(recipient)).toBe(before + 4844n);
});

test("an authorization gives an account the code of a contract (EIP-7702)", async () => {
  const contract = await createContract();
  const authorization = { chainId: 1, address: contract, nonce: 0 };
  const { r, s, v } = await client.signRawPayload({
    signWith: other,
    payload: JSON.stringify(authorization),
    encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  const signed = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
  const executed = await execute({
    type: "eip7702",
    chainId: 1,
    to: other,
    gas: 200_000n,
    data: word(7702n),
    authorizationList: [{ ...authorization, ...signed }],
    ...fees,
  });
  expect(executed.type).toBe(4);
  expect(await evm.codeOf(other)).toBe(`0xef0100${contract.slice(2)}`);
  // The contract's code ran on the account's own storage.
  expect(await evm.wordOf(other, 0n)).toBe(7702n);
  expect(await evm.wordOf(contract, 0n)).toBe(0n);
});

test("the chain refuses what was changed after it was signed, or is sent twice", async () => {
  const before = await evm.balanceOf(recipient);
  const signed = await sign({
    type: "eip1559",
    chainId: 1,
    nonce: await nextNonce(),
    to: recipient,
    value: 1n,
    gas: 21_000n,
    ...fees,
  });
  // Another value with the same signature belongs to another account, which has no ether.
  const { type: _, ...parsed } = parseTransaction(signed);
  const { r = "0x", s = "0x", yParity = 0 } = parsed;
  const changed = serializeTransaction({ ...parsed, type: "eip1559", value: 2n } as never, {
    r,
    s,
    yParity,
  });
  await expect(evm.execute(changed)).rejects.toThrow(/enough funds/);
  await evm.execute(signed);
  await expect(evm.execute(signed)).rejects.toThrow(/nonce/);
  expect(await evm.balanceOf(recipient)).toBe(before + 1n);
});
