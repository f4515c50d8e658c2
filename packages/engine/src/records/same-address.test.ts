import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameAddress } from "./same-address.ts";

const ethereum = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const solana = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";

test("a hex address is the same in any case", () => {
  const upper = `0x${ethereum.slice(2).toUpperCase()}`;
  for (const given of [ethereum, ethereum.toLowerCase(), upper]) {
    expect(isSameAddress(ethereum, given)).toBe(true);
    expect(isSameAddress(given, ethereum)).toBe(true);
  }
  expect(isSameAddress(ethereum, ethereum.replace("98", "99"))).toBe(false);
});

test("every other address is compared exactly: in base58, another case is another key", () => {
  expect(isSameAddress(solana, solana)).toBe(true);
  for (const given of [solana.toLowerCase(), solana.toUpperCase(), `0x${solana}`]) {
    expect(isSameAddress(solana, given)).toBe(false);
    expect(isSameAddress(given, solana)).toBe(false);
  }
  expect(isSameAddress(ethereum, ethereum.slice(2))).toBe(false);
  expect(isSameAddress(ethereum, ethereum.replace("0x", "0X"))).toBe(false);
});

test("addresses with 0x are the same exactly if their lower case is, in the letters A to Z", () => {
  const character = fc.constantFrom(..."09aAfFgGzZ@[`{");
  const text = fc.array(character, { maxLength: 4 }).map((list) => `0x${list.join("")}`);
  fc.assert(
    fc.property(text, text, (one, other) => {
      const isSame = one.toLowerCase() === other.toLowerCase();
      expect(isSameAddress(one, other)).toBe(isSame);
    }),
    { numRuns: 2000 },
  );
  // The sign for kelvin has the lower case k.
  expect(isSameAddress("0xk", "0x\u212a")).toBe(false);
});
