import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { decodeRlp } from "@keyhearth/crypto/transactions/rlp";

// A text can be a transaction: the service signs its UTF-8, and nothing else. These rules let no transaction pass that a
// chain here reads, without the readers of the chains, which are large.

const KECCAK = "HASH_FUNCTION_KECCAK256";

/**
 * What wallets put before a message, so that it is not a transaction: then the length in bytes, and the message. Bitcoin has such a
 * prefix too, but signs the SHA-256 of the SHA-256, which no hash function of a request is.
 */
const PREFIXES = ["\u0019Ethereum Signed Message:\n", "\u0019TRON Signed Message:\n"];

/** Whether the bytes of a text can be a transaction, or the hash of one. */
export function isBlindText(text: unknown, hashFunction: unknown): boolean {
  if (typeof text !== "string") return true;
  const prefix = PREFIXES.find((each) => text.startsWith(each));
  return prefix === undefined || hashFunction !== KECCAK
    ? isBlind(text, hashFunction)
    : isBlindMessage(text.slice(prefix.length));
}

/**
 * Smart accounts take the signature of such a message for their owner's word if the message is the hash of an operation: so 32 bytes
 * are blind here too, and what follows the prefix has the same rules as a text without one.
 */
function isBlindMessage(counted: string): boolean {
  // A message that begins with digits leaves open where the length ends.
  const messages = Array.from({ length: /^\d{0,9}/.exec(counted)?.[0].length ?? 0 }, (_, at) => ({
    length: counted.slice(0, at + 1),
    message: counted.slice(at + 1),
  })).filter(({ length, message }) => length === String(encodeUtf8(message).length));
  return (
    messages.length === 0 ||
    messages.some(({ message }) => isHash(message) || isBlind(message, KECCAK))
  );
}

function isHash(text: string): boolean {
  return encodeUtf8(text).length === 32;
}

function isBlind(text: string, hashFunction: unknown): boolean {
  // Typed transactions of Ethereum, and those of Solana and Tron, have such bytes as types, counts and lengths. Those of
  // Solana can begin with a tab or a line feed.
  if (/^\p{Cc}/u.test(text) || /[^\P{Cc}\t\n\r]/u.test(text)) return true;
  // Most chains sign a digest of 32 bytes, and Bitcoin the SHA-256 of one. Ethereum signs a Keccak hash of the transaction itself.
  return (isHash(text) && hashFunction !== KECCAK) || isRlpList(encodeUtf8(text));
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
