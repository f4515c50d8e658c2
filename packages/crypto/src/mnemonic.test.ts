import { entropyToMnemonic as encodeByLibrary } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import fc from "fast-check";
import { expect, test } from "vitest";

import { decodeHex, encodeHex } from "./encoding.ts";
import {
  entropyLength,
  entropyToMnemonic,
  entropyToSeed,
  mnemonicToEntropy,
  mnemonicToSeed,
} from "./mnemonic.ts";
import vectors from "./vectors/addresses.json" with { type: "json" };

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
  expect(encodeHex(mnemonicToEntropy(mnemonic))).toBe(entropy);
  expect(encodeHex(mnemonicToSeed(mnemonic, "TREZOR"))).toBe(seed);
});

test("without a passphrase the seed is the vector's", () => {
  expect(encodeHex(mnemonicToSeed(vectors.mnemonic, vectors.passphrase))).toBe(vectors.seedHex);
  expect(encodeHex(mnemonicToSeed(vectors.mnemonic))).toBe(vectors.seedHex);
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
      expect(mnemonicToEntropy(mnemonic)).toEqual(bytes);
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
test.each([
  ["", "nothing"],
  [valid.replace("yellow", "year"), "a wrong checksum"],
  [valid.replace("yellow", "yellows"), "an unknown word"],
  [valid.toUpperCase(), "upper case"],
  [valid.replace(" ", "  "), "two spaces"],
  [` ${valid}`, "a space in front"],
  [`${valid}\n`, "a line end"],
  [valid.split(" ").slice(1).join(" "), "eleven words"],
])("%j is refused: %s", (mnemonic) => {
  expect(() => mnemonicToEntropy(mnemonic)).toThrow(/^invalid mnemonic$/);
  expect(() => mnemonicToSeed(mnemonic)).toThrow(/^invalid mnemonic$/);
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
      expect(entropyToSeed(bytes, passphrase)).toEqual(seed);
    }),
    { numRuns: 20 },
  );
});
