import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { expect, test } from "vitest";
import { createKeyring } from "../vault/keyring.ts";
import { deriveOauth2Key } from "../vault/oauth2-key.ts";
import {
  createOauth2Token,
  isOauth2Token,
  organizationOfIssuer,
  saysOauth2,
} from "./oauth2-tokens.ts";
import { createRegistrations } from "./passkey-registrations.ts";

const organizationId = "11111111-2222-4333-8444-555555555555";
const other = "66666666-7777-4888-8999-aaaaaaaaaaaa";
const nowMs = 1_800_000_000_500;

const key = deriveOauth2Key(createKeyring(randomBytes));
const given = {
  provider: "OAUTH2_PROVIDER_X" as const,
  organizationId,
  clientId: "client",
  subject: "42",
  nonce: "nonce",
  authCode: "code",
  issuedAtMs: nowMs,
};
const token = createOauth2Token(given, key);

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const read = (index: number) =>
  JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString());

/** As a request reads a token, in organizations whose credentials count. */
function readToken(text: string, from: readonly string[] | null = [organizationId], atMs = nowMs) {
  const own = {
    isOwn: (each: string) => isOauth2Token(each, key),
    countsFrom: (id: string) => from?.includes(id) === true,
    isVoid: () => false,
  };
  const verdicts = new Map();
  const options = { origins: () => [], verdicts, nowMs: atMs, ...(from && { own }) };
  const registrations = createRegistrations(options);
  const claims = registrations.readToken(text, "oidcToken");
  // The core knows the answer itself.
  registrations.assertVerified();
  return claims;
}

test("a token says who somebody is, for a quarter of an hour, without a verdict of anybody else", () => {
  expect(read(0)).toEqual({ alg: "EdDSA", typ: "JWT" });
  expect(read(1)).toEqual({
    iss: `urn:keyhearth:oauth2:x:${organizationId}`,
    aud: "client",
    sub: "42",
    nonce: "nonce",
    iat: 1_800_000_000,
    exp: 1_800_000_900,
    auth_code_digest: createHash("sha256").update("code").digest("hex"),
  });
  expect(readToken(token)).toEqual({
    issuer: `urn:keyhearth:oauth2:x:${organizationId}`,
    audience: "client",
    subject: "42",
    nonces: ["nonce"],
    issuedAtMs: 1_800_000_000_000,
  });
  expect(() => readToken(token, [organizationId], nowMs + 961_000)).toThrow(/expired/);
});

test("it counts for the organization whose credential it is, and nowhere else", () => {
  expect(() => readToken(token, [other])).toThrow(/made for another organization/);
  expect(() => readToken(token, null)).toThrow(/this service did not sign it/);
});

test("another key, another algorithm and a changed part are refused", () => {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const changed = part({ ...read(1), sub: "43" });
  const { privateKey } = generateKeyPairSync("ed25519");
  const signedBy = (text: string) =>
    `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  for (const forged of [
    `${header}.${changed}.${signature}`,
    signedBy(`${header}.${changed}`),
    signedBy(`${part({ alg: "EdDSA", typ: "JWT", jwk: { kty: "OKP" } })}.${payload}`),
    `${part({ alg: "Ed25519", typ: "JWT" })}.${payload}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${"A".repeat(86)}`,
    createOauth2Token(given, deriveOauth2Key(createKeyring(randomBytes))),
  ]) {
    expect(() => readToken(forged), forged).toThrow(/this service did not sign it|invalid OIDC/);
  }
  expect(() => readToken(`${part({ alg: "none" })}.${payload}.`)).toThrow(/`alg` must be/);
});

test("an issuer names a provider and an organization, exactly", () => {
  const prefix = "urn:keyhearth:oauth2:";
  expect(organizationOfIssuer(`${prefix}discord:${organizationId}`)).toBe(organizationId);
  for (const rest of [
    `google:${organizationId}`,
    "x:",
    "x",
    `x:${organizationId}:more`,
    `x:${organizationId.toUpperCase().replace("1", "A")}`,
    `X:${organizationId}`,
  ]) {
    expect(organizationOfIssuer(prefix + rest), rest).toBeUndefined();
  }
  expect(saysOauth2({ issuer: "https://accounts.google.com" })).toBe(false);
});
