import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeEthereumTransaction } from "@keyhearth/crypto/transactions/ethereum";
import { expect, test } from "vitest";
import { isBlindText } from "./blind-texts.ts";

const keccak = "HASH_FUNCTION_KECCAK256";
const sha256 = "HASH_FUNCTION_SHA256";

/** A payment of 5 ETH and more, valid on every chain, all of whose bytes are text that people can see. */
function paymentAsText(): string {
  const to = `${Buffer.from("Pay to the Charity ").toString("hex")}c3`;
  const fields = ["80", "843b7a6bce", "8252c3", `94${to}`, "8845632440404040c3", "80"].join("");
  const bytes = decodeHex((0xc0 + fields.length / 2).toString(16) + fields);
  expect(decodeEthereumTransaction(bytes)).toMatchObject({ chainId: null, data: new Uint8Array() });
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

test("a transaction of Ethereum whose bytes are text is told from a message", () => {
  const text = paymentAsText();
  expect(text).toContain("Pay to the Charity");
  expect(isBlindText(text, keccak)).toBe(true);
  expect(isBlindText(`${text} `, keccak)).toBe(false);
  expect(isBlindText(ofWallet(text), keccak)).toBe(true);
  expect(isBlindText(ofWallet(`${text} `), keccak)).toBe(false);
});

/** What a wallet signs for a message, or what only looks so. */
function ofWallet(message: string, length: number | string = Buffer.byteLength(message)): string {
  return `\u0019Ethereum Signed Message:\n${length}${message}`;
}

// Smart accounts take it for their owner's signature of an operation. One hash of some hundred million is text.
const operation = "a\u001d}N;|_\u000bDlpm.{'Rk>uW/é0s#QvZ9é";

test("the hash of an operation of a smart account is told from a message, after a wallet's prefix too", () => {
  expect(Buffer.byteLength(operation)).toBe(32);
  for (const hash of [operation, "a".repeat(32), `2${"a".repeat(31)}`]) {
    expect(isBlindText(ofWallet(hash), keccak), hash).toBe(true);
    expect(isBlindText(`\u0019TRON Signed Message:\n32${hash}`, keccak), hash).toBe(true);
  }
});

test("a length that begins a message of digits is that of one message", () => {
  for (const message of ["2 apples, 1 pear", "1", "11", "2024-01-01", ""]) {
    expect(isBlindText(ofWallet(message), keccak), message).toBe(false);
  }
});

test.each([
  ["a type of a transaction", "\u0002abc", keccak],
  ["typed data that is hashed", `\u0019\u0001${"a".repeat(64)}`, keccak],
  ["a count of signers that is a tab", "\tabc", "HASH_FUNCTION_NOT_APPLICABLE"],
  ["a length", "abc\u0002de", sha256],
  ["a hash", "a".repeat(32), "HASH_FUNCTION_NO_OP"],
  ["a hash that is hashed again", "a".repeat(32), sha256],
  ["no text", undefined, sha256],
  ["another length than that of the message", ofWallet("hello", 6), keccak],
  ["no length", ofWallet("hello", ""), keccak],
  ["a length with a zero before it", ofWallet("hello", "05"), keccak],
  ["a control character in a wallet's message", ofWallet("hel\u0000lo"), keccak],
  ["a hash function that is not the wallet's", ofWallet("hello"), sha256],
  [
    "Bitcoin's prefix, whose hash no request has",
    "\u0018Bitcoin Signed Message:\n\u0002hi",
    sha256,
  ],
])("%s makes a text one that can be a transaction", (_, text, hashFunction) => {
  expect(isBlindText(text, hashFunction)).toBe(true);
});

test.each([
  ["a line of a login", "example.com wants you to sign in:\n0xd8\n\tNonce: 1\r\n", keccak],
  ["a letter of another script first", "Éclair, déjà vu", keccak],
  ["characters beyond the first plane", "\u{1f600} hello", sha256],
  ["as many bytes as a hash, which Ethereum hashes once", "a".repeat(32), keccak],
  ["the prefix of Tron", "\u0019TRON Signed Message:\n2hi", keccak],
  ["nothing in it", "", sha256],
])("a message with %s is none", (_, text, hashFunction) => {
  expect(isBlindText(text, hashFunction)).toBe(false);
});
