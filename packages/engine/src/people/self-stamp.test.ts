import { decodeUtf8, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { parseApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { parseWebAuthnStamp } from "@keyhearth/crypto/webauthn/webauthn";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { newPasskey, testOrigin } from "../passkey.testing.ts";
import type { Stamp } from "./authenticate.ts";
import { createRegistrations, type NewPasskey } from "./passkey-registrations.ts";
import { type OwnCredentials, verifySelfStamp } from "./self-stamp.ts";

const body = encodeUtf8('{"organizationId":"x"}');
const other = encodeUtf8('{"organizationId":"y"}');

function newKey() {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const value = createApiKeyStamp({ privateKey, scheme }, body);
  const registered = { publicKey, curveType: "API_KEY_CURVE_P256" as const };
  return { publicKey, registered, stamp: parseApiKeyStamp(value) };
}

function newRegistered() {
  const passkey = newPasskey();
  const given = { origins: () => ["*"], verdicts: new Map(), nowMs: Date.now() };
  const registered: NewPasskey = createRegistrations(given).read(passkey.params, "field");
  const value = passkey.stamp(decodeUtf8(body));
  return { registered, value, stamp: parseWebAuthnStamp(value) };
}

function expectRefused(stamp: Stamp, own: OwnCredentials, stamped = body) {
  try {
    verifySelfStamp(stamp, stamped, own);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "UNAUTHENTICATED",
      reason: "STAMP_INVALID",
      message:
        "the request must be stamped with the credential that it registers, over exactly the bytes that are sent",
    });
    return;
  }
  expect.unreachable("the stamp was accepted");
}

test("an API key that the request registers stamps it", () => {
  const [key, another] = [newKey(), newKey()];
  const apiKeys = [another.registered, key.registered];
  expect(verifySelfStamp(key.stamp, body, { apiKeys })).toMatchObject({
    publicKey: key.publicKey,
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
  });
  expectRefused(key.stamp, { apiKeys }, other);
  expectRefused(key.stamp, { apiKeys: [another.registered] });
  const onOtherCurve = { ...key.registered, curveType: "API_KEY_CURVE_SECP256K1" as const };
  expectRefused(key.stamp, { apiKeys: [onOtherCurve] });
  expectRefused(key.stamp, { passkeys: [newRegistered().registered] });
});

test("a passkey that the request registers stamps it", () => {
  const [passkey, another] = [newRegistered(), newRegistered()];
  const passkeys = [another.registered, passkey.registered];
  expect(verifySelfStamp(passkey.stamp, body, { passkeys })).toEqual({
    publicKey: passkey.registered.credential.publicKey,
    scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN",
    signature: passkey.value,
  });
  expectRefused(passkey.stamp, { passkeys }, other);
  expectRefused(passkey.stamp, { passkeys: [another.registered] });
  expectRefused(passkey.stamp, { apiKeys: [newKey().registered] });
});

test("a passkey stamps from the pages that are allowed", () => {
  const { stamp, registered } = newRegistered();
  const passkeys = [registered];
  expect(verifySelfStamp(stamp, body, { passkeys, origins: [testOrigin] })).toBeDefined();
  expectRefused(stamp, { passkeys, origins: ["https://other.example"] });
  expectRefused(stamp, { passkeys, origins: [] });
});

test("a stamp that a token attests is refused as everywhere, also if its key is registered", () => {
  const { stamp, publicKey, registered } = newKey();
  const attestation = {
    scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" as const,
    token: "token",
    publicKeyAsSent: publicKey,
    identity: { issuer: "https://issuer.example", audience: "app", subject: "subject" },
  };
  const attested = { ...stamp, attestation };
  expect(() => verifySelfStamp(attested, body, { apiKeys: [registered] })).toThrow(
    "`X-Stamp-Attested` stamps only start a session",
  );
});
