import { expect, test } from "vitest";
import { newToken } from "../oidc.testing.ts";
import { identityIn, nonceOfKey, parseOidcToken } from "./oidc-tokens.ts";
import { createRegistrations } from "./passkey-registrations.ts";

const nowMs = Date.now();
const nowSeconds = Math.floor(nowMs / 1000);
const read = (token: string) => parseOidcToken(token, "oidcToken", nowMs);

function part(text: string): string {
  return Buffer.from(text).toString("base64url");
}

const identity = { issuer: "https://accounts.example.com", audience: "my-app", subject: "ada" };

test("a token says who, for whom, for which keys and when", () => {
  const token = newToken({ sub: "ada", nonce: "a", tknonce: "b", iat: nowSeconds });
  expect(read(token)).toEqual({ ...identity, nonces: ["a", "b"], issuedAtMs: nowSeconds * 1000 });
  expect(identityIn(token)).toEqual(identity);
});

test("of several audiences, the token is for the one that asked for it", () => {
  const aud = ["other-app", "my-app"];
  expect(read(newToken({ sub: "ada", aud, azp: "my-app" }))).toMatchObject(identity);
  expect(read(newToken({ sub: "ada", aud: ["my-app"], azp: "a phone" }))).toMatchObject(identity);
  expect(read(newToken({ sub: "ada", azp: "a phone" }))).toMatchObject(identity);
  for (const azp of [undefined, "a third", 1, ["my-app"]]) {
    expect(() => read(newToken({ sub: "ada", aud, azp }))).toThrow("it needs an audience");
  }
});

test("clocks may be a minute off", () => {
  for (const times of [
    { exp: nowSeconds - 58 },
    { iat: nowSeconds + 58 },
    { nbf: nowSeconds + 58 },
  ]) {
    expect(read(newToken({ sub: "ada", ...times }))).toMatchObject(identity);
  }
  expect(() => read(newToken({ sub: "ada", exp: nowSeconds - 61 }))).toThrow("it has expired");
  for (const times of [{ iat: nowSeconds + 62 }, { nbf: nowSeconds + 62 }]) {
    expect(() => read(newToken({ sub: "ada", ...times }))).toThrow("it is not valid yet");
  }
});

test.each<[string, object]>([
  ["iss", { iss: undefined }],
  ["iss", { iss: "" }],
  ["iss", { iss: 1 }],
  ["sub", { sub: undefined }],
  ["sub", { sub: "x".repeat(256) }],
  ["sub", { sub: "two\nlines" }],
  ["aud", { aud: undefined }],
  ["aud", { aud: [] }],
  ["aud", { aud: [1] }],
  ["exp", { exp: undefined }],
  ["exp", { exp: "1999999999" }],
  ["exp", { exp: -1 }],
  ["iat", { iat: undefined }],
  ["nbf", { nbf: "soon" }],
  ["event", { events: {} }],
])("a token is refused for its %s: %j", (message, claims) => {
  expect(() => read(newToken({ sub: "ada", ...claims }))).toThrow(message);
  expect(() => read(newToken({ sub: "ada", ...claims }))).toThrow(
    "invalid OIDC token: `oidcToken`",
  );
});

test.each<[string, object]>([
  ["alg", { alg: "none" }],
  ["alg", { alg: "None" }],
  ["alg", { alg: "HS256" }],
  ["alg", { alg: "RSA-OAEP" }],
  ["alg", { alg: undefined }],
  ["alg", { alg: ["ES256"] }],
  ["typ", { typ: "at+jwt" }],
  ["typ", { typ: "logout+jwt" }],
  ["typ", { typ: 1 }],
  ["crit", { crit: ["b64"], b64: false }],
])("a token is refused for the %s of its header: %j", (message, header) => {
  expect(() => read(newToken({ sub: "ada" }, { header }))).toThrow(message);
});

test("a text with two readings is refused", () => {
  const [header = "", payload = "", signature = ""] = newToken({ sub: "ada" }).split(".");
  const twice = part(`{"sub":"ada","sub":"bob","iss":"i","aud":"a","exp":${nowSeconds},"iat":1}`);
  for (const token of [
    "",
    "a.b.c",
    `${header}.${payload}`,
    `${header}.${payload}.${signature}.${signature}`,
    `${header}.${payload}=.${signature}`,
    `${header}.${twice}.${signature}`,
    `${header}.${part("[]")}.${signature}`,
    `${header}.${part('{"__proto__":{}}')}.${signature}`,
    ` ${header}.${payload}.${signature}`,
  ]) {
    expect(() => read(token)).toThrow("expected the compact form of a signed JWT");
  }
  expect(() => read("x".repeat(16_385))).toThrow("it has 16385 characters, and may have 16384");
  for (const token of ["", "a.b.c", `${header}.${twice}.`]) expect(identityIn(token)).toBeNull();
});

test("no verdict is asked for on more than ten tokens of a request", () => {
  const registrations = createRegistrations({ origins: () => [], verdicts: new Map(), nowMs });
  const tokens = Array.from({ length: 100 }, (_, index) => newToken({ sub: `user ${index}` }));
  const refused = tokens.filter((token) => {
    try {
      registrations.readToken(token, "oidcToken");
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toEqual(tokens.slice(10));
  let asked: unknown;
  try {
    registrations.assertTokensSeen();
  } catch (error) {
    asked = error;
  }
  expect(asked).toMatchObject({ tokens: tokens.slice(0, 10), statements: [] });
});

test("a nonce is the digest of the key's text, and not of its bytes", () => {
  const vectors = [
    [
      "04bb76f9a8aaafbb0722fa184f66642ae425e2a032bde8ffa0479ff5a93157b204c7848701cf246d81fd58f6c4c47a437d9f81e6a183042f2f1aa2f6aa28e4ab65",
      "1f9570d976946c0cb72f0e853eea0fb648b5e9e9a2266d25f971817e187c9b18",
    ],
    [
      "035c2c35e687f8b1583da97e14ff32814247a0a71d3fe4260b1a5c3ae32a1d5439",
      "ba49ec2bf9e7eb4b60fdd8acac68657828ffee575cfd12d2c37f1aaebff92f96",
    ],
  ] as const;
  for (const [publicKey, nonce] of vectors) expect(nonceOfKey(publicKey)).toBe(nonce);
});
