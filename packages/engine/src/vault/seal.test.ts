import { decodeBase64Url, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { openBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { frozenKeyring } from "../records/frozen.testing.ts";
import { addEpoch } from "./keyring.ts";
import { type SealedOwner, seal, unseal } from "./seal.ts";

const owner: SealedOwner = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  id: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
  part: "seed",
};

test("key material opens for its owner", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (plaintext) => {
      const sealed = seal(frozenKeyring, owner, secretBytes(plaintext), randomBytes);
      expect(openBytes(unseal(frozenKeyring, owner, sealed))).toEqual(plaintext);
    }),
  );
});

test("it does not open for another organization, id or part", () => {
  const sealed = seal(frozenKeyring, owner, secretBytes(new Uint8Array(32)), randomBytes);
  const others: SealedOwner[] = [
    { ...owner, organizationId: owner.id },
    { ...owner, id: owner.organizationId },
    { ...owner, part: "entropy" },
    { ...owner, part: "key" },
    { ...owner, organizationId: owner.id, id: owner.organizationId },
  ];
  for (const other of others) {
    expect(() => unseal(frozenKeyring, other, sealed)).toThrow(ApiError);
    expect(() => unseal(frozenKeyring, other, sealed)).toThrow(
      "key material does not open for its owner",
    );
  }
});

test("nothing opens with a changed bit", () => {
  const sealed = seal(frozenKeyring, owner, secretBytes(new Uint8Array(8)), randomBytes);
  for (const member of ["nonce", "ciphertext"] as const) {
    const bytes = decodeBase64Url(sealed[member]);
    for (let i = 0; i < bytes.length * 8; i++) {
      const changed = Uint8Array.from(bytes);
      changed[i >> 3] = (changed[i >> 3] ?? 0) ^ (1 << (i & 7));
      const text = encodeBase64Url(changed);
      expect(() => unseal(frozenKeyring, owner, { ...sealed, [member]: text })).toThrow(ApiError);
    }
  }
});

test("an older epoch always opens, and one that the signer does not hold never does", () => {
  const next = addEpoch(frozenKeyring, randomBytes);
  const old = seal(frozenKeyring, owner, secretBytes(new Uint8Array(8)), randomBytes);
  const recent = seal(next, owner, secretBytes(new Uint8Array(8)), randomBytes);
  expect(recent.keyEpoch).toBe(2);
  expect(openBytes(unseal(next, owner, old))).toEqual(new Uint8Array(8));
  expect(openBytes(unseal(next, owner, recent))).toEqual(new Uint8Array(8));
  expect(() => unseal(frozenKeyring, owner, recent)).toThrow(
    "key material is sealed under an epoch the signer does not hold",
  );
  expect(() => unseal(next, owner, { ...old, keyEpoch: 2 })).toThrow(ApiError);
});
