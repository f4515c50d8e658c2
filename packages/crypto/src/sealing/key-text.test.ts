import { encodeSuiPrivateKey } from "@mysten/sui/cryptography";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import { generatePrivateKey } from "../keys/keys.ts";
import { formatPrivateKey, keyFormats, parsePrivateKey } from "./key-text.ts";

const wiki = "0c28fca386c7a227600b2fe50b7cae11ec86d3bf1fbe471be89827e19d72aa1d";

// The key of Bitcoin's wiki, the same for the test networks, and the first key of Sui's SIP-15.
const published = [
  ["BITCOIN_MAINNET_WIF", wiki, "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"],
  ["BITCOIN_TESTNET_WIF", wiki, "cMzLdeGd5vEqxB8B6VFQoRopQ3sLAAvEzDAoQgvX54xwofSWj1fx"],
  [
    "SUI_BECH32",
    "9dd9ae36ee51b912a0364c58c1f21333bcdad2d91911aa127226c512be285102",
    "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae",
  ],
] as const;

test.each(published)("a published key in the format %s", (format, hex, text) => {
  expect(formatPrivateKey(decodeHex(hex), format)).toBe(text);
  expect(parsePrivateKey(text, format)).toEqual(decodeHex(hex));
});

const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("each format reads what it wrote, and no other format does", () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      for (const format of keyFormats) {
        const text = formatPrivateKey(key, format);
        const readers = keyFormats.filter((each) => parsePrivateKey(text, each) !== undefined);
        expect(readers).toEqual([format]);
        expect(parsePrivateKey(text, format)).toEqual(key);
      }
      expect(parsePrivateKey(`0x${encodeHex(key).toUpperCase()}`, "HEXADECIMAL")).toEqual(key);
      expect(formatPrivateKey(key, "SUI_BECH32")).toBe(encodeSuiPrivateKey(key, "ED25519"));
    }),
    { numRuns: 40 },
  );
});

test("a changed, missing or further character is no key", () => {
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  const texts = keyFormats
    .filter((format) => format !== "HEXADECIMAL")
    .map((format) => ({ format, text: formatPrivateKey(new Uint8Array(32).fill(7), format) }));
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.constantFrom(...digits),
      ({ format, text }, at, digit) => {
        const index = at % text.length;
        const changed = text.slice(0, index) + digit + text.slice(index + 1);
        fc.pre(changed !== text);
        expect(parsePrivateKey(changed, format)).toBeUndefined();
      },
    ),
    { numRuns: 300 },
  );
  for (const { format, text } of texts) {
    const wrong = ["", text.slice(1), text.slice(0, -1), `${text}1`, ` ${text}`, `${text}\n`];
    for (const other of [...wrong, text.toUpperCase(), "1".repeat(5000)]) {
      expect(parsePrivateKey(other, format)).toBeUndefined();
    }
  }
});

test("a key for an uncompressed public key, of another version or of another scheme is refused", () => {
  // Bitcoin's wiki: the same key, uncompressed.
  const uncompressed = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ";
  expect(parsePrivateKey(uncompressed, "BITCOIN_MAINNET_WIF")).toBeUndefined();
  const secp256k1 = encodeSuiPrivateKey(new Uint8Array(32).fill(7), "Secp256k1");
  expect(parsePrivateKey(secp256k1, "SUI_BECH32")).toBeUndefined();
  const other = generatePrivateKey("CURVE_ED25519");
  const pair = formatPrivateKey(other, "SOLANA");
  expect(() => formatPrivateKey(other.slice(1), "SOLANA")).toThrow(/^invalid private key$/);
  expect(parsePrivateKey(pair.slice(0, -2), "SOLANA")).toBeUndefined();
});
