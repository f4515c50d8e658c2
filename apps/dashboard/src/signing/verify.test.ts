import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf, signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import {
  decodeTronTransaction,
  encodeSignedTronTransaction,
  tronSigningDigest,
} from "@keyhearth/crypto/transactions/tron";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { Psbt, payments } from "bitcoinjs-lib";
import { utils } from "tronweb";
import {
  encodeFunctionData,
  erc20Abi,
  parseGwei,
  parseTransaction,
  serializeTransaction,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { bytesOfPasted, type Given, readTransaction } from "../transaction/read.ts";
import { verifyTransaction } from "./verify.ts";

const to = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e";
const fees = { maxPriorityFeePerGas: 1n, maxFeePerGas: parseGwei("30"), gas: 21_000n, nonce: 3 };

function read(type: Given["type"], text: string, format?: Given["format"]) {
  const reading = readTransaction({ type, bytes: bytesOfPasted(text, type), format });
  const facts = reading.facts.map(({ name, value }) => `${name}: ${value}`);
  return { ...reading, facts };
}

const signer = (publicKey: string) => ({
  ...({ signWith: "", curve: "CURVE_SECP256K1", publicKey, format: undefined } as const),
});

test("an approval without a limit is said, and a call with one byte too many is not taken for one", () => {
  const args = [to, 2n ** 256n - 1n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  const approval = read(
    "TRANSACTION_TYPE_ETHEREUM",
    serializeTransaction({ chainId: 1, to, data, ...fees }),
  );
  expect(approval).toMatchObject({ title: "Lets somebody else spend a token", isUnread: false });
  expect(approval.facts.slice(0, 3)).toEqual([
    `Who may spend: ${to}`,
    `Tokens: without a limit, or the collectible number ${args[1]}`,
    `Token contract: ${to}`,
  ]);
  expect(approval.warnings).toEqual([
    expect.stringContaining("take all of these tokens"),
    expect.stringContaining("take the whole of that collectible"),
  ]);
  const longer = serializeTransaction({ chainId: 1, to, data: `${data}00`, ...fees });
  expect(read("TRANSACTION_TYPE_ETHEREUM", longer)).toMatchObject({
    ...{ title: "Calls a contract", isUnread: true },
  });
});

test("a transaction that counts on every network is said, and what is none is refused", () => {
  const legacy = serializeTransaction({ to, gasPrice: 1n, gas: 21_000n, nonce: 0, type: "legacy" });
  expect(read("TRANSACTION_TYPE_ETHEREUM", legacy).warnings).toEqual([
    expect.stringContaining("counts on every one"),
  ]);
  for (const type of [
    "TRANSACTION_TYPE_ETHEREUM",
    "TRANSACTION_TYPE_SOLANA",
    "TRANSACTION_TYPE_TRON",
    "TRANSACTION_TYPE_BITCOIN",
  ] as const) {
    for (const text of ["c0ffee", `${legacy}00`, "", "zz", "abc", "%%%"]) {
      expect(() => read(type, text)).toThrow();
    }
  }
});

test("a signature of another key, or over another transaction, is not verified", async () => {
  const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
  const publicKey = encodeHex(publicKeyOf("CURVE_SECP256K1", decodeHex("11".repeat(32))));
  for (const transaction of [
    { chainId: 8453, to, value: 1n, ...fees } as const,
    { type: "legacy", chainId: 1, to, gasPrice: 1n, gas: 21_000n, nonce: 0 } as const,
  ]) {
    const signed = (await account.signTransaction(transaction)).slice(2);
    const unsigned = serializeTransaction(transaction).slice(2);
    const verify = (key: string, before: string) =>
      verifyTransaction(signer(key), "TRANSACTION_TYPE_ETHEREUM", { unsigned: before, signed });
    expect(verify(publicKey, unsigned)).toBe(true);
    const other = publicKeyOf("CURVE_SECP256K1", generatePrivateKey("CURVE_SECP256K1"));
    expect(verify(encodeHex(other), unsigned)).toBe(false);
    // With the other recovery id, the same halves are the signature of somebody else.
    const { r, s, v, yParity } = parseTransaction(`0x${signed}`);
    if (!r || !s) throw new Error("it is not signed");
    const flipped = serializeTransaction(
      transaction,
      "type" in transaction
        ? { r, s, v: v === 37n ? 38n : 37n }
        : { r, s, yParity: 1 - Number(yParity) },
    ).slice(2);
    expect(flipped).not.toBe(signed);
    const forged = { unsigned, signed: flipped };
    expect(verifyTransaction(signer(publicKey), "TRANSACTION_TYPE_ETHEREUM", forged)).toBe(false);
    const changed = serializeTransaction({ ...transaction, gas: 21_001n });
    expect(verify(publicKey, changed.slice(2))).toBe(false);
  }
});

test("a transfer of SOL is read and verified, and other instructions beside it are said", () => {
  const payer = Keypair.generate();
  const [other, blockhash] = [2, 3].map((byte) => new PublicKey(new Uint8Array(32).fill(byte)));
  if (!other || !blockhash) throw new Error("two keys");
  const made = (...instructions: TransactionInstruction[]) => {
    const message = new TransactionMessage({
      ...{ payerKey: payer.publicKey, recentBlockhash: blockhash.toBase58(), instructions },
    });
    return new VersionedTransaction(message.compileToV0Message());
  };
  const pays = { fromPubkey: payer.publicKey, toPubkey: other, lamports: 1500 };
  const transaction = made(SystemProgram.transfer(pays));
  const unsigned = encodeHex(transaction.serialize());
  const base64 = Buffer.from(transaction.serialize()).toString("base64");
  const reading = read("TRANSACTION_TYPE_SOLANA", base64);
  expect(reading).toMatchObject({ title: "A payment", warnings: [], isUnread: false });
  expect(reading.facts.slice(1, 3)).toEqual([`To: ${other.toBase58()}`, "Amount: 0.0000015 SOL"]);
  transaction.sign([payer]);
  const verify = (key: PublicKey, signed: Uint8Array) =>
    verifyTransaction(signer(encodeHex(key.toBytes())), "TRANSACTION_TYPE_SOLANA", {
      ...{ unsigned, signed: encodeHex(signed) },
    });
  expect(verify(payer.publicKey, transaction.serialize())).toBe(true);
  expect(verify(other, transaction.serialize())).toBe(false);
  const more = made(
    SystemProgram.transfer(pays),
    new TransactionInstruction({ keys: [], programId: other, data: Buffer.from([1]) }),
  );
  expect(read("TRANSACTION_TYPE_SOLANA", encodeHex(more.serialize()))).toMatchObject({
    ...{ title: "A transaction of Solana", isUnread: true },
  });
});

test("a transfer of TRX is read and verified", () => {
  const value = {
    ...{ owner_address: `41${"01".repeat(20)}`, to_address: `41${"02".repeat(20)}`, amount: 5 },
  };
  const made = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ...{ ref_block_bytes: "a1b2", ref_block_hash: "0102030405060708" },
      ...{ expiration: 1_700_000_060_000, timestamp: 1_700_000_000_000 },
      contract: [{ type: "TransferContract", parameter: { value } }],
    },
  });
  const unsigned = utils.transaction.txPbToRawDataHex(made).toLowerCase();
  expect(read("TRANSACTION_TYPE_TRON", unsigned).facts.slice(1, 3)).toEqual([
    `To: ${utils.address.fromHex(value.to_address)}`,
    "Amount: 0.000005 TRX",
  ]);
  const key = generatePrivateKey("CURVE_SECP256K1");
  const transaction = decodeTronTransaction(decodeHex(unsigned));
  const signature = signSecp256k1(tronSigningDigest(transaction), key);
  const signed = encodeHex(encodeSignedTronTransaction(transaction, signature));
  const own = signer(encodeHex(publicKeyOf("CURVE_SECP256K1", key)));
  const verify = (text: string) =>
    verifyTransaction(own, "TRANSACTION_TYPE_TRON", { unsigned, signed: text });
  expect(verify(signed)).toBe(true);
  expect(verify(signed.replace(/..$/, "ff"))).toBe(false);
});

