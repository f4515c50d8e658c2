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
