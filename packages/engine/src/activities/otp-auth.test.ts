import {
  clientOf,
  newOrganization,
  startTestServer,
  type TestClient,
} from "@keyhearth/api/testing";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { openCredentialBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { addUser, expectDenied, expectStrangersRefused, refusal } from "../organization.testing.ts";
import { codeOf, newCodeFamily, offerCodes } from "../otps.testing.ts";

type Family = Awaited<ReturnType<typeof newCodeFamily>>;

const invalid = (text: string) => ({
  httpStatus: 400,
  grpcCode: 3,
  code: "OTP_INVALID",
  message: expect.stringContaining(`Invalid OTP code: ${text}`),
});

async function newCode(given?: Family) {
  const family = given ?? (await newCodeFamily(await newOrganization()));
  const { server, subOrganizationId, parents, email } = family;
  const { otpId } = await parents.initOtpAuth({ otpType: "OTP_TYPE_EMAIL", contact: email });
  const code = await codeOf(server, subOrganizationId, otpId);
  const target = createTargetKey();
  const auth = (otpCode: string, more: object = {}, client: TestClient = parents) =>
    client.otpAuth({ otpId, otpCode, targetPublicKey: target.targetPublicKey, ...more });
  return { ...family, otpId, code, target, auth };
}

const wrongOf = (code: string) => `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;

test("a code becomes a key of the user for fifteen minutes", async () => {
  const { server, subOrganizationId, adaId, auth, code, target } = await newCode();
  const { userId, apiKeyId, credentialBundle } = await auth(code);
  expect(userId).toBe(adaId);
  const opened = openCredentialBundle(credentialBundle ?? "", decodeHex(target.targetPrivateKey));
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", opened));
  const key = { publicKey, privateKey: encodeHex(opened) };
  const client = clientOf(server, subOrganizationId, key);
  expect(await client.whoami()).toMatchObject({ userId: adaId });
  const { apiKeys } = await client.getApiKeys({ userId });
  expect(apiKeys.find((each) => each.apiKeyId === apiKeyId)).toMatchObject({
    apiKeyName: expect.stringMatching(/^OTP Auth - \d{4}-/),
    credential: { type: "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256", publicKey: key.publicKey },
    expirationSeconds: "900",
  });
});

test("a code works once, and three wrong attempts lock it", async () => {
  const used = await newCode();
  await used.auth(used.code);
  expect(await refusal(used.auth(used.code))).toMatchObject(invalid("it was used"));
  const { auth, code } = await newCode();
  for (const left of [2, 1]) {
    const text = `it is wrong; attempts left at this code: ${left}`;
    expect(await refusal(auth(wrongOf(code)))).toMatchObject(invalid(text));
  }
  expect(await refusal(auth(wrongOf(code)))).toMatchObject(invalid("it is wrong, and locked"));
  expect(await refusal(auth(code))).toMatchObject(invalid("it is locked"));
});

test("a code ends after its time", async () => {
  const server = await startTestServer();
  try {
    const { auth, code } = await newCode(await newCodeFamily(await newOrganization(server)));
    server.clock.offsetMs += 300_000;
    expect(await refusal(auth(code))).toMatchObject(invalid("it expired at"));
  } finally {
    await server.stop();
  }
});

test("invalidateExisting ends the user's other keys of codes, and nothing else", async () => {
  const family = await newCodeFamily(await newOrganization());
  const { own, adaId } = family;
  const typesNow = async () =>
    (await own.getApiKeys({ userId: adaId })).apiKeys.map(({ credential }) => credential.type);
  for (const invalidateExisting of [false, false, true]) {
    const { auth, code } = await newCode(family);
    await auth(code, { invalidateExisting });
  }
  expect(await typesNow()).toEqual([
    "CREDENTIAL_TYPE_API_KEY_P256",
    "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256",
  ]);
});

test("the contact must still be the user's, and a login from before a log-out is refused", async () => {
  const { own, adaId, auth, code } = await newCode();
  await own.updateUser({ userId: adaId, userEmail: "other@example.com", userTagIds: [] });
  expect(await refusal(auth(code))).toMatchObject({ httpStatus: 404, field: "parameters.otpId" });
});

test("a code of init_otp is no login", async () => {
  const { server, subOrganizationId, parents, email, target } = await newCode();
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: email, appName: "Example" } as const;
  const { otpId } = await parents.initOtp(contact);
  const otpCode = await codeOf(server, subOrganizationId, otpId);
  const asked = parents.otpAuth({ otpId, otpCode, targetPublicKey: target.targetPublicKey });
  expect(await refusal(asked)).toMatchObject({ httpStatus: 404, field: "parameters.otpId" });
});

test("an organization that no longer offers codes accepts none", async () => {
  const { own, auth, code } = await newCode();
  await own.removeOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  expect(await refusal(auth(code))).toMatchObject({ httpStatus: 403, code: "FEATURE_DISABLED" });
});

test("a user without permission and strangers try no code", async () => {
  const organization = await newOrganization();
  await offerCodes(organization);
  const { server, root, organizationId, userId } = organization;
  const contact = "root@example.com";
  await root.updateUser({ userId, userEmail: contact, userTagIds: [] });
  const { otpId } = await root.initOtpAuth({ otpType: "OTP_TYPE_EMAIL", contact });
  const otpCode = await codeOf(server, organizationId, otpId);
  const { targetPublicKey } = createTargetKey();
  const grace = await addUser(organization);
  for (let i = 0; i < 4; i++) {
    await expectDenied(grace.client.otpAuth({ otpId, otpCode: wrongOf(otpCode), targetPublicKey }));
  }
  await expectStrangersRefused(organization, (client) =>
    client.otpAuth({ otpId, otpCode, targetPublicKey }),
  );
  expect(await root.otpAuth({ otpId, otpCode, targetPublicKey })).toMatchObject({ userId });
});
