import { address, getTransactionDecoder, lamports } from "@solana/kit";
import type { PublicKey } from "@solana/web3.js";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";

/** Solana's runtime in memory: it checks signatures and executes one transaction after the other. */
export type Runtime = {
  /** Gives an account one SOL. */
  fund(key: PublicKey): void;
  airdrop(to: string, amount: bigint): void;
  latestBlockhash(): string;
  /** Executes a signed transaction. Returns why it was refused, or undefined. */
  send(signed: Uint8Array): string | undefined;
  balanceOf(key: PublicKey): bigint;
  putAccount(key: PublicKey, program: PublicKey, data: Uint8Array): void;
};

export function startRuntime(): Runtime {
  const svm = new LiteSVM();
  // Its blocks do not follow each other by themselves, and lookup tables hold for later ones.
  svm.warpToSlot(10n);
  const addressOf = (key: PublicKey) => address(key.toBase58());
  return {
    fund(key) {
      svm.airdrop(addressOf(key), lamports(10n ** 9n));
    },
    airdrop: (to, amount) => void svm.airdrop(address(to), lamports(amount)),
    latestBlockhash: () => svm.latestBlockhash(),
    send(signed) {
      try {
        const result = svm.sendTransaction(getTransactionDecoder().decode(signed));
        return result instanceof FailedTransactionMetadata ? result.toString() : undefined;
      } catch (error) {
        // It does not take a transaction without all signatures.
        return String(error);
      }
    },
    balanceOf: (key) => svm.getBalance(addressOf(key)) ?? 0n,
    putAccount(key, program, data) {
      svm.setAccount({
        address: addressOf(key),
        data,
        executable: false,
        lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
        programAddress: addressOf(program),
        space: BigInt(data.length),
      });
    },
  };
}
