import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  deriveAddresses,
  faultOfMnemonic,
  faultOfPath,
  testMnemonic,
  type Wanted,
} from "./derive-addresses.ts";

const wanted: Wanted[] = [
  { format: "ADDRESS_FORMAT_ETHEREUM", path: "m/44'/60'/0'/0/0" },
  { format: "ADDRESS_FORMAT_SOLANA", path: "m/44'/501'/0'/0'" },
  { format: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH", path: "m/84'/0'/0'/0/0" },
  { format: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR", path: "m/86'/0'/0'/0/0" },
  { format: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH", path: "m/44'/0'/0'/0/0" },
];

test("the addresses are those that other wallets show for the test mnemonic", () => {
  const shown = deriveAddresses(testMnemonic, wanted, "").map(({ address }) => address);
  // BIP-84 and BIP-86 publish theirs; the others are what MetaMask, Phantom and Electrum show.
  expect(shown).toEqual([
    "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
    "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
    "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
    "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA",
  ]);
});

test("the sample address of the site is of this mnemonic", () => {
  const prefill = readFileSync(new URL("../try-it/prefill.ts", import.meta.url), "utf8");
  const [first] = deriveAddresses(testMnemonic, wanted.slice(0, 1), "");
  expect(prefill).toContain(first?.address);
});

test("a path of the reader counts for all formats, and every step is hardened on Ed25519", () => {
  const derived = deriveAddresses(testMnemonic, wanted.slice(0, 2), " m/44'/60'/0'/0/1 ");
  expect(derived).toEqual([
    {
      format: "ADDRESS_FORMAT_ETHEREUM",
      curve: "CURVE_SECP256K1",
      path: "m/44'/60'/0'/0/1",
      address: "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0",
    },
    expect.objectContaining({ curve: "CURVE_ED25519", path: "m/44'/60'/0'/0'/1'" }),
  ]);
  const [, written] = deriveAddresses(testMnemonic, wanted.slice(0, 2), "m/44'/60'/0'/0'/1'");
  expect(derived[1]?.address).toBe(written?.address);
});

test("a format of several curves has an address on each", () => {
  const [any] = deriveAddresses(
    testMnemonic,
    [{ format: "ADDRESS_FORMAT_COMPRESSED", path: "m/0'" }],
    "",
  );
  expect(any?.address).toMatch(/^0[23]/);
  const all = deriveAddresses(
    testMnemonic,
    [{ format: "ADDRESS_FORMAT_COMPRESSED", path: "m/0'" }],
    "",
  );
  expect(all.map(({ curve }) => curve)).toEqual(["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"]);
});

test.each([
  ["44'/60'", "form"],
  ["m", "form"],
  ["m/", "form"],
  ["m/44h/60h", "form"],
  ["m/01", "form"],
  ["m/44'/ 60'", "form"],
  ["m/2147483648", "large"],
  [`m${"/1".repeat(11)}`, "deep"],
  ["", null],
  ["m/44'/60'/0'/0/0", null],
])("the path %s: %s", (path, fault) => {
  expect(faultOfPath(path)).toBe(fault);
});

const words = testMnemonic.split(" ");

test.each([
  [testMnemonic, null],
  [`  ${testMnemonic.toUpperCase().replaceAll(" ", "\n")} `, null],
  ["", { kind: "words", given: 0 }],
  ["abandon about", { kind: "words", given: 2 }],
  [words.with(3, "abandonn").join(" "), { kind: "word", position: 4 }],
  [words.with(5, "ábaco").join(" "), { kind: "language", position: 6 }],
  [words.with(11, "abandon").join(" "), { kind: "checksum" }],
])("the mnemonic %s", (mnemonic, fault) => {
  expect(faultOfMnemonic(mnemonic)).toEqual(fault);
});
