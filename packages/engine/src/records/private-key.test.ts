import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { expect, test } from "vitest";
import { unseal } from "../vault/seal.ts";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import { type PrivateKey, privateKey } from "./private-key.ts";

const privateKeyBody: PrivateKey = {
  privateKeyId: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
  curve: "CURVE_ED25519",
  publicKey: "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
  addresses: [
    {
      format: "ADDRESS_FORMAT_SOLANA",
      address: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
      proof: {
        scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
        publicKey: "04aa",
        proofPayload: "{}",
        signature: "bb",
      },
    },
  ],
  sealedKey: {
    keyEpoch: 1,
    nonce: "FhYWFhYWFhYWFhYW",
    ciphertext: "5uJd_PP3qi8Ijv4E0z9tS922LJaiUL0sIxuCIpbyNncH9XF-jXTMbrygrGofVuuh",
  },
  createdAtMs: 1767225600000,
};

const privateKeyV1 =
  "S0hSMQAAAAEAAACeeyJ0eXBlIjoicHJpdmF0ZS1rZXkiLCJzY2hlbWEiOjEsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiI4ZDNmNGU1YS05Yzc2LTRjYTAtOGI3MC0yZjNjNGQ1ZTZmNzAiLCJ2ZXJzaW9uIjoxLCJrZXlFcG9jaCI6MX0AAAIbeyJwcml2YXRlS2V5SWQiOiI4ZDNmNGU1YS05Yzc2LTRjYTAtOGI3MC0yZjNjNGQ1ZTZmNzAiLCJjdXJ2ZSI6IkNVUlZFX0VEMjU1MTkiLCJwdWJsaWNLZXkiOiJjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjIiwiYWRkcmVzc2VzIjpbeyJmb3JtYXQiOiJBRERSRVNTX0ZPUk1BVF9TT0xBTkEiLCJhZGRyZXNzIjoiSEFnazE0SnBNUUxndDZyVmd2N2NCUUZKV0Z0bzVEcXhpNDcydVQzREtwcWsiLCJwcm9vZiI6eyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn19XSwic2VhbGVkS2V5Ijp7ImtleUVwb2NoIjoxLCJub25jZSI6IkZoWVdGaFlXRmhZV0ZoWVciLCJjaXBoZXJ0ZXh0IjoiNXVKZF9QUDNxaThJanY0RTB6OXRTOTIyTEphaVVMMHNJeHVDSXBieU5uY0g5WEYtalhUTWJyeWdyR29mVnV1aCJ9LCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMH20vLiM5wTPH0a65hosPLLr+uSYB/uvK3gMQJyrey+QTA==";

test("a private key record of schema 1 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(privateKeyV1));
  expect(record.header).toEqual({
    type: "private-key",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
    version: 1,
    keyEpoch: 1,
  });
  expect(upcast(privateKey, record)).toEqual(privateKeyBody);
});

test("the key material in a private key of schema 1 opens", () => {
  const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  const owner = { organizationId, id: privateKeyBody.privateKeyId, part: "key" as const };
  expect(openBytes(unseal(frozenKeyring, owner, privateKeyBody.sealedKey))).toEqual(
    new Uint8Array(32).fill(21),
  );
});
