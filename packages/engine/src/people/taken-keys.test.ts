import { concatBytes, encodeHex } from "@keyhearth/crypto/encoding";
import { expect, test } from "vitest";
import { newPasskey } from "../passkey.testing.ts";
import { keyNameOf } from "./taken-keys.ts";

test("a public key of RSA has one name, in whatever order its members are", () => {
  const modulus = new Uint8Array(256).fill(0xab);
  const members = [
    Uint8Array.of(1, 3),
    Uint8Array.of(3, 0x39, 1, 0),
    concatBytes(Uint8Array.of(0x20, 0x59, 1, 0), modulus),
    Uint8Array.of(0x21, 0x43, 1, 0, 1),
  ];
  const keyOf = (parts: Uint8Array[]) => concatBytes(Uint8Array.of(0xa4), ...parts);
  const name = keyNameOf(keyOf(members));
  expect(keyNameOf(keyOf(members.toReversed()))).toBe(name);
  modulus[10] = 0;
  members[2] = concatBytes(Uint8Array.of(0x20, 0x59, 1, 0), modulus);
  expect(keyNameOf(keyOf(members))).not.toBe(name);
});

test("a public key on P-256 has the name of the API key, in whatever order its members are", () => {
  const { coseKey, publicKey } = newPasskey();
  const [kty, alg] = [coseKey.subarray(1, 3), coseKey.subarray(3, 5)];
  const reordered = concatBytes(coseKey.subarray(0, 1), alg, kty, coseKey.subarray(5));
  for (const each of [coseKey, reordered]) expect(keyNameOf(each)).toBe(encodeHex(publicKey));
});
