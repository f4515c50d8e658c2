import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { parsePath } from "@keyhearth/crypto/keys/derive";
import { expect, test } from "vitest";
import { chains, newAccount, pathAt, pathsFrom } from "./formats.ts";

test("every format of an address can be chosen, with the curves that have it and a path that counts", () => {
  const known = Object.entries(addressEncodings).map(([format, { curves }]) => [
    format,
    [...curves].sort(),
  ]);
  expect(chains.map(({ format, curves }) => [format, [...curves].sort()]).sort()).toEqual(
    known.sort(),
  );
  for (const { path, label } of chains) {
    expect([label, path.split("{n}").length]).toEqual([label, 2]);
    expect(() => parsePath(pathAt(path, 3))).not.toThrow();
  }
  expect(new Set(chains.map(({ label }) => label)).size).toBe(chains.length);
});

test("paths follow each other at the place that the chain counts with", () => {
  expect(pathsFrom("m/44'/60'/0'/0/7", "ADDRESS_FORMAT_ETHEREUM", 3)).toEqual([
    "m/44'/60'/0'/0/7",
    "m/44'/60'/0'/0/8",
    "m/44'/60'/0'/0/9",
  ]);
  expect(pathsFrom("m/44'/501'/0'/0'", "ADDRESS_FORMAT_SOLANA", 2)).toEqual([
    "m/44'/501'/0'/0'",
    "m/44'/501'/1'/0'",
  ]);
  // A path of somebody's own is shorter than the usual one.
  expect(pathsFrom("m/5'", "ADDRESS_FORMAT_SOLANA", 2)).toEqual(["m/5'", "m/6'"]);
  expect(pathsFrom("nonsense", "ADDRESS_FORMAT_SOLANA", 2)).toEqual(["nonsense"]);
  expect(newAccount("ADDRESS_FORMAT_SOLANA", 4).path).toBe("m/44'/501'/4'/0'");
});
