import {
  mnemonicToEntropy as decodeMnemonic,
  entropyToMnemonic as encodeEntropy,
} from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";

import { pbkdf2Sha512 } from "#primitives";
import { encodeUtf8 } from "./encoding.ts";

// BIP-39 with the English word list.

/** Bytes of entropy behind a mnemonic of 12, 15, 18, 21 or 24 words. */
export function entropyLength(words: number): number {
  if (![12, 15, 18, 21, 24].includes(words)) throw new Error("invalid mnemonic length");
  return (words / 3) * 4;
}

/** The mnemonic of 16, 20, 24, 28 or 32 bytes. */
export function entropyToMnemonic(entropy: Uint8Array): string {
  entropyLength((entropy.length / 4) * 3);
  return encodeEntropy(entropy, wordlist);
}

/** The entropy of a mnemonic: lower-case words, one space between them, a right checksum. */
export function mnemonicToEntropy(mnemonic: string): Uint8Array {
  try {
    entropyLength(mnemonic.split(" ").length);
    return decodeMnemonic(mnemonic, wordlist);
  } catch {
    throw new Error("invalid mnemonic");
  }
}

/** The seed of 64 bytes of a valid mnemonic. */
export function mnemonicToSeed(mnemonic: string, passphrase = ""): Uint8Array {
  mnemonicToEntropy(mnemonic).fill(0);
  const salt = encodeUtf8(`mnemonic${passphrase}`.normalize("NFKD"));
  return pbkdf2Sha512(encodeUtf8(mnemonic), salt, { iterations: 2048, length: 64 });
}
