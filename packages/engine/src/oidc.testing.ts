import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

// An issuer whose tokens the test server accepts. Its keys are made once in each process.

export const TEST_ISSUER = "https://accounts.example.com";
export const TEST_AUDIENCE = "my-app";

type TokenParts = { header?: object; key?: KeyObject; signature?: string };

let pair: { publicKey: KeyObject; privateKey: KeyObject } | undefined;

function keys() {
  pair ??= generateKeyPairSync("ec", { namedCurve: "P-256" });
  return pair;
}

/** The issuer's key set. */
export function testIssuerKeys() {
  return { keys: [{ ...keys().publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256" }] };
}

/** A token about a person of the test issuer, valid for ten minutes from now. */
export function newToken(
  claims: Record<string, unknown>,
  { header = {}, key = keys().privateKey, signature }: TokenParts = {},
): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const times = { iat: nowSeconds, exp: nowSeconds + 600 };
  const payload = { iss: TEST_ISSUER, aud: TEST_AUDIENCE, ...times, ...claims };
  const text = [{ alg: "ES256", typ: "JWT", kid: "one", ...header }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signed = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature ?? signed.toString("base64url")}`;
}

/** The nonce that binds a token to a public key. */
export function nonceFor(publicKey: string): string {
  return createHash("sha256").update(publicKey).digest("hex");
}
