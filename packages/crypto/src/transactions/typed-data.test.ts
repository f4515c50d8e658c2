import { expect, test } from "vitest";
import { keccak256 } from "#primitives";
import { decodeHex, encodeHex, encodeUtf8 } from "../encoding.ts";
import { signSecp256k1 } from "../keys.ts";
import vectors from "../vectors/ethereum.json" with { type: "json" };
import { parseTypedData } from "./typed-data.ts";
import { encodeType, hashTypedData } from "./typed-data-hash.ts";

const { mail } = vectors;

test("the example of EIP-712", () => {
  const typedData = parseTypedData(JSON.stringify(mail.typedData));
  expect(encodeType(typedData.types, "Mail")).toBe(mail.encodedType);
  const digest = hashTypedData(typedData);
  expect(encodeHex(digest)).toBe(mail.digest);
  expect(signSecp256k1(digest, keccak256(encodeUtf8("cow")))).toEqual({
    r: decodeHex(mail.r),
    s: decodeHex(mail.s),
    recovery: mail.recovery,
  });
});
