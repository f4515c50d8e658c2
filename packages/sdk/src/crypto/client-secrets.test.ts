import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { decryptQuorumMessage } from "@keyhearth/crypto/sealing/quorum-message";
import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { expect, test } from "vitest";
import { InvalidField } from "../errors/errors.ts";
import { encryptClientSecret } from "./client-secrets.ts";

const [encryptionKey, signingKey] = [0, 1].map(() => generatePrivateKey("CURVE_P256")) as [
  Uint8Array,
  Uint8Array,
];
const pointOf = (key: Uint8Array) =>
  encodeHex(uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", key)));

const given = {
  clientSecret: "s3cret~of=the/client",
  clientId: "1029384756",
  organizationId: "11111111-2222-4333-8444-555555555555",
  quorumPublicKey: pointOf(encryptionKey) + pointOf(signingKey),
};

test("a secret is encrypted to the first half of the key, with what it is for", () => {
  const encrypted = encryptClientSecret(given);
  const opened = decryptQuorumMessage(encryptionKey, Buffer.from(encrypted, "hex"));
  expect(Buffer.from(openBytes(opened)).toString()).toBe(
    `keyhearth.oauth2.v1|${given.organizationId}|${given.clientId}|${given.clientSecret}`,
  );
});

test("everything that is wrong is named at once, and the secret is not shown", () => {
  const wrong = {
    clientSecret: "two words",
    clientId: "a|b",
    organizationId: "",
    quorumPublicKey: "04",
  };
  const encrypt = () => encryptClientSecret(wrong);
  expect(encrypt).toThrow(InvalidField);
  expect(encrypt).toThrow(/clientSecret must.*clientId must.*organizationId must.*quorumPublicKey/);
  expect(encrypt).not.toThrow(/two words/);
});
