import { decodeUtf8, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { newPasskey, testOrigin } from "../passkey.testing.ts";
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
  return { publicKey, registered, header: { name: "X-Stamp", value } };
}

function newRegistered() {
  const passkey = newPasskey();
  const given = { origins: () => ["*"], verdicts: new Map(), nowMs: Date.now() };
  const registered: NewPasskey = createRegistrations(given).read(passkey.params, "field");
  const value = passkey.stamp(decodeUtf8(body));
  return { registered, value, header: { name: "X-Stamp-Webauthn", value } };
}

type Header = Parameters<typeof verifySelfStamp>[0];

function expectRefused(header: Header, own: OwnCredentials, stamped = body) {
  try {
    verifySelfStamp(header, stamped, own);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "UNAUTHENTICATED",
      reason: "STAMP_INVALID",
      message: "the request must be stamped with the credential that it registers",
    });
    return;
  }
  expect.unreachable("the stamp was accepted");
}

test("an API key that the request registers stamps it", () => {
  const [key, another] = [newKey(), newKey()];
  const apiKeys = [another.registered, key.registered];
  expect(verifySelfStamp(key.header, body, { apiKeys })).toMatchObject({
    publicKey: key.publicKey,
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
  });
  expectRefused(key.header, { apiKeys }, other);
  expectRefused(key.header, { apiKeys: [another.registered] });
  const onOtherCurve = { ...key.registered, curveType: "API_KEY_CURVE_SECP256K1" as const };
  expectRefused(key.header, { apiKeys: [onOtherCurve] });
  expectRefused(key.header, { passkeys: [newRegistered().registered] });
});

test("a passkey that the request registers stamps it", () => {
  const [passkey, another] = [newRegistered(), newRegistered()];
  const passkeys = [another.registered, passkey.registered];
  expect(verifySelfStamp(passkey.header, body, { passkeys })).toEqual({
    publicKey: passkey.registered.credential.publicKey,
    scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN",
    signature: passkey.value,
  });
  expectRefused(passkey.header, { passkeys }, other);
  expectRefused(passkey.header, { passkeys: [another.registered] });
  expectRefused(passkey.header, { apiKeys: [newKey().registered] });
});

test("a passkey stamps from the pages that are allowed", () => {
  const { header, registered } = newRegistered();
  const passkeys = [registered];
  expect(verifySelfStamp(header, body, { passkeys, origins: [testOrigin] })).toBeDefined();
  expectRefused(header, { passkeys, origins: ["https://other.example"] });
  expectRefused(header, { passkeys, origins: [] });
});

test("a request without a stamp, or with one that a token attests, is refused as everywhere", () => {
  expect(() => verifySelfStamp(null, body, {})).toThrow(
    "no valid authentication signature found for request",
  );
  expect(() => verifySelfStamp({ name: "X-Stamp-Attested", value: "{}" }, body, {})).toThrow(
    "`X-Stamp-Attested` stamps only start a session",
  );
});
