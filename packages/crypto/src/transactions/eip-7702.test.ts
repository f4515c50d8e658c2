import { hashAuthorization as hashWithEthers } from "ethers";
import fc from "fast-check";
import { hashAuthorization as hashWithViem } from "viem/utils";
import { expect, test } from "vitest";

import { decodeHex } from "../encoding/bytes.ts";
import { hashAuthorization, parseAuthorization } from "./eip-7702.ts";
import { bytesOfLength, hex } from "./ethereum.testing.ts";
import { MalformedError } from "./malformed.ts";

const numRuns = process.env.KEYHEARTH_LONG === "1" ? 10_000 : 200;

const address = "0x000000000000000000000000000000000000dEaD";
const safe = fc.oneof(fc.nat(), fc.nat({ max: Number.MAX_SAFE_INTEGER }));

test("authorizations hash as in viem and ethers", () => {
  const given = fc.record({ address: bytesOfLength(20).map(hex), chainId: safe, nonce: safe });
  fc.assert(
    fc.property(given, (authorization) => {
      const parsed = parseAuthorization(JSON.stringify(authorization));
      expect(hex(parsed.address)).toBe(authorization.address);
      const digest = hex(hashAuthorization(parsed));
      expect(digest).toBe(hashWithViem(authorization));
      expect(digest).toBe(hashWithEthers(authorization));
    }),
    { numRuns },
  );
});

test("integers are read as numbers, decimal digits and hex", () => {
  for (const chainId of [10, "10", "0xa", "0x0A"]) {
    expect(parseAuthorization(JSON.stringify({ address, chainId, nonce: 0 }))).toEqual({
      address: decodeHex(address.slice(2)),
      chainId: 10n,
      nonce: 0n,
    });
  }
  const nonce = (2n ** 64n - 2n).toString();
  expect(parseAuthorization(JSON.stringify({ address, chainId: 0, nonce })).nonce).toBe(
    2n ** 64n - 2n,
  );
});

const valid = { address, chainId: 1, nonce: 7 };
test.each<[what: string, json: unknown, reason: string]>([
  ["a list", [], ": expected an object, got a list"],
  ["no nonce", { address, chainId: 1 }, ": member `nonce` is missing"],
  ["a member more", { ...valid, yParity: 0 }, ": unknown member `yParity`"],
  [
    "another name of the address",
    { contractAddress: address, chainId: 1, nonce: 1 },
    ": member `address` is missing",
  ],
  [
    "a short address",
    { ...valid, address: "0x00" },
    ", address: `0x00` is not an address: expected 0x and 40 hex digits",
  ],
  ["a negative chain id", { ...valid, chainId: -1 }, ", chainId: `-1` is out of range for uint256"],
  [
    "the last nonce",
    { ...valid, nonce: (2n ** 64n - 1n).toString() },
    ", nonce: must be below 2^64 - 1",
  ],
  [
    "a nonce beyond the last",
    { ...valid, nonce: (2n ** 64n).toString() },
    ", nonce: `18446744073709551616` is out of range for uint64",
  ],
  [
    "a fraction",
    { ...valid, nonce: 0.5 },
    ", nonce: a number beyond 2^53 or with a fraction: write an integer as a string",
  ],
  ["a list in it", { ...valid, nonce: [] }, ", nonce: expected an integer, got a list"],
])("%s is refused", (_, json, reason) => {
  expect(() => parseAuthorization(JSON.stringify(json))).toThrow(
    new MalformedError(`authorization${reason}`),
  );
});

test("text that is not JSON, repeats a key, or never ends is refused", () => {
  const json = JSON.stringify(valid);
  for (const text of ["", "null", `${json},`, json.replace('"nonce":7', '"nonce":7,"nonce":8')]) {
    expect(() => parseAuthorization(text)).toThrow(MalformedError);
  }
  expect(() => parseAuthorization(json + " ".repeat(1000))).toThrow(
    /characters; at most 1000 are allowed$/,
  );
});
