import { expect, test } from "vitest";
import { countTokens, tokenize } from "./tokens.ts";

test("names, values, operators and brackets count, and blanks do not", () => {
  const texts = [
    "",
    " \n\t ",
    "wallet.id == 'w1'",
    "!true||1<=-2 && approvers.any(u, u.tags.contains('a b  c'))",
    "eth.tx.data[0..10] in ['0x', '']",
  ];
  expect(texts.map((text) => countTokens(text))).toEqual([0, 0, 5, 23, 16]);
  // The last token of the list marks the end.
  for (const text of texts) expect(countTokens(text)).toBe(tokenize(text).length - 1);
});

test("counting ends where the text cannot be split, and beyond the limit", () => {
  expect(countTokens("1 == 1 § 2 == 2")).toBe(3);
  expect(countTokens("1 == 'open")).toBe(2);
  expect(countTokens("1||".repeat(1000), 10)).toBe(11);
});
