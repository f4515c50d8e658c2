import { newQuorum } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, newFamily } from "./queries.testing.ts";

test("the root quorum and the features are shown", async () => {
  const { root, userId } = await newOrganization();
  expect(await root.getOrganizationConfigs()).toEqual({
    configs: { features: [], quorum: { threshold: 1, userIds: [userId] } },
  });
});

test("a sub-organization starts with the features that its parent left on", async () => {
  const { parent, child } = await newFamily();
  expect(await child.root.getOrganizationConfigs()).toEqual({
    configs: {
      features: [
        { name: "FEATURE_NAME_EMAIL_AUTH" },
        { name: "FEATURE_NAME_EMAIL_RECOVERY" },
        { name: "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY" },
        { name: "FEATURE_NAME_SMS_AUTH" },
        { name: "FEATURE_NAME_OTP_EMAIL_AUTH" },
      ],
      quorum: { threshold: 1, userIds: [child.userId] },
    },
  });
  const { subOrganizationId, rootUserIds } = await parent.root.createSubOrganization({
    subOrganizationName: "bare",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [
          {
            apiKeyName: "laptop",
            publicKey: parent.rootKey.publicKey,
            curveType: "API_KEY_CURVE_P256",
          },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    disableEmailAuth: true,
    disableEmailRecovery: true,
    disableOtpEmailAuth: true,
    disableSmsAuth: true,
  });
  const bare = parent.root.getOrganizationConfigs({}, { organizationId: subOrganizationId });
  expect(await bare).toEqual({
    configs: { features: [], quorum: { threshold: 1, userIds: rootUserIds } },
  });
});

test("a changed root quorum is shown", async () => {
  const { root, userId, second, third } = await newQuorum();
  expect((await root.getOrganizationConfigs()).configs.quorum).toEqual({
    threshold: 2,
    userIds: [userId, second.userId, third.userId],
  });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/get_organization_configs", '{"organizationId":"x"}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may read them, nobody else", async () => {
  await expectOnlyFamilyReads("get_organization_configs");
});
