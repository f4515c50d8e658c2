import {
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
} from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { compressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { importPublicKey } from "@keyhearth/crypto/primitives";
import { readVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { expect, test } from "vitest";
import {
  addUser,
  expectDenied,
  expectStrangersRefused,
  refusal,
  submit,
} from "../organization.testing.ts";
import { codeOf, encryptCode, offerCodes, verifiedToken } from "../otps.testing.ts";

const badField = (field: string) => ({ httpStatus: 400, grpcCode: 3, field });

const type = "ACTIVITY_TYPE_VERIFY_OTP_V2";
const contact = "ada@example.com";

function invalidCode(text: string) {
  return {
    httpStatus: 400,
    grpcCode: 3,
    code: "OTP_INVALID",
    message: expect.stringContaining(text),
  };
}

async function newCode(given?: TestOrganization) {
  const organization = given ?? (await newOrganization());
  const { server, root, organizationId } = organization;
  await offerCodes(organization);
  const asked = { otpType: "OTP_TYPE_EMAIL", contact, appName: "Example" } as const;
  const { otpId, otpEncryptionTargetBundle } = await root.initOtp(asked);
  const code = await codeOf(server, organizationId, otpId);
  const key = newKey();
  const encrypt = (text: string) => encryptCode(text, otpEncryptionTargetBundle, key.publicKey);
  const verify = (text: string) => root.verifyOtp({ otpId, encryptedOtpBundle: encrypt(text) });
  return { ...organization, otpId, code, key, encrypt, verify, bundle: otpEncryptionTargetBundle };
}

const wrongOf = (code: string) => `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;

test("a code becomes a token that names contact, organization and key", async () => {
  const { server, organizationId, code, key, verify } = await newCode();
  const { verificationToken, activity } = await verify(code.toLowerCase());
  expect(activity.result).toEqual({ verifyOtpResult: { verificationToken } });
  const described = server.signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error("no description");
  const bytes = compressedPublicKey("CURVE_P256", decodeHex(described.verificationPublicKey));
  const publicKey = importPublicKey("CURVE_P256", bytes);
  const claims = readVerificationToken(verificationToken, { publicKey });
  expect(claims).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    verification_type: "OTP_TYPE_EMAIL",
    contact,
    organization_id: organizationId,
    public_key: key.publicKey,
    exp: expect.stringMatching(/^\d{13}$/),
  });
  expect(Math.abs(Number(claims?.exp) - Date.now() - 3_600_000)).toBeLessThan(20_000);
});

test("a code works once", async () => {
  const { code, verify } = await newCode();
  await verify(code);
  expect(await refusal(verify(code))).toMatchObject(invalidCode("Invalid OTP code: it was used"));
});

test("three wrong attempts lock a code, and the answers say how many are left", async () => {
  const { code, verify } = await newCode();
  const wrong = wrongOf(code);
  expect(await refusal(verify(wrong))).toMatchObject(invalidCode("attempts left at this code: 2"));
  expect(await refusal(verify(wrong))).toMatchObject(invalidCode("attempts left at this code: 1"));
  expect(await refusal(verify(""))).toMatchObject(invalidCode("locked after 3 wrong attempts"));
  expect(await refusal(verify(code))).toMatchObject(invalidCode("Invalid OTP code: it is locked"));
});

test("many wrong codes of six digits are answered with an error, and no further code", async () => {
  const organization = await newOrganization();
  await offerCodes(organization);
  const { root } = organization;
  const form = { otpLength: 6, alphanumeric: false };
  const asked = { otpType: "OTP_TYPE_EMAIL", contact, appName: "Example", ...form } as const;
  const key = newKey();
  for (let sent = 0; sent < 5; sent++) {
    const { otpId, otpEncryptionTargetBundle: bundle } = await root.initOtp(asked);
    for (const guess of ["A", "B", "C"]) {
      const encryptedOtpBundle = encryptCode(guess, bundle, key.publicKey);
      expect(await refusal(root.verifyOtp({ otpId, encryptedOtpBundle }))).toMatchObject(
        invalidCode("Invalid OTP code"),
      );
    }
  }
  expect(await refusal(root.initOtp(asked))).toMatchObject({
    httpStatus: 400,
    grpcCode: 3,
    code: "MAX_OTP_INITIATED",
    message: expect.stringContaining("Max number of OTPs have been initiated please wait"),
  });
  await root.initOtp({ ...asked, contact: "grace@example.com" });
});

test("a refused attempt leaves no activity, and the right code still counts", async () => {
  const { root, code, verify } = await newCode();
  const before = (await root.listActivities({})).activities.length;
  await refusal(verify(wrongOf(code)));
  expect((await root.listActivities({})).activities).toHaveLength(before);
  await verify(code);
});

test("a bundle that nobody can open is no attempt", async () => {
  const { root, otpId, code, verify, bundle, encrypt } = await newCode();
  const other = await newCode();
  const unreadable = [
    other.encrypt(code),
    encryptCode(code, bundle, "not a key"),
    encryptCode(code, bundle, `04${"ab".repeat(64)}`),
    encrypt(code).replace(/.{4}"}$/, '0000"}'),
  ];
  for (const encryptedOtpBundle of unreadable) {
    const message = await refusal(root.verifyOtp({ otpId, encryptedOtpBundle }));
    expect(message).toMatchObject({ httpStatus: 400, code: "BUNDLE_INVALID" });
    expect(message.message).not.toContain(code);
  }
  const wrongForm = root.verifyOtp({ otpId, encryptedOtpBundle: "not JSON" });
  expect(await refusal(wrongForm)).toMatchObject(badField("parameters.encryptedOtpBundle"));
  await verify(code);
});

test("a code ends after its time", async () => {
  const server = await startTestServer();
  try {
    const { code, verify } = await newCode(await newOrganization(server));
    server.clock.offsetMs += 300_000;
    expect(await refusal(verify(code))).toMatchObject(
      invalidCode("Invalid OTP code: it expired at"),
    );
  } finally {
    await server.stop();
  }
});

test("the first version sends the code itself, and may name no key", async () => {
  const { root, otpId, code } = await newCode();
  const parameters = { otpId, otpCode: code, expirationSeconds: 60 };
  const activity = await submit(root, "verify_otp", {
    type: "ACTIVITY_TYPE_VERIFY_OTP",
    parameters,
  });
  const { verifyOtpResult } = activity.result as { verifyOtpResult: { verificationToken: string } };
  const [, payload = ""] = verifyOtpResult.verificationToken.split(".");
  expect(JSON.parse(atob(payload))).toMatchObject({ public_key: "", contact });
});

test("the same request again gives the same token, which only its sender sees", async () => {
  const organization = await newCode();
  const { root, otpId, code, encrypt, server } = organization;
  const parameters = { otpId, encryptedOtpBundle: encrypt(code) };
  const asked = { type, parameters, timestampMs: Date.now() };
  const one = await submit(root, "verify_otp", asked);
  expect(await submit(root, "verify_otp", asked)).toEqual(one);
  const grace = await addUser(organization);
  const { activity } = await grace.client.getActivity({ activityId: one.id });
  expect(JSON.stringify(activity)).not.toContain("eyJ");
  expect(server.events.map((event) => JSON.stringify(event)).join()).not.toContain(code);
});

test("a token lasts a day at most", async () => {
  const { root, otpId, code, encrypt } = await newCode();
  const asked = { otpId, encryptedOtpBundle: encrypt(code), expirationSeconds: "86401" };
  expect(await refusal(root.verifyOtp(asked))).toMatchObject(
    badField("parameters.expirationSeconds"),
  );
  await root.verifyOtp({ ...asked, expirationSeconds: "86400" });
});

test("a code of another organization, or of init_otp_auth, does not exist", async () => {
  const { root, otpId, encrypt, code, organizationId } = await newCode();
  const elsewhere = await newCode();
  const notFound = { httpStatus: 404, code: "NOT_FOUND", field: "parameters.otpId" };
  const encryptedOtpBundle = encrypt(code);
  const foreign = elsewhere.root.verifyOtp({ otpId, encryptedOtpBundle });
  expect(await refusal(foreign)).toMatchObject(notFound);
  await root.updateUser({
    userId: (await root.whoami()).userId,
    userEmail: contact,
    userTagIds: [],
  });
  const sent = await root.initOtpAuth({ otpType: "OTP_TYPE_EMAIL", contact });
  expect(await refusal(root.verifyOtp({ otpId: sent.otpId, encryptedOtpBundle }))).toMatchObject(
    notFound,
  );
  expect(organizationId).not.toBe(elsewhere.organizationId);
});

test("a user without permission tries no code, and a stranger neither", async () => {
  const organization = await newCode();
  const { otpId, encrypt, code, verify } = organization;
  const grace = await addUser(organization);
  for (let i = 0; i < 4; i++) {
    const encryptedOtpBundle = encrypt(wrongOf(code));
    await expectDenied(grace.client.verifyOtp({ otpId, encryptedOtpBundle }));
  }
  const encryptedOtpBundle = encrypt(code);
  await expectStrangersRefused(organization, (client) =>
    client.verifyOtp({ otpId, encryptedOtpBundle }),
  );
  await verify(code);
});

test("the parent verifies a code that it sent", async () => {
  const organization = await newOrganization();
  await offerCodes(organization);
  const { server, root } = organization;
  expect(await verifiedToken(server, root, { contact, key: newKey() })).toMatch(/^eyJ/);
});
