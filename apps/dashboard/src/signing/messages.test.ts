import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf, signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import { hashMessage, keccak256 } from "viem";
import { expect, test } from "vitest";
import { payloadOf, type Signer, type Way, waysOf } from "./messages.ts";
import { verifyMessage } from "./verify.ts";

const signer = (curve: Signer["curve"], format?: Signer["format"]): Signer => ({
  ...{ signWith: "", publicKey: "", curve, format },
});
const wayOf = (format: Signer["format"], id: string): Way => {
  const way = waysOf(signer("CURVE_SECP256K1", format)).find((each) => each.id === id);
  if (!way) throw new Error(id);
  return way;
};

test("an Ethereum message is what wallets sign, as text and as bytes", () => {
  const way = wayOf("ADDRESS_FORMAT_ETHEREUM", "ethereum");
  for (const message of ["hello", "ünïcödé 🔥"]) {
    const { payload, hashFunction, encoding } = payloadOf(way, message, false);
    expect([hashFunction, encoding]).toEqual([
      "HASH_FUNCTION_KECCAK256",
      "PAYLOAD_ENCODING_TEXT_UTF8",
    ]);
    expect(keccak256(new TextEncoder().encode(payload))).toBe(hashMessage(message));
  }
  const { payload } = payloadOf(way, "0xDE AD", true);
  expect(keccak256(`0x${payload}`)).toBe(hashMessage({ raw: "0xdead" }));
});

test("the recovery id of a signature is verified with its halves", () => {
  const key = decodeHex("11".repeat(32));
  const owner = {
    ...signer("CURVE_SECP256K1", "ADDRESS_FORMAT_ETHEREUM"),
    publicKey: encodeHex(publicKeyOf("CURVE_SECP256K1", key)),
  };
  const payload = payloadOf(wayOf("ADDRESS_FORMAT_ETHEREUM", "ethereum"), "hello", false);
  const made = signSecp256k1(decodeHex(hashMessage("hello").slice(2)), key);
  const [r, s] = [encodeHex(made.r), encodeHex(made.s)];
  const verdicts = ["00", "01", "1b", ""].map((v) => verifyMessage(owner, payload, { r, s, v }));
  expect(verdicts).toEqual([made.recovery === 0, made.recovery === 1, false, false]);
});

test("what is neither bytes nor text is refused with a sentence", () => {
  const [way] = waysOf(signer("CURVE_ED25519", "ADDRESS_FORMAT_SOLANA"));
  for (const bad of ["", "0x", "abc", "zz", "0x0x11"]) {
    expect(() => payloadOf(way, bad, true)).toThrow(/two hexadecimal digits/);
  }
  expect(() => payloadOf(way, "\ud800", false)).toThrow(/half of a character/);
});
