import fc from "fast-check";
import { expect, test } from "vitest";

import { formatMnemonicText, splitMnemonicText } from "./mnemonic-text.ts";

const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";

test.each([
  [mnemonic, ""],
  [`${mnemonic}\n`, ""],
  [`${mnemonic}\nTREZOR`, "TREZOR"],
  [`${mnemonic}\n--PASS--\nTREZOR`, "TREZOR"],
  [`${mnemonic}\n--PASS--\n`, ""],
  [`${mnemonic}\n--PASS--`, "--PASS--"],
  [`${mnemonic}\n  two words `, "  two words "],
])("%j has the passphrase %j", (text, passphrase) => {
  expect(splitMnemonicText(text)).toEqual({ mnemonic, passphrase });
});

test.each([`${mnemonic}\r\n`, `${mnemonic}\na\nb`, `${mnemonic}\n--PASS--\n--PASS--\na`])(
  "%j has several lines",
  (text) => {
    expect(() => splitMnemonicText(text)).toThrow(/^invalid mnemonic: all words are on the first/);
  },
);

test("every passphrase of one line comes back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const passphrase = text.replace(/[\r\n]/g, "");
      const formatted = formatMnemonicText(mnemonic, passphrase);
      expect(splitMnemonicText(formatted)).toEqual({ mnemonic, passphrase });
    }),
  );
  expect(() => formatMnemonicText(mnemonic, "a\nb")).toThrow(/^invalid mnemonic/);
});
