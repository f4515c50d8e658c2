import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { beforeAll, expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE";
const endpoint = "set_organization_feature";
const origins = "FEATURE_NAME_WEBAUTHN_ORIGINS";
const webhook = "FEATURE_NAME_WEBHOOK";

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

function set(name: string, value?: unknown) {
  return submit(organization.root, endpoint, { type, parameters: { name, value } });
}

test("features are set and replaced, and the result lists all of them", async () => {
  const { root } = await newOrganization();
  const first = await root.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH" });
  expect(first.features).toEqual([{ name: "FEATURE_NAME_EMAIL_AUTH" }]);
  // Exactly the text that was given is kept.
  const value = "https://app.example.com,  http://localhost:3000";
  const second = await root.setOrganizationFeature({ name: origins, value });
  const both = [{ name: "FEATURE_NAME_EMAIL_AUTH" }, { name: origins, value }];
  expect(second.features).toEqual(both);
  expect(second.activity.result).toEqual({ setOrganizationFeatureResult: { features: both } });
  expect((await root.getOrganizationConfigs()).configs.features).toEqual(both);
  const again = await root.setOrganizationFeature({ name: origins, value: "https://b.example" });
  expect(again.features).toEqual([both[0], { name: origins, value: "https://b.example" }]);
});

test("every feature is accepted, with an empty value where it has none", async () => {
  for (const name of ["ROOT_USER_EMAIL_RECOVERY", "EMAIL_AUTH", "EMAIL_RECOVERY", "SMS_AUTH"]) {
    const activity = await set(`FEATURE_NAME_${name}`, "");
    expect(activity.result.setOrganizationFeatureResult?.features).toContainEqual({
      name: `FEATURE_NAME_${name}`,
    });
  }
  await set("FEATURE_NAME_OTP_EMAIL_AUTH", null);
  for (const value of ["https://hooks.example.com/a?b=c", "http://10.0.0.1:8080/x"]) {
    await set(webhook, value);
  }
});

test.each([
  ["FEATURE_NAME_NOTHING", undefined, "parameters.name", /^invalid feature name/],
  ["FEATURE_NAME_SWAP_CONFIG", undefined, "parameters.name", /accepted: .*FEATURE_NAME_SMS_AUTH/],
  ["toString", undefined, "parameters.name", /^invalid feature name/],
  [undefined, undefined, "parameters.name", /missing field/],
  [origins, undefined, "parameters.value", /is missing: for FEATURE_NAME_WEBAUTHN_ORIGINS it must/],
  [origins, "", "parameters.value", /is missing/],
  [origins, "app.example.com", "parameters.value", /is `app.example.com`: .* must be at most 20/],
  [origins, "http://app.example.com", "parameters.value", /must be at most 20 origins/],
  [origins, "https://app.example.com/", "parameters.value", /must be at most 20 origins/],
  [origins, "https://app.example.com:443", "parameters.value", /origins as browsers write them/],
  [origins, "https://a.example,http://localhost:080", "parameters.value", /as browsers write them/],
  [origins, "https://app.example.com:65536", "parameters.value", /as browsers write them/],
  [origins, "https://1.2.3", "parameters.value", /as browsers write them/],
  [origins, 5, "parameters.value", /is `5`/],
  [origins, `https://${"a".repeat(2048)}`, "parameters.value", /at most 2048 characters/],
  [
    webhook,
    undefined,
    "parameters.value",
    /is missing: for FEATURE_NAME_WEBHOOK it must be an http/,
  ],
  [webhook, "ftp://example.com", "parameters.value", /must be an http or https URL/],
  [webhook, "https://u:p@example.com", "parameters.value", /without a user name/],
  [webhook, "https://example.com/#x", "parameters.value", /fragment/],
  [webhook, "https://exa\tmple.com/", "parameters.value", /must be an http or https URL/],
  [webhook, "https://", "parameters.value", /must be an http or https URL/],
  ["FEATURE_NAME_EMAIL_AUTH", "false", "parameters.value", /remove_organization_feature/],
])("%s with the value %s is refused", async (name, value, field, message) => {
  const parameters = { name, value };
  const asked = submit(organization.root, endpoint, { type, parameters });
  expect(await refusal(asked)).toEqual(
    badRequest("FIELD_INVALID", field, expect.stringMatching(message)),
  );
});

test("no policy can grant it", async () => {
  const user = await addUser(organization);
  await organization.root.createPolicy({
    policyName: "everything",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${user.userId}')`,
    condition: "true",
  });
  const name = "FEATURE_NAME_SMS_AUTH";
  await expectDenied(user.client.setOrganizationFeature({ name }));
  await expectDenied(user.client.removeOrganizationFeature({ name }));
});

test("needs the whole root quorum", async () => {
  const { root, second } = await newQuorum();
  const parameters = { name: origins, value: "https://app.example.com" };
  const { fingerprint } = await startWaiting(root, endpoint, { type, parameters });
  expect((await root.getOrganizationConfigs()).configs.features).toEqual([]);
  await second.client.approveActivity({ fingerprint });
  expect((await root.getOrganizationConfigs()).configs.features).toEqual([parameters]);
});
