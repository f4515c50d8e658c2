import { decodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";

let organization: TestOrganization;
let privateKeyId: string;

beforeEach(async () => {
  organization = await newOrganization();
  const key = { privateKeyName: "key", curve: "CURVE_SECP256K1" as const };
  const { privateKeys } = await organization.root.createPrivateKeys({
    privateKeys: [{ ...key, privateKeyTags: [], addressFormats: [] }],
  });
  privateKeyId = privateKeys[0]?.privateKeyId ?? "";
});

afterEach(() => vi.restoreAllMocks());

/** Sends a request. Returns how often its body was made text and bytes again, by host and signer together. */
async function conversionsOf(path: string, request: object) {
  const { server, rootKey } = organization;
  const text = JSON.stringify(request);
  const body = new Uint8Array(encodeUtf8(text));
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const stamp = createApiKeyStamp({ privateKey: decodeHex(rootKey.privateKey), scheme }, body);
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  const encode = vi.spyOn(TextEncoder.prototype, "encode");
  const url = `http://keyhearth.test/public/v1/${path}`;
  const { status } = await server.fetch(url, {
    method: "POST",
    body,
    headers: { "X-Stamp": stamp },
  });
  const isBody = (bytes: unknown) => bytes instanceof Uint8Array && equalBytes(bytes, body);
  const decoded = decode.mock.calls.filter(([bytes]) => isBody(bytes)).length;
  const encoded = encode.mock.calls.filter(([given]) => given === text).length;
  return { status, decoded, encoded };
}

function signing(payload: string, more = {}) {
  return {
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: String(Date.now()),
    organizationId: organization.organizationId,
    parameters: {
      signWith: privateKeyId,
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    },
    ...more,
  };
}

test.each([
  ["a small submission", "pay"],
  ["a large submission", "pay".repeat(20_000)],
])("host and signer each decode %s once, and do not encode it again", async (_, payload) => {
  const conversions = await conversionsOf("submit/sign_raw_payload", signing(payload));
  expect(conversions).toEqual({ status: 200, decoded: 2, encoded: 0 });
});

test("an app proof names the bytes of the request without encoding them again", async () => {
  const request = signing("pay", { generateAppProofs: true });
  const conversions = await conversionsOf("submit/sign_raw_payload", request);
  expect(conversions).toEqual({ status: 200, decoded: 2, encoded: 0 });
});

test("a query is decoded once", async () => {
  const { organizationId } = organization;
  const conversions = await conversionsOf("query/get_private_key", {
    organizationId,
    privateKeyId,
  });
  expect(conversions).toEqual({ status: 200, decoded: 1, encoded: 0 });
});
