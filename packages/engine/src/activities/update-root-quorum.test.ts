import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  expectDenied,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM";
const unknownId = "00000000-0000-4000-8000-000000000000";

test("members and threshold are replaced and shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const userIds = [userId, grace.userId];
  const { activity } = await root.updateRootQuorum({ threshold: 2, userIds });
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { updateRootQuorumIntent: { threshold: 2, userIds } },
    result: { updateRootQuorumResult: {} },
  });
  expect((await root.getOrganizationConfigs()).configs.quorum).toEqual({ threshold: 2, userIds });
  await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "w", accounts: [] },
  });
});

test("a user who is named twice counts once", async () => {
  const { root, userId } = await newOrganization();
  await root.updateRootQuorum({ threshold: 1, userIds: [userId, userId] });
  expect((await root.getOrganizationConfigs()).configs.quorum?.userIds).toEqual([userId]);
  expect(
    await refusal(root.updateRootQuorum({ threshold: 2, userIds: [userId, userId] })),
  ).toMatchObject({ httpStatus: 400, code: "QUORUM_INVALID" });
});

test("a user who left the root quorum can no longer do anything", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await organization.root.updateRootQuorum({ threshold: 1, userIds: [grace.userId] });
  await expectDenied(organization.root.createWallet({ walletName: "w", accounts: [] }));
  await grace.client.createWallet({ walletName: "w", accounts: [] });
});

test("a change of the quorum needs the quorum", async () => {
  const { root, second, userId } = await newQuorum();
  const parameters = { threshold: 1, userIds: [userId] };
  const { fingerprint } = await startWaiting(root, "update_root_quorum", { type, parameters });
  expect((await root.getOrganizationConfigs()).configs.quorum?.threshold).toBe(2);
  await second.client.approveActivity({ fingerprint });
  expect((await root.getOrganizationConfigs()).configs.quorum).toEqual(parameters);
});

test("bad parameters are refused by field", async () => {
  const { root, userId } = await newOrganization();
  const cases: [object, string, string, unknown][] = [
    [
      { threshold: 0, userIds: [userId] },
      "QUORUM_INVALID",
      "parameters.threshold",
      "quorum threshold must be non-zero integer",
    ],
    [
      { threshold: -1, userIds: [userId] },
      "QUORUM_INVALID",
      "parameters.threshold",
      "quorum threshold must be non-zero integer",
    ],
    [
      { threshold: 1.5, userIds: [userId] },
      "FIELD_INVALID",
      "parameters.threshold",
      "quorum threshold must be non-zero integer: `parameters.threshold` is `1.5`",
    ],
    [
      { threshold: 2, userIds: [userId] },
      "QUORUM_INVALID",
      "parameters.threshold",
      "`parameters.threshold` is 2, but there are only 1 root users",
    ],
    [
      { threshold: 1, userIds: [] },
      "QUORUM_INVALID",
      "parameters.threshold",
      "`parameters.threshold` is 1, but there are only 0 root users",
    ],
    [
      { threshold: 1, userIds: [userId, unknownId] },
      "QUORUM_INVALID",
      "parameters.userIds[1]",
      `quorum users missing: user \`${unknownId}\` is not in the organization`,
    ],
    [
      // A list that is left out reads as empty.
      { threshold: 1 },
      "QUORUM_INVALID",
      "parameters.threshold",
      "`parameters.threshold` is 1, but there are only 0 root users",
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "update_root_quorum", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
});

test("the same bytes again are the same activity and do not change the quorum back", async () => {
  const organization = await newOrganization();
  const { root, userId, organizationId } = organization;
  const grace = await addUser(organization);
  const both = { threshold: 1, userIds: [userId, grace.userId] };
  const body = bodyOf(organizationId, { type, parameters: both });
  const one = await post(root, "update_root_quorum", body);
  await root.updateRootQuorum({ threshold: 1, userIds: [userId] });
  expect(await post(root, "update_root_quorum", body)).toMatchObject({ id: one.id });
  expect((await root.getOrganizationConfigs()).configs.quorum?.userIds).toEqual([userId]);
});
