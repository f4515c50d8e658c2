import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys/keys";
import { expect, test } from "vitest";
import { checkClientSignature, type Usage } from "./client-signatures.ts";
import type { VerifiedCode } from "./verification-tokens.ts";

const privateKey = generatePrivateKey("CURVE_P256");
const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
const token: VerifiedCode = {
  tokenId: "0192aaaa-7777-7888-8999-aaaaaaaaaaaa",
  type: "OTP_TYPE_EMAIL",
  contact: "ada@example.com",
  publicKey,
  sentAtMs: 0,
};
const { tokenId } = token;
const sessionKey = `02${"cd".repeat(32)}`;
const login: Usage = { type: "USAGE_TYPE_LOGIN", login: { publicKey: sessionKey } };
const field = "parameters.clientSignature";

function sign(message: string, key = privateKey) {
  const scheme = "CLIENT_SIGNATURE_SCHEME_API_P256" as const;
  const signature = encodeHex(signP256Raw(encodeUtf8(message), key));
  return { publicKey: encodeHex(publicKeyOf("CURVE_P256", key)), scheme, message, signature };
}

const loginMessage = `{"login":{"publicKey":"${sessionKey}"},"tokenId":"${tokenId}","type":"USAGE_TYPE_LOGIN"}`;

function check(
  signature: ReturnType<typeof sign> | undefined,
  usage: Usage = login,
  proven = token,
) {
  return () => checkClientSignature({ signature, field }, proven, usage);
}

test("the key that the token names must have signed what the request asks for", () => {
  expect(check(sign(loginMessage))).not.toThrow();
  const signed = sign(loginMessage);
  expect(check({ ...signed, publicKey: publicKey.toUpperCase() })).not.toThrow();
  // In another order.
  const reordered = `{"type":"USAGE_TYPE_LOGIN","tokenId":"${tokenId}","login":{"publicKey":"${sessionKey}"}}`;
  expect(check(sign(reordered))).not.toThrow();
});

test("a token without a key needs no signature, and a token with one does", () => {
  const without = { ...token, publicKey: null };
  expect(check(undefined, login, without)).not.toThrow();
  expect(check(sign(loginMessage), login, without)).toThrow(/names no key/);
  expect(check(undefined)).toThrow(/`parameters.clientSignature` is missing/);
});

test("another key, a changed message or another signature is refused", () => {
  const other = sign(loginMessage, generatePrivateKey("CURVE_P256"));
  expect(check(other)).toThrow(/publicKey` is not the key/);
  expect(check({ ...other, publicKey })).toThrow(/is not a signature/);
  const signed = sign(loginMessage);
  expect(check({ ...signed, message: `${loginMessage} ` })).toThrow(/is not a signature/);
  for (const signature of [
    "",
    "00".repeat(64),
    signed.signature.slice(2),
    `${signed.signature}00`,
  ]) {
    expect(check({ ...signed, signature }), signature).toThrow(/is not a signature/);
  }
});

test("a message for another request is refused, although the key signed it", () => {
  const messages = [
    loginMessage.replace(sessionKey, `03${"cd".repeat(32)}`),
    loginMessage.replace(tokenId, "0192aaaa-7777-7888-8999-aaaaaaaaaaab"),
    loginMessage.replace("LOGIN", "SIGNUP"),
    loginMessage.replace("{", '{"also":1,'),
    loginMessage.replace('"login":', '"login":{},"login":'),
    `{"tokenId":"${tokenId}","type":"USAGE_TYPE_LOGIN"}`,
    `[${loginMessage}]`,
    "not JSON",
    "",
  ];
  for (const message of messages) {
    expect(check(sign(message)), message).toThrow(
      /message` does not say what the request asks for/,
    );
  }
});

test("a sign-up is compared by value, where an empty list is the same as none", () => {
  const apiKeys = [{ apiKeyName: "key", publicKey: sessionKey, curveType: "API_KEY_CURVE_P256" }];
  const signupV2 = { apiKeys, authenticators: [], oauthProviders: [], email: "ada@example.com" };
  const signup: Usage = { type: "USAGE_TYPE_SIGNUP", signupV2 };
  const of = (asked: object) => JSON.stringify({ signupV2: asked, tokenId, type: signup.type });
  expect(check(sign(of({ apiKeys, email: "ada@example.com" })), signup)).not.toThrow();
  const wrong = [
    { apiKeys, email: "eve@example.com" },
    { apiKeys },
    { apiKeys: [...apiKeys, ...apiKeys], email: "ada@example.com" },
    { apiKeys: [{ ...apiKeys[0], publicKey }], email: "ada@example.com" },
    { apiKeys, email: "ada@example.com", phoneNumber: "+14155550100" },
    { email: "ada@example.com" },
  ];
  for (const asked of wrong) {
    expect(check(sign(of(asked)), signup), of(asked)).toThrow(/does not say what/);
  }
});
