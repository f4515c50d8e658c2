import { concatBytes, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { expect, test } from "vitest";
import { newPasskey, passkeyOf } from "../passkey.testing.ts";
import { createRecords } from "../records/facts.ts";
import { type Authenticator, newOrganizationDocument, type User } from "../records/organization.ts";
import { keyHolderWant, keyNameOf, takenPublicKeys } from "./taken-keys.ts";

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

test("the name of a public key on P-256 says on which side of the curve its point is", () => {
  const names = Array.from({ length: 10 }, (_, index) => {
    const privateKey = new Uint8Array(32).fill(index + 1);
    const publicKey = publicKeyOf("CURVE_P256", privateKey);
    const { coseKey } = passkeyOf({ privateKey, publicKey, id: new Uint8Array(16) });
    expect(keyNameOf(coseKey)).toBe(encodeHex(publicKey));
    return keyNameOf(coseKey).slice(0, 2);
  });
  expect(new Set(names)).toEqual(new Set(["02", "03"]));
});

test("sessions are looked up by the keys of a request, and by those of its well-formed passkeys", () => {
  const { params, publicKey } = newPasskey();
  const malformed = { ...params, attestation: { ...params.attestation, attestationObject: "AA" } };
  const type = "sessions-of-keys";
  expect(keyHolderWant({})).toEqual({ type, publicKeys: [] });
  expect(
    keyHolderWant({ apiKeys: [{ publicKey: "02ab" }], authenticators: [malformed, params] }),
  ).toEqual({ type, publicKeys: ["02ab", encodeHex(publicKey)] });
});

test("the keys of all users are taken, those of sessions too, except of the user who registers", () => {
  const nowMs = 1_767_225_600_000;
  const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  const credential = (publicKey: string) => ({
    publicKey,
    type: "CREDENTIAL_TYPE_API_KEY_P256" as const,
  });
  // The tests give only the members that are read.
  const user = (userId: string, given: Partial<User>) =>
    ({
      userId,
      apiKeys: [],
      authenticators: [],
      sessionEpoch: 0,
      keyEpochs: [],
      ...given,
    }) as unknown as User;
  const apiKeys = ["key 1", "key 2"].map((publicKey) => ({
    apiKeyId: publicKey,
    apiKeyName: publicKey,
    credential: credential(publicKey),
    createdAtMs: 0,
    updatedAtMs: 0,
  }));
  const passkey = { credentialId: "id", keyName: "key of a passkey" } as Authenticator;
  const document = newOrganizationDocument({
    organizationId,
    organizationName: "Acme",
    createdAtMs: 0,
    users: [user("ada", { apiKeys }), user("grace", { authenticators: [passkey] })],
    rootQuorum: { threshold: 1, userIds: ["ada"] },
  });
  const records = createRecords(
    document,
    ["ada", "grace"].map((userId) => ({
      header: { type: "sessions", schema: 1, organizationId, id: userId, version: 1, keyEpoch: 1 },
      digest: "",
      body: {
        userId,
        entries: [
          {
            apiKeyId: userId,
            apiKeyName: "session",
            credential: credential(`session of ${userId}`),
            sessionEpoch: 0,
            expirationSeconds: 900,
            createdAtMs: nowMs,
          },
        ],
      },
    })),
  );
  const lasting = ["key 1", "key 2", "credential id id", "key of a passkey"];
  const facts = { document, records, nowMs };
  expect(takenPublicKeys(facts)).toEqual(
    new Set([...lasting, "session of ada", "session of grace"]),
  );
  expect(takenPublicKeys(facts, "ada")).toEqual(new Set([...lasting, "session of grace"]));
  expect(takenPublicKeys({ ...facts, nowMs: nowMs + 900_000 })).toEqual(new Set(lasting));
});
