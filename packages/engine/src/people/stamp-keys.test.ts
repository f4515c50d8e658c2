import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { expect, test } from "vitest";
import { createStampKeys } from "./stamp-keys.ts";

const scheme = "SIGNATURE_SCHEME_TK_API_P256";
const newKey = () => encodeHex(publicKeyOf("CURVE_P256", generatePrivateKey("CURVE_P256")));

test("a public key is imported once for an organization and a scheme", () => {
  const keys = createStampKeys({ max: 100_000, maxPerOrganization: 100_000 });
  const publicKey = newKey();
  const imported = keys.import("ada's", publicKey, scheme);
  expect(imported.publicKey).toBe(publicKey);
  expect(keys.import("ada's", publicKey, scheme)).toBe(imported);
  expect(keys.find("ada's", publicKey, scheme)).toBe(imported);
  expect(keys.find("grace's", publicKey, scheme)).toBeUndefined();
  expect(keys.import("grace's", publicKey, scheme)).not.toBe(imported);
});

test("an organization with many keys displaces only its own", () => {
  const keys = createStampKeys({ max: 1_000_000, maxPerOrganization: 30_000 });
  const [mine, grace] = [newKey(), newKey()];
  const [first, other] = [
    keys.import("ada's", mine, scheme),
    keys.import("grace's", grace, scheme),
  ];
  for (let index = 0; index < 5; index++) keys.import("ada's", newKey(), scheme);
  expect(keys.import("ada's", mine, scheme)).not.toBe(first);
  expect(keys.import("grace's", grace, scheme)).toBe(other);
});
