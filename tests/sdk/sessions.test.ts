// Keys and sessions that the real service made, opened and verified with the crypto entry.

import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import {
  createApiKey,
  createTargetKey,
  decryptCredentialBundle,
  type StampScheme,
  verifyReadOnlySession,
  verifySessionJwt,
} from "@keyhearth/sdk/crypto";
import { PortableApiKeyStamper } from "@keyhearth/sdk/stampers/api-key-portable";
import { beforeAll, describe, expect, test } from "vitest";

let organization: TestOrganization;
let sessionPublicKey: string;

beforeAll(async () => {
  organization = await newOrganization();
  const described = organization.server.signer.handle({ call: "describe" });
  sessionPublicKey = (described as { sessionPublicKey: string }).sessionPublicKey;
});

const clientWith = (stamper: ConstructorParameters<typeof KeyhearthClient>[0]["stamper"]) =>
  new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId: organization.organizationId,
    stamper,
    fetch: (url, init) => organization.server.fetch(url, init),
  });

const schemes: StampScheme[] = [
  "SIGNATURE_SCHEME_TK_API_P256",
  "SIGNATURE_SCHEME_TK_API_SECP256K1",
  "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
  "SIGNATURE_SCHEME_TK_API_ED25519",
];

test.each(schemes)("a new API key of %s is registered and stamps", async (scheme) => {
  const { apiPublicKey, apiPrivateKey, curveType } = createApiKey({ scheme });
  const { root, userId } = organization;
  const apiKeys = [{ apiKeyName: scheme, publicKey: apiPublicKey, curveType }];
  await root.createApiKeys({ userId, apiKeys });
  const key = { apiPublicKey, apiPrivateKey, scheme };
  expect(await clientWith(new PortableApiKeyStamper(key)).whoami()).toMatchObject({ userId });
});

test("without a scheme, a new API key is one that every stamper takes", async () => {
  const key = createApiKey();
  expect(key).toMatchObject({ scheme: schemes[0], curveType: "API_KEY_CURVE_P256" });
  expect(key.apiPrivateKey).not.toBe(createApiKey().apiPrivateKey);
  await new ApiKeyStamper(key as ConstructorParameters<typeof ApiKeyStamper>[0]).stamp("{}");
  expect(() => createApiKey({ scheme: "RSA" as StampScheme })).toThrow(
    expect.objectContaining({ name: "InvalidField", field: "scheme" }),
  );
});

