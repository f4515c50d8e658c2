import { createHash } from "node:crypto";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import {
  createCredentialBundle,
  createExportBundle,
  createImportBundle,
  createOtpBundle,
} from "@keyhearth/crypto/sealing/bundle";
import {
  encryptToBundle,
  openCredentialBundle,
  openExportBundle,
} from "@keyhearth/crypto/sealing/open-bundle";
import { expect, test } from "vitest";
import { hasPrivatePart } from "../inspect/private-parts.ts";
import { inspectBundle, isBundle, readSignerKey } from "./inspect-bundle.ts";
import samples from "./samples.json" with { type: "json" };

const organizationId = "7c2d0a5e-4b6f-4c57-9a0b-0d6b8e1f2a3c";
const userId = "2f4c1f0e-93a4-4a0e-8f0e-5d1c7b9a6e21";

/** The keys with which the samples were made. They protect nothing. */
const secretOf = (name: string) =>
  new Uint8Array(createHash("sha256").update(`keyhearth sample ${name}`).digest());
const pointOf = (key: Uint8Array) =>
  uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", key));

const [signerKey, target] = [secretOf("signer"), secretOf("target")];
const signer = readSignerKey(samples.signerKey);
const mnemonic = new TextEncoder().encode("test test junk");

test("the samples are what the signer and the clients make", () => {
  expect(samples.signerKey).toBe(encodeHex(pointOf(signerKey)));
  const options = { signerPublicKey: samples.signerKey, organizationId };
  const words = new TextDecoder().decode(openExportBundle(samples.bundles.export, options, target));
  expect(words).toMatch(/^(abandon ){11}about$/);
  expect(openCredentialBundle(samples.bundles.login, target)).toEqual(secretOf("session"));
});

test("an import bundle says for whom it is, and who signed it", () => {
  const bundle = createImportBundle(
    { targetPublicKey: pointOf(target), organizationId, userId },
    signerKey,
  );
  expect(inspectBundle(bundle, signer)).toMatchObject({
    kind: "import",
    organizationId,
    userId,
    targetPublic: encodeHex(pointOf(target)),
    signed: { verdict: "by the given key", version: "v1.0.0" },
  });
  expect(inspectBundle(bundle, null)).toMatchObject({ signed: { verdict: "by the key it names" } });
  const other = readSignerKey(encodeHex(pointOf(target)));
  expect(inspectBundle(bundle, other)).toMatchObject({ signed: { verdict: "another signer" } });
});

test("an export bundle shows what is public, and the size of the secret", () => {
  const bundle = createExportBundle(
    mnemonic,
    { targetPublicKey: pointOf(target), organizationId },
    signerKey,
  );
  const { data } = JSON.parse(bundle);
  const { encappedPublic, ciphertext } = JSON.parse(Buffer.from(data, "hex").toString());
  expect(inspectBundle(bundle, signer)).toMatchObject({
    kind: "export",
    organizationId,
    encrypted: { encappedPublic, ciphertext, secretSize: mnemonic.length },
    signed: { verdict: "by the given key" },
  });
});

test("the other kinds are told apart", () => {
  const point = pointOf(target);
  expect(inspectBundle(createOtpBundle(point, signerKey), signer)).toMatchObject({
    kind: "code",
    targetPublic: encodeHex(point),
    signed: { verdict: "by the given key" },
  });
  expect(inspectBundle(encryptToBundle(mnemonic, encodeHex(point)), null)).toMatchObject({
    kind: "encrypted",
    encrypted: { secretSize: mnemonic.length },
  });
  expect(inspectBundle(createCredentialBundle(secretOf("x"), point), null)).toMatchObject({
    kind: "login",
    encrypted: { secretSize: 32 },
  });
});

test("a signature over other data is found", () => {
  const outer = JSON.parse(samples.bundles.import);
  const data = Buffer.from(outer.data, "hex").toString().replace(userId, organizationId);
  const changed = JSON.stringify({ ...outer, data: Buffer.from(data).toString("hex") });
  expect(inspectBundle(changed, signer)).toMatchObject({
    kind: "import",
    userId: organizationId,
    signed: { verdict: "changed" },
  });
});

const signed = JSON.parse(samples.bundles.import);
const json = (change: object) => JSON.stringify({ ...signed, ...change });
const data = (inner: object) => json({ data: Buffer.from(JSON.stringify(inner)).toString("hex") });
const { login } = samples.bundles;
const changed = `${login.slice(0, 30)}${login[30] === "a" ? "b" : "a"}${login.slice(31)}`;

test.each([
  ["hello, world", { kind: "other" }],
  ["[]", { kind: "other" }],
  [samples.bundles.import.slice(0, 400), { kind: "truncated" }],
  [samples.bundles.export.slice(0, -1), { kind: "truncated" }],
  [
    JSON.stringify({ encappedPublic: signed.enclaveQuorumPublic, ciphertext: "00" }),
    { kind: "truncated" },
  ],
  ['{"data":"00","data":"01"}', { kind: "twice" }],
  ['{"a":{"b":{}}}', { kind: "twice" }],
  [login.slice(0, -1), { kind: "checksum" }],
  [changed, { kind: "checksum" }],
  [login + login, { kind: "length" }],
  ["x".repeat(20_000), { kind: "long" }],
  [json({ version: "v2.0.0" }), { kind: "version", given: "v2.0.0" }],
  [json({ data: "xyz" }), { kind: "member", name: "data", expected: "hex" }],
  [json({ data: "ff" }), { kind: "member", name: "data", expected: "hex" }],
  [json({ enclaveQuorumPublic: "04" }), { kind: "member", expected: "point" }],
  [json({ dataSignature: signed.dataSignature.slice(0, -2) }), { kind: "signature" }],
  [json({ more: "1" }), { kind: "members", unknown: ["more"] }],
  [
    '{"data":"00"}',
    { kind: "members", missing: ["version", "dataSignature", "enclaveQuorumPublic"] },
  ],
  [
    data({ targetPublic: signed.enclaveQuorumPublic, organizationId }),
    { kind: "members", missing: ["userId"] },
  ],
  [data({ targetPublic: "00" }), { kind: "member", name: "targetPublic" }],
  [
    data({ targetPublic: signed.enclaveQuorumPublic, organizationId: "x", userId }),
    { kind: "member", expected: "id" },
  ],
])("no bundle: %s", (text, fault) => {
  const inspected = inspectBundle(text, signer);
  expect(inspected).toMatchObject(fault);
  expect(isBundle(inspected)).toBe(false);
});

test("a key of the signer has one of two forms", () => {
  const compressed = encodeHex(publicKeyOf("CURVE_P256", signerKey));
  expect(readSignerKey(compressed)).toBe(compressed);
  expect(readSignerKey(` 0x${samples.signerKey}\n`)).toBe(compressed);
  for (const text of ["", "zz", "02", `04${"00".repeat(64)}`])
    expect(readSignerKey(text)).toBeNull();
  // The private half has no place in the field.
  expect(hasPrivatePart(encodeHex(signerKey))).toBe(true);
  expect(decodeHex(encodeHex(signerKey))).toEqual(signerKey);
});

test.each(Object.entries(samples.bundles))("the sample %s counts as public", (_, text) => {
  expect(hasPrivatePart(text)).toBe(false);
});
