// Solana transactions that the service signed, executed by the chain's own runtime.

import type { KeyhearthClient } from "@keyhearth/sdk";
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { beforeAll, expect, test } from "vitest";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { type Runtime, startRuntime } from "./svm.ts";

let product: SharedProduct;
let client: KeyhearthClient;
let runtime: Runtime;
let payer: PublicKey;
let owner: PublicKey;

beforeAll(async () => {
  product = await sharedProduct();
  client = clientOf(product, product.root);
  runtime = startRuntime();
  const { addresses } = await client.createWallet({
    walletName: "Solana",
    accounts: [0, 1].map((index) => ({
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/501'/${index}'/0'`,
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    })),
  });
  const [first = "", second = ""] = addresses;
  payer = new PublicKey(first);
  owner = new PublicKey(second);
  for (const key of [payer, owner]) runtime.fund(key);
});

/** Signs a serialized transaction with the key of one address. */
async function sign(transaction: Uint8Array, key: PublicKey): Promise<Uint8Array> {
  const { signedTransaction } = await client.signTransaction({
    signWith: key.toBase58(),
    type: "TRANSACTION_TYPE_SOLANA",
    unsignedTransaction: Buffer.from(transaction).toString("hex"),
  });
  return Buffer.from(signedTransaction, "hex");
}

function newAddress(): PublicKey {
  return Keypair.generate().publicKey;
}

function payment(from: PublicKey, to: PublicKey, lamports = 5_000_000) {
  return SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
}

function legacy(...instructions: ReturnType<typeof payment>[]): Transaction {
  const recent = { feePayer: payer, recentBlockhash: runtime.latestBlockhash() };
  return new Transaction(recent).add(...instructions);
}

function serialize(transaction: Transaction): Uint8Array {
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
}

function version0(
  instructions: ReturnType<typeof payment>[],
  tables: AddressLookupTableAccount[] = [],
): VersionedTransaction {
  const recent = { payerKey: payer, recentBlockhash: runtime.latestBlockhash() };
  return new VersionedTransaction(
    new TransactionMessage({ ...recent, instructions }).compileToV0Message(tables),
  );
}

test("a legacy transaction pays", async () => {
  const to = newAddress();
  expect(runtime.send(await sign(serialize(legacy(payment(payer, to))), payer))).toBeUndefined();
  expect(runtime.balanceOf(to)).toBe(5_000_000n);
});

test("a version 0 transaction pays", async () => {
  const to = newAddress();
  const unsigned = version0([payment(payer, to)]).serialize();
  expect(runtime.send(await sign(unsigned, payer))).toBeUndefined();
  expect(runtime.balanceOf(to)).toBe(5_000_000n);
});

test("a version 0 transaction pays an account of an address lookup table", async () => {
  const to = newAddress();
  const table = newAddress();
  const addresses = [newAddress(), to];
  runtime.putAccount(table, AddressLookupTableProgram.programId, lookupTable(addresses));
  const lookup = new AddressLookupTableAccount({
    key: table,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses,
    },
  });
  const unsigned = version0([payment(payer, to)], [lookup]);
  expect(unsigned.message.addressTableLookups).toHaveLength(1);
  expect(runtime.send(await sign(unsigned.serialize(), payer))).toBeUndefined();
  expect(runtime.balanceOf(to)).toBe(5_000_000n);
});

test("one signature after the other, in either order, makes a transaction of two signers", async () => {
  for (const signers of [
    [payer, owner],
    [owner, payer],
  ]) {
    for (const format of ["legacy", "version 0"]) {
      const to = newAddress();
      const instructions = [payment(payer, to), payment(owner, to)];
      let transaction =
        format === "legacy"
          ? serialize(legacy(...instructions))
          : version0(instructions).serialize();
      for (const signer of signers) transaction = await sign(transaction, signer);
      expect(runtime.send(transaction)).toBeUndefined();
      expect(runtime.balanceOf(to)).toBe(10_000_000n);
    }
  }
});

test("the signature of somebody else's key stays, and is needed", async () => {
  const stranger = Keypair.generate();
  runtime.fund(stranger.publicKey);
  const to = newAddress();
  const transaction = legacy(payment(stranger.publicKey, to), payment(payer, to));
  const ours = await sign(serialize(transaction), payer);
  expect(runtime.send(ours)).toMatch(/signature/i);
  expect(runtime.balanceOf(to)).toBe(0n);
  transaction.partialSign(stranger);
  const both = await sign(serialize(transaction), payer);
  const theirs = transaction.signatures.find(({ publicKey }) =>
    publicKey.equals(stranger.publicKey),
  );
  expect(Transaction.from(both).signatures).toContainEqual(theirs);
  expect(runtime.send(both)).toBeUndefined();
  expect(runtime.balanceOf(to)).toBe(10_000_000n);
});

test("the runtime refuses what was changed after it was signed", async () => {
  const to = newAddress();
  const signed = await sign(serialize(legacy(payment(payer, to))), payer);
  const changed = Uint8Array.from(signed);
  changed[changed.length - 8] = 1; // the lowest byte of the amount
  expect(runtime.send(changed)).toMatch(/signature/i);
  expect(runtime.balanceOf(to)).toBe(0n);
});

/** An active table that nobody can change. Its program's layout: 56 bytes, then the addresses. */
function lookupTable(addresses: PublicKey[]): Uint8Array {
  const data = Buffer.alloc(56 + 32 * addresses.length);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(2n ** 64n - 1n, 4);
  addresses.forEach((address, index) => {
    data.set(address.toBytes(), 56 + 32 * index);
  });
  return data;
}
