import { stemmerOf } from "@keyhearth/search/words";
import { expect, test } from "vitest";
import { beginningOf, hasMatch, highlight, matchOf, snippetOf } from "./highlight.ts";

const match = matchOf(new Set(["wallet", "sign"]), stemmerOf("en"));
const marks = { before: "<mark>", after: "</mark>" };

test("words that were found are marked in every form, and the text stays text", () => {
  expect(highlight("Sign wallets & <b>signing</b>", match, marks)).toBe(
    "<mark>Sign</mark> <mark>wallets</mark> &amp; &lt;b&gt;<mark>signing</mark>&lt;/b&gt;",
  );
  expect(highlight("<img src=x onerror=alert(1)>", match, marks)).not.toContain("<img");
  expect(highlight("create_wallet, createWallet", match, marks)).toBe(
    "create_<mark>wallet</mark>, <mark>createWallet</mark>",
  );
});

test("a text without one of the words has no match", () => {
  expect(hasMatch("Policies", match)).toBe(false);
  expect(hasMatch("A signed wallet", match)).toBe(true);
});

test("a snippet shows where the most of the words are, and begins and ends with a word", () => {
  const filler = "nothing of interest here ".repeat(20).trim();
  const text = `a wallet ${filler} sign with a wallet ${filler}`;
  const snippet = snippetOf(text, match, 80);
  expect(snippet).toMatch(/^… .*sign with a wallet.* …$/);
  expect(snippet.length).toBeLessThan(90);
  expect(snippetOf("short", match, 80)).toBe("short");
  expect(snippetOf(filler, match, 40)).toBe(beginningOf(filler, 40));
});

test("a text without spaces is cut too", () => {
  expect(beginningOf("x".repeat(100), 40)).toBe(`${"x".repeat(40)} …`);
});
