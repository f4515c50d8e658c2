import type { AddressFormat, Curve, HashFunction, PayloadEncoding } from "@keyhearth/sdk";

// How messages are signed. The chain of an account says how its wallets do it; people can choose another way.

/** Whose key signs, as the screens of accounts and private keys know it. */
export type Signer = {
  /** The address of an account, or the id of a private key. */
  signWith: string;
  curve: Curve;
  /** Undefined if nothing but the service says that the key has it. */
  publicKey: string | undefined;
  /** The format of the account's address, or of the first one of a private key. */
  format: AddressFormat | undefined;
};

export type Way = {
  id: string;
  label: string;
  /** What exactly is signed, in a sentence. */
  hint: string;
  hashFunction: HashFunction;
  /** What the chain's wallets put before a message, with its length in bytes. */
  prefix?: string;
  /** Other encodings than text and hex. */
  encoding?: PayloadEncoding;
};

const ethereum: Way = {
  ...{ id: "ethereum", label: "As a wallet does (ERC-191)" },
  hint: "Keccak-256 of the text after a prefix with its length, as personal_sign has it.",
  hashFunction: "HASH_FUNCTION_KECCAK256",
  prefix: "\x19Ethereum Signed Message:\n",
};

const typed: Way = {
  ...{ id: "typed", label: "Typed data (EIP-712)" },
  hint: "The service reads the JSON, shows it to policies and signs its digest.",
  hashFunction: "HASH_FUNCTION_NO_OP",
  encoding: "PAYLOAD_ENCODING_EIP712",
};

const tron: Way = {
  ...{ id: "tron", label: "As a wallet does (TIP-191)" },
  hint: "Keccak-256 of the text after a prefix with its length, as signMessageV2 has it.",
  hashFunction: "HASH_FUNCTION_KECCAK256",
  prefix: "\x19TRON Signed Message:\n",
};

const bytes: Way = {
  ...{ id: "bytes", label: "The message itself" },
  hint: "Ed25519 signs the bytes as they are. There is no hash function to choose.",
  hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
};

const sha256: Way = {
  ...{ id: "sha256", label: "SHA-256" },
  hint: "The SHA-256 digest of the bytes.",
  hashFunction: "HASH_FUNCTION_SHA256",
};

const keccak256: Way = {
  ...{ id: "keccak256", label: "Keccak-256" },
  hint: "The Keccak-256 digest of the bytes, without a prefix.",
  hashFunction: "HASH_FUNCTION_KECCAK256",
};

const digest: Way = {
  ...{ id: "digest", label: "A digest, as it is" },
  hint: "32 bytes in hex. Nobody who approves sees what they stand for, and a digest can be that of a transaction.",
  hashFunction: "HASH_FUNCTION_NO_OP",
};

/** The ways for a key. The first one is usual for its chain. */
export function waysOf({ curve, format }: Signer): readonly [Way, ...Way[]] {
  if (curve === "CURVE_ED25519") return [bytes];
  if (format === "ADDRESS_FORMAT_ETHEREUM") return [ethereum, typed, keccak256, sha256, digest];
  if (format === "ADDRESS_FORMAT_TRON") return [tron, keccak256, sha256, digest];
  return [sha256, keccak256, digest];
}

export type Payload = { payload: string; encoding: PayloadEncoding; hashFunction: HashFunction };

/**
 * What is sent, and the bytes that it stands for. With a prefix, the service gets the text with the prefix, so that whoever approves
 * reads the text. Throws a sentence if the message cannot be sent.
 */
export function payloadOf(way: Way, message: string, isHex: boolean): Payload {
  const { hashFunction, prefix, encoding } = way;
  if (encoding !== undefined) return { payload: message, encoding, hashFunction };
  if (!isHex) {
    if (!message.isWellFormed()) {
      throw new Error("The text has half of a character. Enter it as hexadecimal bytes instead.");
    }
    const length = new TextEncoder().encode(message).length;
    const payload = prefix === undefined ? message : `${prefix}${length}${message}`;
    return { payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8", hashFunction };
  }
  const digits = message.replace(/\s/g, "").replace(/^0x/i, "").toLowerCase();
  if (!/^([0-9a-f]{2})+$/.test(digits)) {
    throw new Error("Enter two hexadecimal digits for each byte, with or without 0x.");
  }
  const before = prefix === undefined ? "" : hexOf(`${prefix}${digits.length / 2}`);
  return { payload: before + digits, encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction };
}

function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
