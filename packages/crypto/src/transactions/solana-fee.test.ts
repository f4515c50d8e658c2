import {
  ComputeBudgetProgram,
  Ed25519Program,
  PublicKey,
  Secp256k1Program,
  SystemProgram,
  Transaction,
} from "@solana/web3.js";
import { expect, test } from "vitest";
import { decodeSolanaTransaction } from "./solana.ts";
import { mostSolanaFee } from "./solana-fee.ts";

const payer = new PublicKey("4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM");

function feeWith(...budget: Parameters<Transaction["add"]>): bigint {
  const blockhash = payer.toBase58();
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight: 1 });
  transaction.add(
    ...budget,
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 }),
  );
  const whole = { requireAllSignatures: false, verifySignatures: false };
  return mostSolanaFee(decodeSolanaTransaction(new Uint8Array(transaction.serialize(whole))));
}

test("a fee has the price that the transaction gives its units", () => {
  expect(feeWith()).toBe(5000n);
  // 200,000 units of an instruction, at 3 lamports each.
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 3_000_000 });
  expect(feeWith(price)).toBe(605_000n);
  const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
  expect(feeWith(price, limit(1000))).toBe(8000n);
  // The runtime takes no more units than 1.4 million.
  expect(feeWith(price, limit(4_000_000_000))).toBe(4_205_000n);
});

test("signatures that programs of the runtime verify cost as those of the transaction", () => {
  const signed = {
    publicKey: new Uint8Array(32),
    message: new Uint8Array(1),
    signature: new Uint8Array(64),
  };
  const ed25519 = Ed25519Program.createInstructionWithPublicKey(signed);
  expect(feeWith(ed25519)).toBe(10_000n);
  const secp256k1 = Secp256k1Program.createInstructionWithPublicKey({
    ...{ ...signed, publicKey: new Uint8Array(64) },
    recoveryId: 0,
  });
  expect(feeWith(ed25519, secp256k1)).toBe(15_000n);
  const secp256r1 = {
    keys: [],
    programId: new PublicKey("Secp256r1SigVerify1111111111111111111111111"),
    data: Buffer.from([8, 0]),
  };
  expect(feeWith(secp256r1)).toBe(45_000n);
  // Another program's first byte says nothing.
  expect(feeWith({ ...secp256r1, programId: new PublicKey(new Uint8Array(32).fill(7)) })).toBe(
    5000n,
  );
});
