import { createPrivateKey, createSign, generateKeyPairSync } from "node:crypto";
import { decodeBase64Url, decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeDerSignature, encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { sha256 } from "@noble/hashes/sha2.js";
import { expect, test } from "vitest";
import { inspectStamp, readCoseKey } from "./inspect-stamp.ts";
import passkey from "./passkey-vector.json" with { type: "json" };
import { readHeader } from "./read-header.ts";
import vectors from "./vectors.json" with { type: "json" };

const { body } = vectors;

function verdictOf(header: string, sent: string, coseKey: Uint8Array | null = null) {
  const inspected = inspectStamp(header, sent, coseKey);
  if (!("read" in inspected)) throw new Error(inspected.kind);
  return inspected.verdict;
}

function ofScheme(scheme: string) {
  const found = vectors.vectors.find((vector) => vector.scheme.endsWith(scheme));
  if (!found) throw new Error(scheme);
  const { apiPublicKey: publicKey, signature } = found;
  const members = { publicKey, scheme: found.scheme, signature };
  return { ...found, members, privateKey: decodeHex(found.apiPrivateKey) };
}

const encode = (members: object) => Buffer.from(JSON.stringify(members)).toString("base64url");

test.each(vectors.vectors)("a stamp of $scheme is valid for its body", ({ header, scheme }) => {
  const inspected = inspectStamp(header, body, null);
  expect(inspected).toMatchObject({
    read: { kind: "api key", isEncoded: true, stamp: { scheme } },
    verdict: { answer: "valid" },
    body: { size: body.length, digest: vectors.sha256 },
  });
});

test("without the body, the stamp is taken apart and not verified", () => {
  const { header, members } = ofScheme("P256");
  const inspected = inspectStamp(header, "", null);
  expect(inspected).toMatchObject({ body: null, verdict: { answer: "open", needs: "body" } });
  if (!("read" in inspected)) throw new Error("a stamp");
  const { r = "", s = "", isHighS } = inspected.signature ?? {};
  expect(encodeHex(encodeDerSignature(decodeHex(r + s)))).toBe(members.signature);
  expect(isHighS).toBe(true);
});

test.each([
  ["blanks", `${body}\n`],
  ["serialized again", JSON.stringify(JSON.parse(body), null, 2)],
  ["serialized again", body.replaceAll(":", ": ")],
  ["other key or body", body.replace("7c2d", "8c2d")],
  ["other key or body", "no JSON"],
])("a body that was changed: %s", (reason, changed) => {
  const verdict = verdictOf(ofScheme("P256").header, changed);
  expect(verdict).toEqual({ answer: "invalid", reason });
});

test("the same JSON in another order is recognized", () => {
  const { privateKey } = ofScheme("_ED25519");
  const scheme = "SIGNATURE_SCHEME_TK_API_ED25519";
  const header = createApiKeyStamp(
    { privateKey, scheme },
    Buffer.from('{"a":"1","b":{"c":2,"d":[3]}}'),
  );
  const verdict = verdictOf(header, '{"b":{"d":[3],"c":2},"a":"1"}');
  expect(verdict).toEqual({ answer: "invalid", reason: "keys in another order" });
});

test("what was hashed twice, or is the digest's text, is recognized", () => {
  const { privateKey } = ofScheme("P256");
  const sign = (bytes: Uint8Array) =>
    createApiKeyStamp({ privateKey, scheme: "SIGNATURE_SCHEME_TK_API_P256" }, bytes);
  const digest = sha256(Buffer.from(body));
  expect(verdictOf(sign(digest), body)).toMatchObject({ reason: "hashed twice" });
  expect(verdictOf(sign(Buffer.from(vectors.sha256)), body)).toMatchObject({
    reason: "signed the digest's text",
  });
});

test("a signature for another scheme of the same key is recognized", () => {
  const { members } = ofScheme("SECP256K1_EIP191");
  const scheme = "SIGNATURE_SCHEME_TK_API_SECP256K1";
  expect(verdictOf(encode({ ...members, scheme }), body)).toEqual({
    answer: "invalid",
    reason: "other scheme",
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
  });
});

test("a signature by another key is not valid", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signature = createSign("sha256")
    .update(body)
    .sign(createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" })));
  const { members } = ofScheme("P256");
  const header = encode({ ...members, signature: signature.toString("hex") });
  expect(verdictOf(header, body)).toEqual({ answer: "invalid", reason: "other key or body" });
});

const p256 = ofScheme("P256").members;
const rawSignature = encodeHex(decodeDerSignature(decodeHex(p256.signature)));
const onBothCurves = ofScheme("_SECP256K1").members.publicKey;

test.each([
  ["hello world", { kind: "encoding" }],
  ["x".repeat(9000), { kind: "long" }],
  [Buffer.from("??>").toString("base64"), { kind: "base64" }],
  [`${ofScheme("P256").header}==`, { kind: "base64" }],
  [Buffer.from("hello").toString("base64url"), { kind: "json" }],
  [ofScheme("P256").header.slice(0, -9), { kind: "json" }],
  [encode([1]), { kind: "json" }],
  ['{"publicKey":"00","publicKey":"01"}', { kind: "json" }],
  [encode({ publicKey: "00" }), { kind: "members", missing: ["scheme", "signature"] }],
  [encode({ ...p256, extra: 1 }), { kind: "members", unknown: ["extra"] }],
  [encode({ ...p256, scheme: "ES256" }), { kind: "scheme", given: "ES256" }],
  [encode({ ...p256, publicKey: "0x00" }), { kind: "keyHex" }],
  [encode({ ...p256, publicKey: `04${"00".repeat(64)}` }), { kind: "keyLength", given: 65 }],
  [encode({ ...p256, publicKey: `02${"ff".repeat(32)}` }), { kind: "point" }],
  [encode({ ...p256, signature: "zz" }), { kind: "signatureHex" }],
  [encode({ ...p256, signature: rawSignature }), { kind: "raw" }],
  [encode({ ...p256, signature: p256.signature.slice(0, -2) }), { kind: "der" }],
])("no stamp: %s", (header, fault) => {
  expect(readHeader(header)).toMatchObject(fault);
});

test("a key of another curve than the scheme's is named", () => {
  // This point of secp256k1 is none of P-256.
  const fault = readHeader(encode({ ...p256, publicKey: onBothCurves }));
  expect(fault).toMatchObject({ kind: "curve", given: "CURVE_SECP256K1" });
});

test("the name of the header, quotes and the JSON itself are understood", () => {
  const { header, members } = ofScheme("P256");
  expect(readHeader(`X-Stamp: ${header}\n`)).toMatchObject({ kind: "api key", isEncoded: true });
  expect(readHeader(`"${header}"`)).toMatchObject({ kind: "api key" });
  expect(readHeader(JSON.stringify(members))).toMatchObject({ kind: "api key", isEncoded: false });
});

test("a stamp of an attested key is taken apart and verified", () => {
  const scheme = "STAMP_ATTESTED_SCHEME_P256_OIDC";
  const header = JSON.stringify({ ...p256, scheme, publicKeyAttestation: "a.b.c" });
  expect(inspectStamp(header, body, null)).toMatchObject({
    read: { kind: "attested", scheme, token: "a.b.c" },
    verdict: { answer: "valid" },
  });
});

const passkeyStamp = JSON.stringify(passkey.stamp);
const coseKey = readCoseKey(passkey.publicKey);

test("a stamp of a passkey is taken apart and verified with its public key", () => {
  expect(inspectStamp(passkeyStamp, passkey.body, coseKey)).toMatchObject({
    read: { kind: "passkey" },
    passkey: {
      type: "webauthn.get",
      digest: encodeHex(sha256(Buffer.from(passkey.body))),
      origin: "https://wallet.example.com",
      rpId: "example.com",
      flags: { UP: true, UV: true, BE: true, BS: true, AT: false, ED: false },
      signCount: 0,
    },
    verdict: { answer: "valid" },
  });
  const open = { answer: "open", needs: "passkey's key" };
  expect(verdictOf(passkeyStamp, passkey.body)).toEqual(open);
});

test("a stamp of a passkey says what is wrong with it", () => {
  const changed = passkey.body.replace("treasurers", "owners");
  expect(verdictOf(passkeyStamp, changed, coseKey)).toMatchObject({ reason: "other body" });
  const altered = (change: (data: Record<string, unknown>) => object) => {
    const data = JSON.parse(Buffer.from(passkey.stamp.clientDataJson, "base64url").toString());
    return JSON.stringify({ ...passkey.stamp, clientDataJson: encode(change(data)) });
  };
  const created = altered((data) => ({ ...data, type: "webauthn.create" }));
  expect(verdictOf(created, passkey.body)).toMatchObject({ reason: "not a get" });
  const challenge = Buffer.from(sha256(Buffer.from(passkey.body))).toString("base64url");
  const raw = altered((data) => ({ ...data, challenge }));
  expect(verdictOf(raw, passkey.body)).toMatchObject({ reason: "challenge is raw" });
  const moved = altered((data) => ({ ...data, origin: "https://elsewhere.example" }));
  expect(verdictOf(moved, passkey.body, coseKey)).toMatchObject({ reason: "other key" });
  const data = decodeBase64Url(passkey.stamp.authenticatorData);
  data[32] = 0;
  const authenticatorData = Buffer.from(data).toString("base64url");
  const absent = JSON.stringify({ ...passkey.stamp, authenticatorData });
  expect(verdictOf(absent, passkey.body)).toMatchObject({ reason: "nobody present" });
  const short = JSON.stringify({ ...passkey.stamp, authenticatorData: "AAAA" });
  expect(inspectStamp(short, "", null)).toEqual({ kind: "part", name: "authenticatorData" });
});

test("only the COSE key of a passkey is one", () => {
  expect(readCoseKey(Buffer.from(passkey.publicKey, "base64url").toString("hex"))).toEqual(coseKey);
  for (const text of ["", "hello", p256.publicKey]) expect(readCoseKey(text)).toBeNull();
});
