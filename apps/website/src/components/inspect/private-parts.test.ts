import { expect, test } from "vitest";
import vectors from "../stamps/vectors.json" with { type: "json" };
import { hasPrivatePart, mentionsPrivatePart } from "./private-parts.ts";

const key = "ab".repeat(32);

test.each([
  ["a private key in hex", key],
  ["one with a prefix and a curve", ` 0x${key}:p256\n`],
  ["a key file", JSON.stringify({ apiPublicKey: "02", apiPrivateKey: key })],
  ["a key file in base64", btoa(JSON.stringify({ privateKey: key }))],
  ["a JWK", '{"kty":"EC","d":"AAAA"}'],
  ["PEM", "-----BEGIN EC PRIVATE KEY-----\nMHc"],
  ["words", `${"test ".repeat(11)}junk`],
  ["a key pair of Solana", "5".repeat(88)],
])("%s counts as private", (_, text) => {
  expect(hasPrivatePart(text)).toBe(true);
});

test.each([
  ...vectors.vectors.map(({ header }) => header),
  vectors.body,
  '{"parameters":{"privateKeyId":"x","privateKeyName":"y","privateKeys":[]}}',
  '{"type":"ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"}',
  `04${"ab".repeat(64)}`,
  "a sentence of a few words",
])("public: %s", (text) => {
  expect(hasPrivatePart(text)).toBe(false);
});

test.each([
  `is ${key} my public key?`,
  `why does 0x${key}, fail`,
  `what is wrong with {"apiPrivateKey":"${key}"}`,
  `my words are ${"test ".repeat(11)}junk`,
  "-----BEGIN EC PRIVATE KEY-----\nMHc does not work",
])("a secret in a sentence is noticed: %s", (text) => {
  expect(mentionsPrivatePart(text)).toBe(true);
});

test.each([
  "How do I make sure that my backend can only sign transfers to one address and never more",
  "What does create_private_keys answer?",
  "¿Cómo hago una copia de seguridad de la base de datos incluida sin detener el servicio?",
])("a question may leave the page: %s", (text) => {
  expect(mentionsPrivatePart(text)).toBe(false);
});
