import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, newQuorum, refusal, startWaiting, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE";
const endpoint = "remove_organization_feature";
const name = "FEATURE_NAME_EMAIL_AUTH";

test("a feature is removed, and the result lists those that are left", async () => {
  const { root } = await newOrganization();
  await root.setOrganizationFeature({ name });
  await root.setOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" });
  const { features, activity } = await root.removeOrganizationFeature({ name });
  expect(features).toEqual([{ name: "FEATURE_NAME_SMS_AUTH" }]);
  expect(activity.result).toEqual({ removeOrganizationFeatureResult: { features } });
  expect((await root.getOrganizationConfigs()).configs.features).toEqual(features);
  // A second removal finds nothing to do.
  expect((await root.removeOrganizationFeature({ name })).features).toEqual(features);
});

test("a login that is somebody's only way back stays", async () => {
  const { root, server } = await newOrganization();
  const rootKey = newKey();
  const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
    subOrganizationName: "child",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [
          { apiKeyName: "k", publicKey: rootKey.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
      {
        userName: "Bob",
        userEmail: "bob@example.com",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    disableOtpEmailAuth: true,
  });
  const child = clientOf(server, subOrganizationId, rootKey);
  const bob = rootUserIds?.[1];
  expect(await refusal(child.removeOrganizationFeature({ name }))).toMatchObject({
    httpStatus: 400,
    code: "USER_WITHOUT_CREDENTIAL",
    message: expect.stringMatching(`user missing valid credential: ${bob}`),
  });
  await child.removeOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" });
});

test("needs the whole root quorum", async () => {
  const { root, second } = await newQuorum();
  const parameters = { name };
  const { fingerprint } = await startWaiting(root, endpoint, { type, parameters });
  await second.client.approveActivity({ fingerprint });
});

test("refuses a name that is missing or unknown", async () => {
  const organization = await newOrganization();
  for (const parameters of [{}, { name: "FEATURE_NAME_SWAP_CONFIG" }, { name: 7 }]) {
    expect(await refusal(submit(organization.root, endpoint, { type, parameters }))).toEqual(
      badRequest("FIELD_INVALID", "parameters.name", expect.any(String)),
    );
  }
});