describe("the credential bundle of a login", () => {
  test("becomes a key that stamps", async () => {
    const { root, userId } = organization;
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const { credentialBundle } = await root.createReadWriteSession({ targetPublicKey });
    // As people paste it.
    const key = decryptCredentialBundle({
      credentialBundle: ` ${credentialBundle}\n`,
      targetPrivateKey,
    });
    expect(key).toEqual({
      apiPublicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      apiPrivateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await clientWith(new ApiKeyStamper(key)).whoami()).toMatchObject({ userId });
  });

  test("is refused if it is damaged, or for another target key", async () => {
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const { credentialBundle } = await organization.root.createReadWriteSession({
      targetPublicKey,
    });
    const malformed = expect.objectContaining({ name: "InvalidField", field: "credentialBundle" });
    const lost = credentialBundle.slice(1);
    const swapped = credentialBundle.replace(/^(.)(.)/, "$2$1x");
    for (const wrong of ["", lost, swapped, `${credentialBundle}1`, "0OIl", "1".repeat(500), 7]) {
      const given = { credentialBundle: wrong as string, targetPrivateKey };
      expect(() => decryptCredentialBundle(given)).toThrow(malformed);
    }
    const { targetPrivateKey: other } = createTargetKey();
    expect(() => decryptCredentialBundle({ credentialBundle, targetPrivateKey: other })).toThrow(
      expect.objectContaining({ name: "Unverified", field: "credentialBundle" }),
    );
    for (const wrong of ["", "zz", targetPublicKey, `0x${targetPrivateKey}`, "00".repeat(32)]) {
      const given = { credentialBundle, targetPrivateKey: wrong };
      expect(() => decryptCredentialBundle(given)).toThrow(
        expect.objectContaining({ name: "InvalidCredential", field: "targetPrivateKey" }),
      );
    }
  });
});

describe("the session of a login", () => {
  const unverified = (field: string) => expect.objectContaining({ name: "Unverified", field });

  test("says whose it is, until it expires", async () => {
    const { root, organizationId, userId } = organization;
    const { apiPublicKey } = createApiKey();
    const login = { publicKey: apiPublicKey, expirationSeconds: "60" };
    const { session } = await root.stampLogin(login);
    const verified = verifySessionJwt(session, { sessionPublicKey });
    expect(verified).toEqual({
      organizationId,
      userId,
      publicKey: apiPublicKey,
      expiresAtMs: expect.any(Number),
      proofDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const seconds = (verified.expiresAtMs - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThan(61);
    verifySessionJwt(session, { sessionPublicKey, nowMs: verified.expiresAtMs - 1 });
    for (const nowMs of [verified.expiresAtMs, verified.expiresAtMs + 1]) {
      expect(() => verifySessionJwt(session, { sessionPublicKey, nowMs })).toThrow(
        expect.objectContaining({ name: "SessionEnded", code: "SESSION_ENDED" }),
      );
    }
  });

  test("is refused if anything in it changed, or another key signed it", async () => {
    const { session } = await organization.root.stampLogin({
      publicKey: createApiKey().apiPublicKey,
    });
    for (let at = 0; at < session.length; at += 7) {
      const changed = `${session.slice(0, at)}${session[at] === "A" ? "B" : "A"}${session.slice(at + 1)}`;
      expect(() => verifySessionJwt(changed, { sessionPublicKey })).toThrow(unverified("session"));
    }
    const [header = "", payload = ""] = session.split(".");
    const none = btoa('{"alg":"none","typ":"JWT"}').replaceAll("=", "");
    const texts = ["", ".", "..", `${header}.${payload}`, `${header}.${payload}.`, `${session}.`];
    for (const text of [...texts, `${none}.${payload}.`, `${session} `, "x".repeat(10_000), 7]) {
      expect(() => verifySessionJwt(text as string, { sessionPublicKey })).toThrow(
        unverified("session"),
      );
    }
    const { targetPublicKey: other } = createTargetKey();
    expect(() => verifySessionJwt(session, { sessionPublicKey: other })).toThrow(
      unverified("session"),
    );
  });

  test("a read-only session is another token, and neither passes for the other", async () => {
    const { root, organizationId, userId } = organization;
    const { session: token } = await root.createReadOnlySession();
    expect(verifyReadOnlySession(token, { sessionPublicKey })).toEqual({
      organizationId,
      userId,
      expiresAtMs: expect.any(Number),
    });
    expect(() => verifySessionJwt(token, { sessionPublicKey })).toThrow(unverified("session"));
    const { session } = await root.stampLogin({ publicKey: createApiKey().apiPublicKey });
    expect(() => verifyReadOnlySession(session, { sessionPublicKey })).toThrow(unverified("token"));
    const nowMs = Date.now() + 10 ** 12;
    expect(() => verifyReadOnlySession(token, { sessionPublicKey, nowMs })).toThrow(
      expect.objectContaining({ name: "SessionEnded" }),
    );
  });

  test("options that verify nothing are refused", () => {
    for (const wrong of ["", sessionPublicKey.slice(2), `04${"00".repeat(64)}`, undefined]) {
      const options = { sessionPublicKey: wrong as string };
      for (const verify of [verifySessionJwt, verifyReadOnlySession]) {
        expect(() => verify("a.b.c", options)).toThrow(
          expect.objectContaining({ name: "InvalidField", field: "sessionPublicKey" }),
        );
      }
    }
    const options = { sessionPublicKey, nowMs: Number.NaN };
    expect(() => verifySessionJwt("a.b.c", options)).toThrow(
      expect.objectContaining({ name: "InvalidField", field: "nowMs" }),
    );
  });
});
