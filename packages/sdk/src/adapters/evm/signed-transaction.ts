import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  decodeInteger,
  decodeRlp,
  encodeRlp,
  type RlpItem,
} from "@keyhearth/crypto/transactions/rlp";
import { type Hex, unverified } from "./key.ts";

/** A signature on secp256k1: `r` and `s` have 32 bytes. */
export type EvmSignature = { r: Hex; s: Hex; yParity: 0 | 1 };

/**
 * The signature in a signed transaction. Both are hex without 0x. Throws `Unverified` unless the signed
 * one has exactly the fields of the unsigned one and three more: the parity, r and s (EIP-2718), or for
 * a legacy transaction v, r and s (EIP-155).
 */
export function readSignedTransaction(unsigned: string, signed: string): EvmSignature {
  const signature = read(unsigned, signed);
  if (signature) return signature;
  throw unverified("The service did not answer with the transaction to sign");
}

function read(unsigned: string, signed: string): EvmSignature | undefined {
  const before = parse(unsigned);
  const after = parse(signed);
  if (!before || !after || before.type !== after.type) return undefined;
  // An unsigned legacy transaction ends after the data, or has the chain id and two empty items.
  const fields = before.type === "" ? before.items.slice(0, 6) : before.items;
  const [v, r, s, ...rest] = after.items.slice(fields.length);
  if (!isInteger(v) || !isInteger(r) || !isInteger(s) || rest.length > 0) return undefined;
  if (
    encodeHex(encodeRlp([...fields, v, r, s])) !== signed.slice(after.type.length).toLowerCase()
  ) {
    return undefined;
  }
  const chainId = before.type === "" ? before.items[6] : undefined;
  const zero =
    before.type !== "" ? 0n : isInteger(chainId) ? 35n + 2n * decodeInteger(chainId) : 27n;
  const yParity = decodeInteger(v) - zero;
  if (yParity !== 0n && yParity !== 1n) return undefined;
  return { r: word(r), s: word(s), yParity: yParity === 0n ? 0 : 1 };
}

function parse(hex: string): { type: string; items: readonly RlpItem[] } | undefined {
  try {
    // A typed transaction starts with its type, and a list with a byte of at least 0xc0.
    const type = /^[0-7]/.test(hex) ? hex.slice(0, 2) : "";
    const items = decodeRlp(decodeHex(hex.slice(type.length)), { subject: "transaction" });
    return items instanceof Uint8Array ? undefined : { type, items };
  } catch {
    return undefined;
  }
}

function isInteger(item: RlpItem | undefined): item is Uint8Array {
  return item instanceof Uint8Array && item.length <= 32;
}

function word(bytes: Uint8Array): Hex {
  return `0x${encodeHex(bytes).padStart(64, "0")}`;
}
