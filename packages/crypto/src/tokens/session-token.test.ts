import { expect, test } from "vitest";
import { decodeBase64Url, decodeHex, encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";
import { publicKeyOf, signP256Raw, uncompressedPublicKey } from "../keys/keys.ts";
import { verifyP256Raw } from "../keys/verify.ts";
import { sha256 } from "../primitives/node.ts";
import vectors from "../vectors/session-jwt.json" with { type: "json" };
import { verifyReadOnlySession } from "./read-only-session.ts";
import {
  createReadOnlySession,
  createSessionJwt,
  type ReadOnlySession,
  readOnlyMessage,
} from "./session-token.ts";

const key = decodeHex(vectors.generatedSession.notarizerPrivateKey);
const publicKey = decodeHex(vectors.generatedSession.notarizerPublicKey);
const sign = (message: Uint8Array) => signP256Raw(message, key);

function isSignedTwiceHashed(jwt: string, notarizer: string): boolean {
  const end = jwt.lastIndexOf(".");
  const message = sha256(encodeUtf8(jwt.slice(0, end)));
  return verifyP256Raw(decodeHex(notarizer), message, decodeBase64Url(jwt.slice(end + 1)));
}

test("a session JWT has the header, claims and signature that released clients verify", () => {
  const { claims, jwt, notarizerPublicKey } = vectors.generatedSession;
  const made = createSessionJwt({ ...claims, session_type: "SESSION_TYPE_READ_WRITE" }, sign);
  const textOf = (token: string) => token.slice(0, token.lastIndexOf("."));
  expect(textOf(made)).toBe(textOf(jwt));
  expect(isSignedTwiceHashed(made, notarizerPublicKey)).toBe(true);
  const { publishedSession: published } = vectors;
  expect(isSignedTwiceHashed(published.jwt, published.notarizerPublicKey)).toBe(true);
});

const session: ReadOnlySession = {
  organizationId: "11111111-2222-4333-8444-555555555555",
  userId: "66666666-7777-4888-8999-aaaaaaaaaaaa",
  sessionEpoch: 2 ** 53 - 1,
  expiresAtMs: 1_893_456_000_000,
};

test("a read-only session is read back with the key that signed it, and with no other", () => {
  const token = createReadOnlySession(session, sign);
  expect(verifyReadOnlySession(token, publicKey)).toEqual(session);
  const other = decodeHex("01".repeat(32));
  const point = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", other));
  expect(verifyReadOnlySession(token, point)).toBeNull();
});

test("no part of a read-only session can be changed", () => {
  const token = createReadOnlySession(session, sign);
  const [payload = "", signature = ""] = token.split(".");
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    expect(verifyReadOnlySession(changed, publicKey), `character ${at}`).toBeNull();
  }
  const texts = ["", ".", payload, `${payload}.`, `.${signature}`, `${token}.`, `${token}.e30`];
  for (const text of [...texts, "x".repeat(10_000), `${token} `]) {
    expect(verifyReadOnlySession(text, publicKey), text.slice(0, 40)).toBeNull();
  }
});

test("what the key signed for another purpose is not a read-only session", () => {
  const payload = encodeUtf8(JSON.stringify(session));
  const claims = vectors.generatedSession.claims;
  const jwt = createSessionJwt({ ...claims, session_type: "SESSION_TYPE_READ_WRITE" }, sign);
  expect(verifyReadOnlySession(jwt, publicKey)).toBeNull();
  const unprefixed = `${encodeBase64Url(payload)}.${encodeBase64Url(sign(payload))}`;
  expect(verifyReadOnlySession(unprefixed, publicKey)).toBeNull();
});

test.each([
  { ...session, more: 1 },
  { ...session, userId: "ada" },
  { ...session, sessionEpoch: -1 },
  { ...session, expiresAtMs: 1.5 },
  { organizationId: session.organizationId },
])("a signed token of another shape is refused: %j", (value) => {
  const payload = encodeUtf8(JSON.stringify(value));
  const signature = encodeBase64Url(sign(readOnlyMessage(payload)));
  expect(verifyReadOnlySession(`${encodeBase64Url(payload)}.${signature}`, publicKey)).toBeNull();
});
