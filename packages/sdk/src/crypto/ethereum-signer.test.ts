import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, signSecp256k1 } from "@keyhearth/crypto/keys/keys";
import { keccak256 } from "@keyhearth/crypto/primitives";
import { toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { recoverAddress } from "viem/utils";
import { expect, test } from "vitest";
import { recoverEthereumAddress, type SignedPayload } from "../crypto.ts";

const privateKey = generatePrivateKey("CURVE_SECP256K1");
const address = privateKeyToAddress(toHex(privateKey));

/** As the service answers. */
function sign(payload: Uint8Array | string): SignedPayload {
  const bytes = typeof payload === "string" ? encodeUtf8(payload) : payload;
  const { r, s, recovery } = signSecp256k1(keccak256(bytes), privateKey);
  return { payload, r: encodeHex(r), s: encodeHex(s), v: `0${recovery}` };
}

test("the address that signed is found, from a text and from bytes", () => {
  // Both recovery ids occur.
  const signed = Array.from({ length: 16 }, (_, i) => sign(`payment ${i}: é`));
  expect(new Set(signed.map(({ v }) => v))).toEqual(new Set(["00", "01"]));
  expect(new Set(signed.map(recoverEthereumAddress))).toEqual(new Set([address]));
  expect(recoverEthereumAddress(sign(Uint8Array.of(0, 255)))).toBe(address);
  expect(recoverEthereumAddress(sign(""))).toBe(address);
});

test("another payload or signature is never of this address, and is that of viem", async () => {
  const { r, s, v } = sign("10 ETH");
  const other = sign("another");
  for (const changed of [
    { payload: "11 ETH", r, s, v },
    { payload: "10 ETH", r, s, v: v === "00" ? "01" : "00" },
    { payload: "10 ETH", r, s: other.s, v },
  ]) {
    const found = recoverEthereumAddress(changed);
    expect(found).not.toBe(address);
    const hash = keccak256(encodeUtf8(changed.payload));
    const signature = { r: `0x${r}`, s: `0x${changed.s}`, yParity: Number(changed.v) } as const;
    expect(found).toBe(await recoverAddress({ hash, signature }));
  }
});

test("numbers that are no signature have no address", () => {
  const { payload, r, s, v } = sign("hello");
  const zero = "00".repeat(32);
  for (const wrong of [{ r: zero }, { s: zero }, { r: "ff".repeat(32) }, { s: "ff".repeat(32) }]) {
    expect(recoverEthereumAddress({ payload, r, s, v, ...wrong })).toBeUndefined();
  }
  // No point of the curve has this x.
  const none = `${"00".repeat(31)}05`;
  expect(recoverEthereumAddress({ payload, r: none, s, v })).toBeUndefined();
});

test.each([
  [{ payload: 5 }, ["payload"]],
  [{ payload: "\ud800" }, ["payload"]],
  [{ r: `0x${"11".repeat(32)}` }, ["r"]],
  [{ r: "11", s: "22" }, ["r", "s"]],
  [{ s: "11".repeat(33) }, ["s"]],
  [{ v: "1b" }, ["v"]],
  [{ v: "000" }, ["v"]],
  [{ v: "010" }, ["v"]],
  [{ v: 0 }, ["v"]],
])("%j is refused with its fields", (wrong, fields) => {
  expect(fieldsOf({ ...sign("hello"), ...wrong })).toEqual(fields);
});

test("nothing at all is refused with every field, and with what each must be", () => {
  expect(() => recoverEthereumAddress({} as SignedPayload)).toThrow(
    "payload must be bytes or a text; r must be 32 bytes in hex, without 0x; s must be 32 bytes in hex, without 0x; v must be 00 or 01",
  );
  for (const wrong of [undefined, null, "0x", {}]) {
    expect(fieldsOf(wrong)).toEqual(["payload", "r", "s", "v"]);
  }
});

/** The fields that an error names. A program in plain JavaScript can pass anything. */
function fieldsOf(given: unknown): string[] {
  try {
    recoverEthereumAddress(given as SignedPayload);
  } catch (error) {
    expect(error).toMatchObject({ name: "InvalidField", code: "INVALID_OPTION" });
    return (error as { fields: { field: string }[] }).fields.map(({ field }) => field);
  }
  return [];
}
