import { sha256 } from "#primitives";
import { concatBytes } from "../encoding/bytes.ts";
import type { RecoverableSignature } from "../keys/keys.ts";
import { MalformedError } from "./malformed.ts";
import {
  bytesOf,
  decodeMessage,
  encodeBytesField,
  integerOf,
  listOf,
  type MessageShape,
} from "./protobuf.ts";
import { decodeTronContract, type TronContract } from "./tron-contracts.ts";

// Tron's transactions: what is signed is the message `Transaction.raw`, which clients call
// `raw_data_hex`.

/** A decoded transaction. Its byte fields are views of one copy of the input. */
export type TronTransaction = {
  /** The bytes that are signed. */
  readonly raw: Uint8Array;
  readonly refBlockBytes: Uint8Array;
  readonly refBlockHash: Uint8Array;
  /** In milliseconds, like the timestamp. */
  readonly expiration: bigint;
  readonly timestamp: bigint;
  /** The memo. */
  readonly data: Uint8Array;
  readonly feeLimit: bigint;
  readonly contract: TronContract;
};

const RAW: MessageShape = {
  1: { name: "ref_block_bytes", kind: "bytes" },
  4: { name: "ref_block_hash", kind: "bytes" },
  8: { name: "expiration", kind: "int64" },
  10: { name: "data", kind: "bytes" },
  11: { name: "contract", kind: "bytes", isRepeated: true },
  14: { name: "timestamp", kind: "int64" },
  18: { name: "fee_limit", kind: "int64" },
};

/** Decodes `raw_data_hex`. Throws a MalformedError. */
export function decodeTronTransaction(bytes: Uint8Array): TronTransaction {
  const raw = new Uint8Array(bytes); // the `slice` of Node's own byte arrays does not copy
  const message = decodeMessage(raw, RAW, "raw_data_hex");
  const contracts = listOf(message, 11);
  const [contract] = contracts;
  if (!contract || contracts.length > 1) {
    throw new MalformedError(`raw_data_hex: ${contracts.length} contracts, expected 1`);
  }
  return {
    raw,
    refBlockBytes: sized(bytesOf(message, 1), 2, "ref_block_bytes"),
    refBlockHash: sized(bytesOf(message, 4), 8, "ref_block_hash"),
    expiration: integerOf(message, 8),
    timestamp: integerOf(message, 14),
    data: bytesOf(message, 10),
    feeLimit: integerOf(message, 18),
    contract: decodeTronContract(contract),
  };
}

/** What the owner signs. It is also the id of the transaction. */
export function tronSigningDigest({ raw }: TronTransaction): Uint8Array {
  return sha256(raw);
}

/** Encodes the transaction as nodes take it for broadcast: `raw_data`, and one signature. */
export function encodeSignedTronTransaction(
  { raw }: TronTransaction,
  { r, s, recovery }: RecoverableSignature,
): Uint8Array {
  const signature = concatBytes(r, s, Uint8Array.of(27 + recovery));
  return concatBytes(encodeBytesField(1, raw), encodeBytesField(2, signature));
}

function sized(bytes: Uint8Array, length: number, name: string): Uint8Array {
  if (bytes.length === length) return bytes;
  throw new MalformedError(`raw_data_hex: ${name} has ${bytes.length} bytes, expected ${length}`);
}
