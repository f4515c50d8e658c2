import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { decodeRlp } from "@keyhearth/crypto/transactions/rlp";

// A text can be a transaction: the service signs its UTF-8, and nothing else. These rules let no transaction pass that a
// chain here reads, without the readers of the chains, which are large.

/** What wallets put before a message, so that it is not a transaction. */
const PREFIXES = [
  "\u0019Ethereum Signed Message:\n",
  "\u0019TRON Signed Message:\n",
  "\u0018Bitcoin Signed Message:\n",
];

/** Whether the bytes of a text can be a transaction, or the hash of one. */
export function isBlindText(text: unknown, hashFunction: unknown): boolean {
  if (typeof text !== "string") return true;
  if (PREFIXES.some((prefix) => text.startsWith(prefix))) return false;
  // Typed transactions of Ethereum, and those of Solana and Tron, have such bytes as types, counts and lengths. Those of
  // Solana can begin with a tab or a line feed.
  if (/^\p{Cc}/u.test(text) || /[^\P{Cc}\t\n\r]/u.test(text)) return true;
  const bytes = encodeUtf8(text);
  // Most chains sign a digest of 32 bytes, and Bitcoin the SHA-256 of one. Ethereum signs a Keccak hash of the transaction itself.
  const isHash = bytes.length === 32 && hashFunction !== "HASH_FUNCTION_KECCAK256";
  return isHash || isRlpList(bytes);
}

/** Transactions of Ethereum without a type are such lists. */
function isRlpList(bytes: Uint8Array): boolean {
  if ((bytes[0] ?? 0) < 0xc0) return false;
  try {
    return Array.isArray(decodeRlp(bytes, { subject: "text" }));
  } catch {
    return false;
  }
}