test("a PSBT is read in the network of the address that signs", () => {
  const psbt = new Psbt();
  const script = Uint8Array.from([0, 20, ...new Uint8Array(20).fill(7)]);
  psbt.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo: { script, value: 100_000n } });
  const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  psbt.addOutput({ address, value: 90_000n });
  const usual = "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH";
  const mainnet = read("TRANSACTION_TYPE_BITCOIN", psbt.toBase64(), usual);
  expect(mainnet.facts).toEqual([
    `To: ${address}`,
    "Amount: 0.0009 BTC",
    "Network: Bitcoin, mainnet",
    "Inputs: 1",
    "Fee: 0.0001 BTC",
  ]);
  expect(mainnet.warnings).toEqual([expect.stringContaining("what the PSBT claims")]);
  const format = "ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH";
  expect(read("TRANSACTION_TYPE_BITCOIN", psbt.toHex(), format).facts[0]).toMatch(/^To: tb1/);
});

test("a signed PSBT is verified", () => {
  const key = generatePrivateKey("CURVE_SECP256K1");
  const publicKey = publicKeyOf("CURVE_SECP256K1", key);
  const { output: script } = payments.p2wpkh({ pubkey: publicKey });
  if (!script) throw new Error("no script");
  const paying = (value: bigint) => {
    const psbt = new Psbt();
    psbt.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo: { script, value: 100_000n } });
    return psbt.addOutput({ script, value });
  };
  const unsigned = paying(90_000n).toHex();
  const sign = (digest: Uint8Array) => {
    const { r, s } = signSecp256k1(digest, key);
    return Uint8Array.from([...r, ...s]);
  };
  const signed = paying(90_000n).signInput(0, { publicKey, sign }).toHex();
  const verify = (text: string, by = publicKey) =>
    verifyTransaction(signer(encodeHex(by)), "TRANSACTION_TYPE_BITCOIN", {
      ...{ unsigned, signed: text },
    });
  expect(verify(signed)).toBe(true);
  expect(verify(paying(80_000n).signInput(0, { publicKey, sign }).toHex())).toBe(false);
  expect(verify(unsigned)).toBe(false);
  const other = publicKeyOf("CURVE_SECP256K1", generatePrivateKey("CURVE_SECP256K1"));
  expect(verify(signed, other)).toBe(false);
  expect(
    verifyTransaction({ ...signer("zz") }, "TRANSACTION_TYPE_BITCOIN", { unsigned, signed }),
  ).toBe(false);
});
