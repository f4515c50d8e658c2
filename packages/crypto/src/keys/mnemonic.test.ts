import {
  entropyToMnemonic as encodeByLibrary,
  mnemonicToSeedSync as mnemonicToSeedByLibrary,
} from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import fc from "fast-check";
import { expect, test } from "vitest";

import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import { openBytes, secretBytes } from "../secret-bytes.ts";
import vectors from "../vectors/addresses.json" with { type: "json" };
import {
  entropyLength,
  entropyToMnemonic,
  entropyToSeed,
  type MnemonicLanguage,
  mnemonicLanguages,
  mnemonicToSeed,
  parseMnemonic,
} from "./mnemonic.ts";

// The reference vectors of BIP-39, whose passphrase is TREZOR.
const PUBLISHED = [
  [
    "00000000000000000000000000000000",
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04",
  ],
  [
    "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
    "legal winner thank year wave sausage worth useful legal winner thank yellow",
    "2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607",
  ],
  [
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote",
    "dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992c456cdf60f5d4564b8ba3f05a69890ad",
  ],
] as const;

test.each(PUBLISHED)("%s is the published mnemonic and seed", (entropy, mnemonic, seed) => {
  expect(entropyToMnemonic(decodeHex(entropy))).toBe(mnemonic);
  expect(encodeHex(openBytes(parseMnemonic(mnemonic).entropy))).toBe(entropy);
  expect(encodeHex(openBytes(mnemonicToSeed(mnemonic, "TREZOR")))).toBe(seed);
});

test("without a passphrase the seed is the vector's", () => {
  expect(encodeHex(openBytes(mnemonicToSeed(vectors.mnemonic, vectors.passphrase)))).toBe(
    vectors.seedHex,
  );
  expect(encodeHex(openBytes(mnemonicToSeed(vectors.mnemonic)))).toBe(vectors.seedHex);
});

test("equal passphrases in different Unicode forms have the same seed", () => {
  expect(mnemonicToSeed(vectors.mnemonic, "\u00e9")).toEqual(
    mnemonicToSeed(vectors.mnemonic, "e\u0301"),
  );
});

test("entropy of every length comes back", () => {
  const entropy = fc
    .constantFrom(16, 20, 24, 28, 32)
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  fc.assert(
    fc.property(entropy, (bytes) => {
      const mnemonic = entropyToMnemonic(bytes);
      expect(entropyLength(mnemonic.split(" ").length)).toBe(bytes.length);
      expect(parseMnemonic(mnemonic)).toEqual({ entropy: secretBytes(bytes), language: "ENGLISH" });
    }),
  );
});

test.each([0, 3, 11, 13, 27, 12.5, Number.NaN])("%d words are not a mnemonic", (words) => {
  expect(() => entropyLength(words)).toThrow(/^invalid mnemonic length$/);
});

test.each([0, 4, 15, 17, 36, 64])("%d bytes are not an entropy", (length) => {
  expect(() => entropyToMnemonic(new Uint8Array(length))).toThrow(/^invalid mnemonic length$/);
});

const [, valid] = PUBLISHED[1];
const wrongSpaces =
  "invalid mnemonic: one space must separate the words, with none before and after";
test.each([
  ["", wrongSpaces],
  [valid.replace(" ", "  "), wrongSpaces],
  [` ${valid}`, wrongSpaces],
  [
    valid.split(" ").slice(1).join(" "),
    "invalid mnemonic: it has 11 words, and mnemonics have 12, 15, 18, 21 or 24",
  ],
  [valid.replace("yellow", "year"), "invalid mnemonic: the checksum is wrong"],
  [valid.replace("wave", "wavess"), "invalid mnemonic: word 5 is in no BIP-39 word list"],
  [valid.toUpperCase(), "invalid mnemonic: word 1 is in no BIP-39 word list"],
  [`${valid}\n`, "invalid mnemonic: word 12 is in no BIP-39 word list"],
  [
    valid.replace("wave", "ábaco"),
    "invalid mnemonic: word 5 is of another language than the words before it",
  ],
])("%j is refused", (mnemonic, message) => {
  for (const read of [parseMnemonic, mnemonicToSeed]) {
    expect(() => read(mnemonic)).toThrow(new Error(message));
  }
});

const libraryLists: Record<MnemonicLanguage, string> = {
  ENGLISH: "english",
  SIMPLIFIED_CHINESE: "simplified-chinese",
  TRADITIONAL_CHINESE: "traditional-chinese",
  CZECH: "czech",
  FRENCH: "french",
  ITALIAN: "italian",
  JAPANESE: "japanese",
  KOREAN: "korean",
  SPANISH: "spanish",
};

test.each(mnemonicLanguages)("%s: words and seeds are those of the library", async (language) => {
  const list = await import(`@scure/bip39/wordlists/${libraryLists[language]}`);
  const entropy = fc.constantFrom(16, 20, 24, 28, 32).chain((length) => {
    return fc.uint8Array({ minLength: length, maxLength: length });
  });
  fc.assert(
    fc.property(entropy, (bytes) => {
      const mnemonic = entropyToMnemonic(bytes, language);
      expect(mnemonic).toBe(encodeByLibrary(bytes, list.wordlist));
      const read = parseMnemonic(mnemonic);
      // Other Unicode forms of the words are the same words.
      expect(parseMnemonic(mnemonic.normalize("NFC"))).toEqual(read);
      // The words may also be those of an earlier language, of another entropy.
      expect(entropyToMnemonic(read.entropy, read.language)).toBe(mnemonic);
      if (read.language === language) expect(openBytes(read.entropy)).toEqual(bytes);
      else
        expect(mnemonicLanguages.indexOf(read.language)).toBeLessThan(
          mnemonicLanguages.indexOf(language),
        );
    }),
    { numRuns: 100 },
  );
  const bytes = new Uint8Array(16).fill(7);
  const mnemonic = entropyToMnemonic(bytes, language);
  const seed = mnemonicToSeedByLibrary(mnemonic, "passphrase");
  expect(openBytes(entropyToSeed(bytes, { language, passphrase: "passphrase" }))).toEqual(seed);
  expect(openBytes(mnemonicToSeed(mnemonic.normalize("NFC"), "passphrase"))).toEqual(seed);
});

test("a Japanese mnemonic of the reference implementation", () => {
  // https://github.com/bip32JP/bip32JP.github.io/blob/master/test_JP_BIP39.json, first case
  const mnemonic =
    "あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あいこくしん　あおぞら";
  const passphrase = "㍍ガバヴァぱばぐゞちぢ十人十色";
  expect(parseMnemonic(mnemonic)).toEqual({
    entropy: secretBytes(new Uint8Array(16)),
    language: "JAPANESE",
  });
  expect(encodeHex(openBytes(mnemonicToSeed(mnemonic, passphrase)))).toBe(
    "a262d6fb6122ecf45be09c50492b31f92e9beb7d9a845987a02cefda57a15f9c467a17872029a9e92299b5cbdf306e3a0ee620245cbd508959b6cb7ca637bd55",
  );
});

test("entropy has the same words and seed as in the library", () => {
  const entropy = fc
    .constantFrom(16, 20, 24, 28, 32)
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
  fc.assert(
    fc.property(entropy, (bytes) => {
      expect(entropyToMnemonic(bytes)).toBe(encodeByLibrary(bytes, wordlist));
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(entropy, fc.string({ maxLength: 8 }), (bytes, passphrase) => {
      const seed = mnemonicToSeed(entropyToMnemonic(bytes), passphrase);
      expect(entropyToSeed(bytes, { passphrase })).toEqual(seed);
    }),
    { numRuns: 20 },
  );
});
