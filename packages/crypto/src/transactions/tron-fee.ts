import { encodeSignedTronTransaction, type TronTransaction } from "./tron.ts";

/** In sun, as the network takes it now: its members can vote for another price. */
const SUN_OF_BYTE = 1000n;
/** The network counts a result of this size with each transaction. */
const RESULT_BYTES = 64;
const signature = { r: new Uint8Array(32), s: new Uint8Array(32), recovery: 0 } as const;

/** What a transaction can cost, in sun. Its `fee_limit` bounds the energy of a call alone. */
export type TronFee = {
  /** For its bytes with one signature, if the account has no bandwidth left. */
  readonly bytes: bigint;
  readonly energy: bigint;
  /** Whether the network takes fixed fees on top: for a memo, a change of permissions, or further signatures. */
  readonly hasFixedFees: boolean;
};

export function mostTronFee(transaction: TronTransaction): TronFee {
  const { data, feeLimit, contract } = transaction;
  const { length } = encodeSignedTronTransaction(transaction, signature);
  return {
    bytes: SUN_OF_BYTE * BigInt(length + RESULT_BYTES),
    energy: contract.action.kind === "call" ? feeLimit : 0n,
    hasFixedFees:
      data.length > 0 || contract.action.kind === "permissions" || contract.permissionId > 0n,
  };
}
