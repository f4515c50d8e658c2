import { createBlock } from "@ethereumjs/block";
import { type ChainConfig, Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createTxFromRLP, type TypedTransaction } from "@ethereumjs/tx";
import {
  Account,
  bytesToHex,
  createAddressFromString,
  hexToBytes,
  setLengthLeft,
} from "@ethereumjs/util";
import { createVM, runTx } from "@ethereumjs/vm";
import type { Hex } from "viem";

/** An Ethereum chain in memory, without peers and without consensus: what it executes is final. */
export type Evm = {
  /** Gives an account this many wei, or ten ether. */
  fund(address: string, balance?: bigint): Promise<void>;
  /** Puts a contract where other chains have it. */
  putCode(address: string, code: Hex): Promise<void>;
  /** What a call would answer, without executing it. Throws if it reverts. */
  call(call: { from?: string | undefined; to: string; data: Hex }): Promise<Hex>;
  /** Executes a signed transaction as the next block would, or throws if it is not valid. */
  execute(signed: Hex): Promise<Executed>;
  balanceOf(address: string): Promise<bigint>;
  nonceOf(address: string): Promise<bigint>;
  codeOf(address: string): Promise<Hex>;
  /** A word of a contract's storage. */
  wordOf(address: string, slot: bigint): Promise<bigint>;
};

type Executed = {
  type: number;
  hash: Hex;
  /** The account that the signature recovers to, in lower case. */
  sender: string;
  isReverted: boolean;
  /** The contract that it created, in lower case. */
  created: string | undefined;
};

export const GWEI = 10n ** 9n;

// A block has only the hashes of blobs. The blobs and their proofs stay in the network around it.
function noBlob(): never {
  throw new Error("a block has no blobs");
}
const withoutBlobs = {
  blobToKzgCommitment: noBlob,
  computeBlobProof: noBlob,
  verifyProof: noBlob,
  verifyBlobProofBatch: noBlob,
  computeCells: noBlob,
  computeCellsAndProofs: noBlob,
  recoverCellsAndProofs: noBlob,
  verifyCellKzgProofBatch: noBlob,
};

export async function startEvm(chain: ChainConfig = Mainnet): Promise<Evm> {
  const customCrypto = { kzg: withoutBlobs };
  const common = new Common({ chain, hardfork: Hardfork.Prague, customCrypto });
  const vm = await createVM({ common });
  const { stateManager } = vm;
  const accountOf = async (address: string) =>
    (await stateManager.getAccount(createAddressFromString(address))) ?? new Account();
  // Blobs are paid for by their own fee, which depends on the excess of earlier blocks.
  const block = createBlock(
    { header: { number: 1n, gasLimit: 30_000_000n, baseFeePerGas: GWEI, excessBlobGas: 0n } },
    { common, skipConsensusFormatValidation: true },
  );
  return {
    async fund(address, balance = 10n * GWEI * GWEI) {
      const account = await accountOf(address);
      account.balance = balance;
      await stateManager.putAccount(createAddressFromString(address), account);
    },
    async putCode(address, code) {
      await stateManager.putCode(createAddressFromString(address), hexToBytes(code));
    },
    async call({ from, to, data }) {
      await stateManager.checkpoint();
      try {
        const { execResult } = await vm.evm.runCall({
          block,
          ...(from ? { caller: createAddressFromString(from) } : {}),
          to: createAddressFromString(to),
          data: hexToBytes(data),
          gasLimit: 10_000_000n,
        });
        if (execResult.exceptionError) throw new Error(execResult.exceptionError.error);
        return bytesToHex(execResult.returnValue);
      } finally {
        await stateManager.revert();
      }
    },
    async execute(signed) {
      const tx: TypedTransaction = createTxFromRLP(hexToBytes(signed), { common });
      const { execResult, createdAddress } = await runTx(vm, { tx, block });
      return {
        type: tx.type,
        hash: bytesToHex(tx.hash()),
        sender: tx.getSenderAddress().toString(),
        isReverted: execResult.exceptionError !== undefined,
        created: createdAddress?.toString(),
      };
    },
    balanceOf: async (address) => (await accountOf(address)).balance,
    nonceOf: async (address) => (await accountOf(address)).nonce,
    codeOf: async (address) =>
      bytesToHex(await stateManager.getCode(createAddressFromString(address))),
    async wordOf(address, slot) {
      const key = setLengthLeft(hexToBytes(`0x${slot.toString(16).padStart(2, "0")}`), 32);
      const word = await stateManager.getStorage(createAddressFromString(address), key);
      return BigInt(`0x0${bytesToHex(word).slice(2)}`);
    },
  };
}
