import type { EthereumTransaction } from "./ethereum.ts";

const GAS_OF_BLOB = 131_072n;

/** The most wei that a transaction can cost in addition to its amount, with the blobs that it carries (EIP-4844). */
export function mostEthereumFee(transaction: EthereumTransaction): bigint {
  const perGas = "maxFeePerGas" in transaction ? transaction.maxFeePerGas : transaction.gasPrice;
  const blobs =
    "maxFeePerBlobGas" in transaction
      ? BigInt(transaction.blobVersionedHashes.length) * GAS_OF_BLOB * transaction.maxFeePerBlobGas
      : 0n;
  return transaction.gas * perGas + blobs;
}
