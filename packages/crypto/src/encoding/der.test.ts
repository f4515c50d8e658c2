import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, decodeHex, encodeHex } from "./bytes.ts";
import { decodeDerSignature, encodeDerSignature } from "./der.ts";

const one = `${"00".repeat(31)}01`;

test("an encoded signature decodes to itself", () => {
  const half = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.tuple(fc.nat(31), fc.nat(255)).map(([index, byte]) => {
      const bytes = new Uint8Array(32);
      bytes[index] = byte;
      return bytes;
    }),
  );
  fc.assert(
    fc.property(half, half, (r, s) => {
      const signature = concatBytes(r, s);
      expect(decodeDerSignature(encodeDerSignature(signature))).toEqual(signature);
    }),
  );
});

test("the encoding is minimal", () => {
  const encode = (r: string, s: string) => encodeHex(encodeDerSignature(decodeHex(r + s)));
  expect(encode(one, one)).toBe("3006020101020101");
  expect(encode("00".repeat(32), one)).toBe("3006020100020101");
  expect(encode(`${"00".repeat(31)}80`, `${"00".repeat(31)}7f`)).toBe("300702020080" + "02017f");
  expect(encode("ff".repeat(32), "7f".repeat(32))).toBe(
    `3045022100${"ff".repeat(32)}0220${"7f".repeat(32)}`,
  );
});

describe("leading zeros from a wallet stamper are accepted", () => {
  test.each([
    `30440220${one}0220${one}`,
    `3045022100${one}0220${one}`,
    `3046022100${one}022100${one}`,
    "30080202000102020001",
  ])("%s", (hex) => {
    expect(encodeHex(decodeDerSignature(decodeHex(hex)))).toBe(one + one);
  });
});

describe("anything except exactly one signature is refused", () => {
  test.each([
    ["nothing", ""],
    ["no content", "3000"],
    ["one integer", "3003020101"],
    ["three integers", "3009020101020101020101"],
    ["a byte after the end", "300602010102010100"],
    ["a byte before the end", "300702010102010100"],
    ["an outer length too long", "3007020101020101"],
    ["an outer length too short", "3005020101020101"],
    ["a length in long form", "308106020101020101"],
    ["an inner length in long form", "300702810101020101"],
    ["an indefinite length", "30800201010201010000"],
    ["a set", "3106020101020101"],
    ["octet strings", "3006040101040101"],
    ["an empty integer", "30050200020101"],
    ["a negative integer", "3006020180020101"],
    ["33 bytes without a sign", `3026022101${one}020101`],
    ["34 bytes", `302702220000${one}020101`],
    ["a length beyond the end", "3006020101027f01"],
    ["an integer cut short", "30060201010202 01".replace(" ", "")],
  ])("%s", (_, hex) => {
    expect(() => decodeDerSignature(decodeHex(hex))).toThrow(/^malformed signature$/);
  });

  test("any other bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(() => decodeDerSignature(bytes)).toThrow(/^malformed signature$/);
      }),
    );
  });
});
