import { mnemonicToEntropy as decodeMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";

import { pbkdf2Sha512, sha256 } from "#primitives";
import { encodeUtf8 } from "./encoding.ts";

// BIP-39 with the English word list.

/** The bytes of entropy that a mnemonic of 12, 15, 18, 21 or 24 words encodes. */
export function entropyLength(words: number): number {
  if (![12, 15, 18, 21, 24].includes(words)) throw new Error("invalid mnemonic length");
  return (words / 3) * 4;
}

/**
 * The mnemonic of 16, 20, 24, 28 or 32 bytes. The library builds and checks its coder again on each
 * call, which takes as long as everything else in creating a wallet except PBKDF2.
 */
export function entropyToMnemonic(entropy: Uint8Array): string {
  const length = (entropy.length / 4) * 3;
  entropyLength(length);
  // BIP-39: a checksum bit for every 32 bits of entropy, then groups of 11 bits from the front.
  let pending = 0;
  let bits = 0;
  const words: (string | undefined)[] = [];
  for (const byte of [...entropy, ...sha256(entropy).subarray(0, 1)]) {
    pending = ((pending << 8) | byte) & 0x7ffff;
    bits += 8;
    if (bits < 11 || words.length === length) continue;
    bits -= 11;
    words.push(wordlist[(pending >> bits) & 0x7ff]);
  }
  return words.join(" ");
}

/** The entropy of a mnemonic. It must have lower-case words, single spaces and a valid checksum. */
export function mnemonicToEntropy(mnemonic: string): Uint8Array {
  try {
    entropyLength(mnemonic.split(" ").length);
    return decodeMnemonic(mnemonic, wordlist);
  } catch {
    throw new Error("invalid mnemonic");
  }
}

/** The seed of a valid mnemonic, 64 bytes. */
export function mnemonicToSeed(mnemonic: string, passphrase = ""): Uint8Array {
  mnemonicToEntropy(mnemonic).fill(0);
  return stretch(mnemonic, passphrase);
}

/** The seed of the mnemonic that encodes this entropy. */
export function entropyToSeed(entropy: Uint8Array, passphrase = ""): Uint8Array {
  return stretch(entropyToMnemonic(entropy), passphrase);
}

function stretch(mnemonic: string, passphrase: string): Uint8Array {
  const salt = encodeUtf8(`mnemonic${passphrase}`.normalize("NFKD"));
  return pbkdf2Sha512(encodeUtf8(mnemonic), salt, { iterations: 2048, length: 64 });
}
