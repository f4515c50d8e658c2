import { wordlist as czech } from "@scure/bip39/wordlists/czech";
import { wordlist as english } from "@scure/bip39/wordlists/english";
import { wordlist as french } from "@scure/bip39/wordlists/french";
import { wordlist as italian } from "@scure/bip39/wordlists/italian";
import { wordlist as japanese } from "@scure/bip39/wordlists/japanese";
import { wordlist as korean } from "@scure/bip39/wordlists/korean";
import { wordlist as simplifiedChinese } from "@scure/bip39/wordlists/simplified-chinese";
import { wordlist as spanish } from "@scure/bip39/wordlists/spanish";
import { wordlist as traditionalChinese } from "@scure/bip39/wordlists/traditional-chinese";

import { pbkdf2Sha512, sha256 } from "#primitives";
import { encodeUtf8, wipe } from "../encoding/bytes.ts";
import { type SecretBytes, secretBytes } from "../secret-bytes.ts";

// BIP-39. No message names a word: words are secret.

/** Word lists in the order in which a mnemonic is looked up. */
const WORDLISTS = {
  ENGLISH: english,
  SIMPLIFIED_CHINESE: simplifiedChinese,
  TRADITIONAL_CHINESE: traditionalChinese,
  CZECH: czech,
  FRENCH: french,
  ITALIAN: italian,
  JAPANESE: japanese,
  KOREAN: korean,
  SPANISH: spanish,
} as const satisfies Record<string, readonly string[]>;

export type MnemonicLanguage = keyof typeof WORDLISTS;

// Keys of an object are strings to the compiler.
export const mnemonicLanguages = Object.keys(WORDLISTS) as [MnemonicLanguage];

/** The bytes of entropy that a mnemonic of 12, 15, 18, 21 or 24 words encodes. */
export function entropyLength(words: number): number {
  if (!isMnemonicLength(words)) throw new Error("invalid mnemonic length");
  return (words / 3) * 4;
}

function isMnemonicLength(words: number): boolean {
  return [12, 15, 18, 21, 24].includes(words);
}

/**
 * The mnemonic of 16, 20, 24, 28 or 32 bytes. The library builds and checks its coder again on each
 * call, which takes as long as everything else in creating a wallet except PBKDF2.
 */
export function entropyToMnemonic(
  entropy: Uint8Array,
  language: MnemonicLanguage = "ENGLISH",
): string {
  const length = (entropy.length / 4) * 3;
  entropyLength(length);
  const list = WORDLISTS[language];
  // BIP-39: a checksum bit for every 32 bits of entropy, then groups of 11 bits from the front.
  let pending = 0;
  let bits = 0;
  const words: (string | undefined)[] = [];
  for (const byte of [...entropy, ...sha256(entropy).subarray(0, 1)]) {
    pending = ((pending << 8) | byte) & 0x7ffff;
    bits += 8;
    if (bits < 11 || words.length === length) continue;
    bits -= 11;
    words.push(list[(pending >> bits) & 0x7ff]);
  }
  // Japanese words are separated by the wide space; it makes the same seed.
  return words.join(language === "JAPANESE" ? "\u3000" : " ");
}

/**
 * Reads a mnemonic in any of the languages. Some mnemonics can be read in two languages (Chinese shares
 * characters, English and French share words): then the first language counts in which the checksum is
 * right. The seed is the same either way. Throws a sentence about the first thing that is wrong.
 */
export function parseMnemonic(mnemonic: string): {
  entropy: SecretBytes;
  language: MnemonicLanguage;
} {
  const words = mnemonic.normalize("NFKD").split(" ");
  if (words.includes("")) {
    throw new Error(
      "invalid mnemonic: one space must separate the words, with none before and after",
    );
  }
  if (!isMnemonicLength(words.length)) {
    throw new Error(
      `invalid mnemonic: it has ${words.length} words, and mnemonics have 12, 15, 18, 21 or 24`,
    );
  }
  const candidates = mnemonicLanguages.flatMap((language) => {
    const indexes = indexesOf(words, language);
    return indexes ? [{ language, indexes }] : [];
  });
  if (candidates.length === 0) throw new Error(wrongWord(words));
  for (const { language, indexes } of candidates) {
    const entropy = decode(indexes);
    if (entropy) return { entropy, language };
  }
  throw new Error("invalid mnemonic: the checksum is wrong");
}

/** The seed of a valid mnemonic in any language, 64 bytes. */
export function mnemonicToSeed(mnemonic: string, passphrase = ""): SecretBytes {
  wipe(parseMnemonic(mnemonic).entropy);
  return stretch(mnemonic, passphrase);
}

/** The seed of the mnemonic that encodes this entropy in this language. */
export function entropyToSeed(
  entropy: Uint8Array,
  { passphrase = "", language }: { passphrase?: string; language?: MnemonicLanguage } = {},
): SecretBytes {
  return stretch(entropyToMnemonic(entropy, language), passphrase);
}

function stretch(mnemonic: string, passphrase: string): SecretBytes {
  const salt = encodeUtf8(`mnemonic${passphrase}`.normalize("NFKD"));
  const password = encodeUtf8(mnemonic.normalize("NFKD"));
  try {
    return secretBytes(pbkdf2Sha512(password, salt, { iterations: 2048, length: 64 }));
  } finally {
    wipe(password);
  }
}

/** The positions of the words in the list, or undefined if one is not in it. */
function indexesOf(words: string[], language: MnemonicLanguage): number[] | undefined {
  // The lists are in the form NFKD, like the words.
  const list: readonly string[] = WORDLISTS[language];
  const indexes = words.map((word) => list.indexOf(word));
  return indexes.includes(-1) ? undefined : indexes;
}

/** Which word is in none of the lists, or the first whose list differs from that of the words before it. */
function wrongWord(words: string[]): string {
  let languages = mnemonicLanguages.slice();
  for (const [index, word] of words.entries()) {
    if (!mnemonicLanguages.some((language) => indexesOf([word], language))) {
      return `invalid mnemonic: word ${index + 1} is in no BIP-39 word list`;
    }
    languages = languages.filter((language) => indexesOf([word], language));
    if (languages.length === 0) {
      return `invalid mnemonic: word ${index + 1} is of another language than the words before it`;
    }
  }
  return "invalid mnemonic";
}

/** The entropy of groups of 11 bits, or undefined if the checksum after it is wrong. */
function decode(indexes: number[]): SecretBytes | undefined {
  const entropy = new Uint8Array(entropyLength(indexes.length));
  let pending = 0;
  let bits = 0;
  let length = 0;
  for (const index of indexes) {
    pending = ((pending << 11) | index) & 0x7ffff;
    bits += 11;
    while (bits >= 8 && length < entropy.length) {
      bits -= 8;
      entropy[length++] = (pending >> bits) & 0xff;
    }
  }
  // What is left over is the checksum: one bit for every 32 bits of entropy.
  const checksum = (sha256(entropy)[0] ?? 0) >> (8 - bits);
  if ((pending & ((1 << bits) - 1)) === checksum) return secretBytes(entropy);
  wipe(entropy);
  return undefined;
}
