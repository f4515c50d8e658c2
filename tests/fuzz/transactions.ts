import { tronAddress } from "@keyhearth/crypto/addresses/tron";
import { Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { address as bitcoinAddress, initEccLib, Psbt } from "bitcoinjs-lib";
import * as tiny from "tiny-secp256k1";
import { utils } from "tronweb";
import { serializeTransaction } from "viem";
import type { Random } from "./random.ts";
import type { Tenant } from "./state.ts";

// Transactions that an organization can sign, made by the libraries that clients use.

initEccLib(tiny);

type Signable = { signWith: string; unsignedTransaction: string };

/** A transaction of this type for a key of the tenant, if it has one. */
export function transactionOf(random: Random, tenant: Tenant, type: string): Partial<Signable> {
  const make = makers[type];
  const candidates = (tenant.known.get("address") ?? []).filter((each) => make?.test(each));
  if (!make || candidates.length === 0) return {};
  const signWith = random.pick(candidates);
  return { signWith, unsignedTransaction: make.of(random, signWith) };
}

type Maker = { test(address: string): boolean; of(random: Random, address: string): string };

const makers: Record<string, Maker> = {
  TRANSACTION_TYPE_ETHEREUM: {
    test: (address) => /^0x[0-9a-fA-F]{40}$/.test(address),
    of(random) {
      const fees = { gas: 21_000n, maxFeePerGas: 10n ** 9n, value: BigInt(random.below(1000)) };
      return serializeTransaction({ chainId: 1, nonce: random.below(9), to: OTHER, ...fees });
    },
  },
  TRANSACTION_TYPE_SOLANA: { test: isSolana, of: (_, address) => solanaTransfer(address) },
  TRANSACTION_TYPE_TRON: {
    test: (address) => /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address),
    of: (random, address) => tronTransfer(address, 1 + random.below(1_000_000)),
  },
  TRANSACTION_TYPE_BITCOIN: {
    test: (address) => /^bc1[a-z0-9]{39,59}$/.test(address),
    of: (random, address) => bitcoinSpending(address, 1000 + random.below(100_000)),
  },
};

const OTHER = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

function isSolana(address: string): boolean {
  try {
    return PublicKey.isOnCurve(new PublicKey(address).toBytes());
  } catch {
    return false;
  }
}

function solanaTransfer(address: string): string {
  const payer = new PublicKey(address);
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 });
  const transaction = new Transaction({ feePayer: payer, recentBlockhash: BLOCKHASH });
  const bytes = transaction.add(transfer).serialize({ requireAllSignatures: false });
  return bytes.toString("hex");
}

const BLOCKHASH = Keypair.fromSeed(new Uint8Array(32)).publicKey.toBase58();

function tronTransfer(address: string, amount: number): string {
  const value = {
    owner_address: utils.address.toHex(address),
    to_address: utils.address.toHex(TRON_OTHER),
    amount,
  };
  const transaction = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ref_block_bytes: "a1b2",
      ref_block_hash: "0102030405060708",
      expiration: 1_700_000_060_000,
      timestamp: 1_700_000_000_000,
      contract: [{ type: "TransferContract", parameter: { value } }],
    },
  });
  return utils.transaction.txPbToRawDataHex(transaction);
}

const GENERATOR = Uint8Array.from(
  Buffer.from("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "hex"),
);
const TRON_OTHER = tronAddress(GENERATOR);

function bitcoinSpending(address: string, amount: number): string {
  const script = bitcoinAddress.toOutputScript(address);
  const psbt = new Psbt();
  const witnessUtxo = { script, value: BigInt(amount) };
  psbt.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo });
  psbt.addOutput({ script, value: BigInt(amount - 500) });
  return psbt.toHex();
}
