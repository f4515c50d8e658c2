import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { TransactionType } from "../../generated/types.ts";
import { readBitcoin } from "./bitcoin.ts";
import { readEthereum } from "./ethereum.ts";
import { isKind, type Read } from "./lines.ts";
import { readSolana } from "./solana.ts";
import { readTron } from "./tron.ts";

// Reads transactions with the decoders of the signer, to the last byte: what they refuse, the signer refuses.

type Given = { type: TransactionType; unsignedTransaction: string; signWith: string };

/** What a transaction says. If nobody can read it, it says so, and names the bytes by their digest. */
export function readTransaction({ type, unsignedTransaction, signWith }: Given): Read {
  let bytes: Uint8Array;
  try {
    bytes = decodeHex(unsignedTransaction.replace(/^0x/, "").toLowerCase());
  } catch {
    return { lines: [], warnings: [{ text: "unreadTransaction" }] };
  }
  try {
    switch (type) {
      case "TRANSACTION_TYPE_ETHEREUM":
        return readEthereum(bytes);
      case "TRANSACTION_TYPE_SOLANA":
        return readSolana(bytes);
      case "TRANSACTION_TYPE_BITCOIN":
        return readBitcoin(bytes, signWith);
      case "TRANSACTION_TYPE_TRON":
        return readTron(bytes);
      default:
        return unread(bytes);
    }
  } catch {
    return unread(bytes);
  }
}

function unread(bytes: Uint8Array): Read {
  return {
    lines: [
      isKind("otherTransaction"),
      { label: "data", text: { name: "bytes", values: { count: String(bytes.length) } } },
      { label: "fingerprint", value: encodeHex(sha256(bytes)), isMono: true },
    ],
    warnings: [{ text: "unreadTransaction" }],
  };
}
