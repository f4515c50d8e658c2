import { jwtVerify } from "jose";
import { expect, test } from "vitest";
import { encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";
import { generatePrivateKey, uncompressedPublicKey } from "../keys/keys.ts";
import { signP256 } from "../primitives/node.ts";
import {
  createVerificationToken,
  importVerificationKey,
  importVerificationPublicKey,
  readVerificationToken,
  type VerificationClaims,
} from "./verification-token.ts";

const key = importVerificationKey(generatePrivateKey("CURVE_P256"));

const claims: VerificationClaims = {
  id: "0192aaaa-7777-7888-8999-aaaaaaaaaaaa",
  verification_type: "OTP_TYPE_EMAIL",
  contact: "ada~lovelace?é@example.com",
  organization_id: "11111111-2222-4333-8444-555555555555",
  public_key: `02${"ab".repeat(32)}`,
  exp: "1893456000000",
};

function signed(header: object, payload: unknown): string {
  const segment = (value: unknown) => encodeBase64Url(encodeUtf8(JSON.stringify(value)));
  const text = `${segment(header)}.${segment(payload)}`;
  return `${text}.${encodeBase64Url(signP256(key.privateKey, encodeUtf8(text)))}`;
}

const HEADER = { alg: "ES256", typ: "JWT" };

test("a token is read back with the key that signed it, and with no other", () => {
  const token = createVerificationToken(claims, key);
  expect(readVerificationToken(token, key)).toEqual(claims);
  const other = importVerificationKey(generatePrivateKey("CURVE_P256"));
  expect(readVerificationToken(token, other)).toBeNull();
  const published = uncompressedPublicKey("CURVE_P256", key.publicKey.bytes);
  expect(readVerificationToken(token, importVerificationPublicKey(published))).toEqual(claims);
});

test("the payload needs neither - nor _, so that clients can decode it with atob", () => {
  const [header = "", payload = ""] = createVerificationToken(claims, key).split(".");
  expect(payload).not.toMatch(/[-_]/);
  expect(JSON.parse(atob(payload))).toEqual(claims);
  expect(JSON.parse(atob(header))).toEqual(HEADER);
});

test("a standard library verifies it", async () => {
  const point = key.publicKey.bytes;
  const token = createVerificationToken({ ...claims, contact: "a@b.example" }, key);
  const raw = uncompressedPublicKey("CURVE_P256", point);
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(raw), algorithm, true, [
    "verify",
  ]);
  // `exp` is a string, as clients expect, and no standard claim.
  await expect(jwtVerify(token, imported)).rejects.toThrow(/"exp" claim must be a number/);
});

test("no character of a token can be changed", () => {
  const token = createVerificationToken(claims, key);
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    expect(readVerificationToken(changed, key), `character ${at}`).toBeNull();
  }
});

test("even what this key signed is refused in any other form", () => {
  expect(readVerificationToken(signed(HEADER, claims), key)).toEqual(claims);
  const { exp: _, ...withoutExp } = claims;
  const wrong: [object, unknown][] = [
    [{ alg: "none", typ: "JWT" }, claims],
    [{ typ: "JWT", alg: "ES256" }, claims],
    [{ ...HEADER, kid: "1" }, claims],
    [HEADER, withoutExp],
    [HEADER, { ...claims, exp: 1893456000000 }],
    [HEADER, { ...claims, exp: "never" }],
    [HEADER, { ...claims, admin: true }],
    [HEADER, { ...claims, verification_type: "OTP_TYPE_FAX" }],
    [HEADER, { ...claims, contact: "" }],
    [HEADER, { ...claims, public_key: claims.public_key.toUpperCase() }],
    [HEADER, { ...claims, organization_id: "" }],
    [HEADER, [claims]],
  ];
  for (const [header, payload] of wrong) {
    const token = signed(header, payload);
    expect(readVerificationToken(token, key), JSON.stringify([header, payload])).toBeNull();
  }
  const token = createVerificationToken(claims, key);
  const [header, payload] = token.split(".");
  const texts = ["", "..", `${header}.${payload}.`, `${token}.`, ` ${token}`, "x".repeat(10_000)];
  for (const text of texts) expect(readVerificationToken(text, key)).toBeNull();
});
