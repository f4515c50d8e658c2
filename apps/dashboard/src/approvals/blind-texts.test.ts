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
  const message = `\u0019Ethereum Signed Message:\n${text.length}${text}`;
  expect(isBlindText(message, keccak)).toBe(false);
});

test.each([
  ["a type of a transaction", "\u0002abc", keccak],
  ["typed data that is hashed", `\u0019\u0001${"a".repeat(64)}`, keccak],
  ["a count of signers that is a tab", "\tabc", "HASH_FUNCTION_NOT_APPLICABLE"],
  ["a length", "abc\u0002de", sha256],
  ["a hash", "a".repeat(32), "HASH_FUNCTION_NO_OP"],
  ["a hash that is hashed again", "a".repeat(32), sha256],
  ["no text", undefined, sha256],
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
