import { anyId } from "@keyhearth/api/queries/queries.testing";
import { clientOf, newOrganization } from "@keyhearth/api/testing";
import { decodeHex, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { messagesOf } from "../messages.testing.ts";
import { addUser, expectDenied, refusal, submit } from "../organization.testing.ts";
import { codesOf, newCodeFamily, offerCodes } from "../otps.testing.ts";

const badField = (field: string) => ({ httpStatus: 400, grpcCode: 3, field });

const email = {
  otpType: "OTP_TYPE_EMAIL",
  contact: "new@example.com",
  appName: "Example",
} as const;

async function newOffer() {
  const organization = await newOrganization();
  await offerCodes(organization);
  return organization;
}

test("a code goes to a contact that nobody has, and the outbox alone has it", async () => {
  const { server, root, organizationId } = await newOffer();
  const { otpId, otpEncryptionTargetBundle, activity } = await root.initOtp({
    ...email,
    sendFromEmailSenderName: "Example",
  });
  expect(otpId).toEqual(anyId);
  const bundle = JSON.parse(otpEncryptionTargetBundle);
  const { data } = bundle as { data: string };
  expect(JSON.parse(decodeUtf8(decodeHex(data)))).toEqual({
    targetPublic: expect.stringMatching(/^04[0-9a-f]{128}$/),
  });
  const described = server.signer.handle({ call: "describe" });
  expect(described).toMatchObject({ verificationPublicKey: bundle.enclaveQuorumPublic });
  const [message] = await codesOf(server, organizationId);
  expect(message).toMatchObject({
    kind: "email-code",
    recipient: email.contact,
    content: {
      organizationId,
      organizationName: "Test organization",
      otpId,
      code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{9}$/),
      style: { appName: "Example", senderName: "Example" },
    },
  });
  expect(Math.abs((message?.expiresAtMs ?? 0) - Date.now() - 300_000)).toBeLessThan(20_000);
  const { code } = message?.content ?? { code: "" };
  expect(JSON.stringify(activity)).not.toContain(code);
  const rows = await server.store.run("", "SELECT record FROM otps WHERE otp_id = $1::uuid", [
    otpId,
  ]);
  expect(Buffer.from(rows[0]?.record as Uint8Array).toString("latin1")).not.toContain(code);
});

test("a code has the length, characters and lifetime that were asked for", async () => {
  const { server, root, organizationId } = await newOffer();
  await root.initOtp({ ...email, otpLength: 6, alphanumeric: false, expirationSeconds: "600" });
  const [message] = await codesOf(server, organizationId);
  expect(message?.content.code).toMatch(/^\d{6}$/);
  expect(Math.abs((message?.expiresAtMs ?? 0) - Date.now() - 600_000)).toBeLessThan(20_000);
  for (const [field, value] of [
    ["otpLength", 5],
    ["otpLength", 10],
    ["expirationSeconds", "601"],
    ["expirationSeconds", "0"],
  ] as const) {
    const type = "ACTIVITY_TYPE_INIT_OTP_V3";
    const asked = submit(root, "init_otp", { type, parameters: { ...email, [field]: value } });
    expect(await refusal(asked), field).toMatchObject(badField(`parameters.${field}`));
  }
});

test("an SMS goes to a phone number, and the contact must be of the type", async () => {
  const { server, root, organizationId } = await newOffer();
  const smsCustomization = { template: "Example: {{.OtpCode}}" };
  const sms = { otpType: "OTP_TYPE_SMS", contact: "+14155550123", appName: "Example" } as const;
  await root.initOtp({ ...sms, smsCustomization });
  expect(await codesOf(server, organizationId)).toMatchObject([
    {
      kind: "sms-code",
      recipient: "+14155550123",
      content: { style: { smsTemplate: smsCustomization.template } },
    },
  ]);
  const wrong = [
    { ...sms, contact: email.contact },
    { ...email, contact: sms.contact },
    { ...email, contact: "" },
    { ...email, contact: "a@example.com\r\nBcc: eve@example.com" },
  ];
  for (const asked of wrong) {
    expect(await refusal(root.initOtp(asked))).toMatchObject(badField("parameters.contact"));
  }
});

test("the older versions return the id alone", async () => {
  const { server, root, organizationId } = await newOffer();
  const { otpType, contact } = email;
  const old = [
    ["ACTIVITY_TYPE_INIT_OTP", { otpType, contact, emailCustomization: { appName: "Old" } }],
    ["ACTIVITY_TYPE_INIT_OTP_V2", email],
  ] as const;
  for (const [type, parameters] of old) {
    const activity = await submit(root, "init_otp", { type, parameters });
    expect(activity.result).toEqual({ initOtpResult: { otpId: anyId } });
  }
  const messages = await codesOf(server, organizationId);
  expect(messages.map(({ content }) => content.style.appName)).toEqual(["Old", "Example"]);
});

test("the same request again sends no second code", async () => {
  const { server, root, organizationId } = await newOffer();
  const timestampMs = Date.now();
  const asked = { type: "ACTIVITY_TYPE_INIT_OTP_V3", parameters: email, timestampMs };
  const one = await submit(root, "init_otp", asked);
  expect(await submit(root, "init_otp", asked)).toEqual(one);
  expect(await codesOf(server, organizationId)).toHaveLength(1);
});

test("the courier learns for which family a message is sent", async () => {
  const { server, organizationId, ...organization } = await newOffer();
  const { own } = await newCodeFamily({ server, organizationId, ...organization });
  const { activity } = await own.initOtp(email);
  const [sent] = await messagesOf(server, activity.organizationId);
  expect(activity.organizationId).not.toBe(organizationId);
  expect(sent?.familyId).toBe(organizationId);
});

test("an organization and its parent must both offer it", async () => {
  const organization = await newOrganization();
  const disabled = { httpStatus: 403, code: "FEATURE_DISABLED" };
  expect(await refusal(organization.root.initOtp(email))).toMatchObject(disabled);
  const { root, own, parents } = await newCodeFamily(organization);
  for (const client of [root, own, parents]) await client.initOtp(email);
  await root.removeOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  for (const client of [root, own, parents]) {
    expect(await refusal(client.initOtp(email))).toMatchObject(disabled);
  }
  // SMS is a feature of its own.
  await own.initOtp({ ...email, otpType: "OTP_TYPE_SMS", contact: "+14155550123" });
  await own.removeOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" });
  const sms = { ...email, otpType: "OTP_TYPE_SMS", contact: "+14155550124" } as const;
  expect(await refusal(parents.initOtp(sms))).toMatchObject(disabled);
  const name = "FEATURE_NAME_SMS_AUTH" as const;
  const wrong = root.setOrganizationFeature({ name, value: "on" });
  expect(await refusal(wrong)).toMatchObject(badField("parameters.value"));
});

test("a user without permission sends nothing", async () => {
  const organization = await newOffer();
  const grace = await addUser(organization);
  await expectDenied(grace.client.initOtp(email));
  const { server, organizationId } = organization;
  expect(await codesOf(server, organizationId)).toEqual([]);
  const elsewhere = await newOffer();
  const foreign = clientOf(server, elsewhere.organizationId, organization.rootKey);
  expect(await refusal(foreign.initOtp(email))).toMatchObject({ httpStatus: 401 });
});
