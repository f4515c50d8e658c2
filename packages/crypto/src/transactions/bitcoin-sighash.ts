import { sha256 } from "#primitives";
import { concatBytes, encodeUtf8 } from "../encoding/bytes.ts";
import {
  type BitcoinInput,
  type BitcoinOutput,
  type BitcoinTransaction,
  encodeBytes,
  encodeOutpoint,
  encodeOutput,
  encodeUnsignedTransaction,
  hash256,
  joinBytes,
  signatureScriptOffset,
  uint32,
  uint64,
} from "./bitcoin-transaction.ts";

// The digests that signatures commit to, for the two types that commit to all inputs and outputs:
// SIGHASH_ALL, and SIGHASH_DEFAULT of Taproot.

export const SIGHASH_DEFAULT = 0;
export const SIGHASH_ALL = 1;

/** What the digests of a transaction's inputs have in common, encoded and hashed once. */
export type SharedHashes = {
  readonly unsigned: Uint8Array;
  readonly outpoints: Uint8Array;
  readonly sequences: Uint8Array;
  readonly outputs: Uint8Array;
};

/** Hashes with SHA-256 once. BIP-341 uses these hashes as they are, and BIP-143 hashes them again. */
export function sharedHashes(transaction: BitcoinTransaction): SharedHashes {
  const { inputs, outputs } = transaction;
  return {
    unsigned: encodeUnsignedTransaction(transaction),
    outpoints: sha256(joinBytes(inputs.map(encodeOutpoint))),
    sequences: sha256(joinBytes(inputs.map(({ sequence }) => uint32(sequence)))),
    outputs: sha256(joinBytes(outputs.map(encodeOutput))),
  };
}

/** Before SegWit. Does not commit to the amounts that are spent. */
export function legacySighash(
  transaction: BitcoinTransaction,
  { unsigned }: SharedHashes,
  { input, script }: { input: number; script: Uint8Array },
): Uint8Array {
  const at = signatureScriptOffset(transaction, input);
  return hash256(
    concatBytes(
      unsigned.subarray(0, at),
      encodeBytes(script),
      unsigned.subarray(at + 1),
      uint32(SIGHASH_ALL),
    ),
  );
}

/** SegWit version 0 (BIP-143). Commits to the amount of this input alone. */
export function witnessSighash(
  { version, inputs, locktime }: BitcoinTransaction,
  shared: SharedHashes,
  { input, script, amount }: { input: number; script: Uint8Array; amount: bigint },
): Uint8Array {
  const spending = inputs[input] as BitcoinInput; // callers stay within the inputs
  return hash256(
    concatBytes(
      uint32(version),
      sha256(shared.outpoints),
      sha256(shared.sequences),
      encodeOutpoint(spending),
      encodeBytes(script),
      uint64(amount),
      uint32(spending.sequence),
      sha256(shared.outputs),
      uint32(locktime),
      uint32(SIGHASH_ALL),
    ),
  );
}

/** What else Taproot digests commit to: the amounts and scripts of all spent outputs. */
export type SpentHashes = { readonly amounts: Uint8Array; readonly scripts: Uint8Array };

export function spentHashes(spent: readonly BitcoinOutput[]): SpentHashes {
  return {
    amounts: sha256(joinBytes(spent.map(({ amount }) => uint64(amount)))),
    scripts: sha256(joinBytes(spent.map(({ script }) => encodeBytes(script)))),
  };
}

/** Taproot, spent by the key (BIP-341). */
export function taprootSighash(
  { version, locktime }: BitcoinTransaction,
  shared: SharedHashes,
  { input, spent }: { input: number; spent: SpentHashes },
): Uint8Array {
  const tag = sha256(encodeUtf8("TapSighash"));
  return sha256(
    concatBytes(
      tag,
      tag,
      Uint8Array.of(0, SIGHASH_DEFAULT), // the epoch, and the type
      uint32(version),
      uint32(locktime),
      shared.outpoints,
      spent.amounts,
      spent.scripts,
      shared.sequences,
      shared.outputs,
      Uint8Array.of(0), // spent by the key, without an annex
      uint32(input),
    ),
  );
}
