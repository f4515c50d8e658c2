import { anyId } from "@keyhearth/api/queries/queries.testing";
import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, expectDenied, refusal, submit } from "../organization.testing.ts";
import { codesOf, newCodeFamily, offerCodes } from "../otps.testing.ts";

const disabled = { httpStatus: 403, code: "FEATURE_DISABLED" };
const email = { otpType: "OTP_TYPE_EMAIL" } as const;

test("the parent and the sub-organization's own user send the user a code", async () => {
  const family = await newCodeFamily(await newOrganization());
  const { server, subOrganizationId, parents, own, phone } = family;
  for (const client of [parents, own]) {
    const { otpId, activity } = await client.initOtpAuth({
      ...email,
      contact: family.email.toUpperCase(),
    });
    expect(otpId).toEqual(anyId);
    expect(activity.organizationId).toBe(subOrganizationId);
    expect(activity.result).toEqual({ initOtpAuthResultV2: { otpId } });
  }
  await parents.initOtpAuth({ otpType: "OTP_TYPE_SMS", contact: phone });
  const messages = await codesOf(server, subOrganizationId);
  expect(messages.map(({ kind }) => kind)).toEqual(["email-code", "email-code", "sms-code"]);
  // Not as the request spells it: there, another mailbox could have the address in capitals.
  expect(messages.map(({ recipient }) => recipient)).toEqual([family.email, family.email, phone]);
  for (const { content } of messages) expect(content.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{9}$/);
});

test("codes of the first version are six digits, and the newest may say how long they live", async () => {
  const family = await newCodeFamily(await newOrganization());
  const { server, subOrganizationId, parents, email: contact } = family;
  const versions = [
    ["ACTIVITY_TYPE_INIT_OTP_AUTH", { ...email, contact }, "initOtpAuthResult"],
    [
      "ACTIVITY_TYPE_INIT_OTP_AUTH_V3",
      { ...email, contact, appName: "New", otpLength: 7, expirationSeconds: "60" },
      "initOtpAuthResultV2",
    ],
  ] as const;
  for (const [type, parameters, resultKey] of versions) {
    const { result } = await submit(parents, "init_otp_auth", { type, parameters });
    expect(result).toEqual({ [resultKey]: { otpId: anyId } });
  }
  const [first, newest] = await codesOf(server, subOrganizationId);
  expect(first?.content.code).toMatch(/^\d{6}$/);
  expect(newest?.content.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{7}$/);
  expect(newest?.content.style.appName).toBe("New");
  expect((newest?.expiresAtMs ?? 0) - Date.now()).toBeLessThan(60_001);
});

test("only a user of the organization gets a code", async () => {
  const { parents, root, server, subOrganizationId } = await newCodeFamily(await newOrganization());
  const unknown = { httpStatus: 404, field: "parameters.contact" };
  const nobody = { ...email, contact: "nobody@example.com" };
  expect(await refusal(parents.initOtpAuth(nobody))).toMatchObject(unknown);
  expect(await refusal(root.initOtpAuth(nobody))).toMatchObject(unknown);
  const number = { ...email, contact: "+14155550100" };
  const wrongType = { httpStatus: 400, field: "parameters.contact" };
  expect(await refusal(parents.initOtpAuth(number))).toMatchObject(wrongType);
  expect(await codesOf(server, subOrganizationId)).toEqual([]);
});

test("both organizations must offer it", async () => {
  const { parents, own, root, email: contact } = await newCodeFamily(await newOrganization());
  const name = "FEATURE_NAME_OTP_EMAIL_AUTH";
  await own.removeOrganizationFeature({ name });
  expect(await refusal(parents.initOtpAuth({ ...email, contact }))).toMatchObject(disabled);
  await own.setOrganizationFeature({ name });
  await parents.initOtpAuth({ ...email, contact });
  await root.removeOrganizationFeature({ name });
  expect(await refusal(parents.initOtpAuth({ ...email, contact }))).toMatchObject(disabled);
});

test("a user without permission sends nothing", async () => {
  const organization = await newOrganization();
  await offerCodes(organization);
  const grace = await addUser(organization);
  const contact = "root@example.com";
  const { userId } = organization;
  await organization.root.updateUser({ userId, userEmail: contact, userTagIds: [] });
  await expectDenied(grace.client.initOtpAuth({ ...email, contact }));
});
