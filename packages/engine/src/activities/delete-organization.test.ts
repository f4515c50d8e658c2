import { newChild } from "@keyhearth/api/queries/queries.testing";
import {
  clientOf,
  newOrganization,
  rootOrganizationIdOf,
  type TestOrganization,
} from "@keyhearth/api/testing";
import { beforeEach, expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  ethereumAccount,
  expectDenied,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_ORGANIZATION";
const endpoint = "delete_organization";

let organization: TestOrganization;

beforeEach(async () => {
  organization = await newOrganization();
});

test("the root quorum deletes the organization, and then nobody can do anything in it", async () => {
  const { root, organizationId } = organization;
  await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  const parameters = { organizationId, deleteWithoutExport: true };
  const body = bodyOf(organizationId, { type, parameters });
  const activity = await post(root, endpoint, body);
  expect(activity).toMatchObject({
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { deleteOrganizationIntent: parameters },
    result: { deleteOrganizationResult: { organizationId } },
    votes: [{ user: { userName: "Root user" } }],
  });
  expect(await refusal(root.whoami())).toMatchObject({
    httpStatus: 404,
    code: "ORGANIZATION_NOT_FOUND",
  });
  for (const request of [
    () => post(root, endpoint, body),
    () => root.createWallet({ walletName: "v", accounts: [] }),
    () => root.approveActivity({ fingerprint: activity.fingerprint }),
  ]) {
    expect(await refusal(request())).toMatchObject({
      httpStatus: 400,
      code: "ORGANIZATION_NOT_FOUND",
      message: expect.stringMatching(/^failed to load organizations/),
    });
  }
});

test("is refused while it has sub-organizations, also when the last approval arrives", async () => {
  const quorum = await newQuorum();
  const { root, organizationId, second } = quorum;
  const parameters = { organizationId };
  const waiting = await startWaiting(root, endpoint, { type, parameters });
  await root.updateRootQuorum({ threshold: 1, userIds: [quorum.userId] }).catch(() => {});
  const made = await startWaiting(root, "create_sub_organization", {
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: "child",
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: "Ada",
          apiKeys: [
            {
              apiKeyName: "laptop",
              publicKey: quorum.rootKey.publicKey,
              curveType: "API_KEY_CURVE_P256",
            },
          ],
          authenticators: [],
          oauthProviders: [],
        },
      ],
    },
  });
  await second.client.approveActivity({ fingerprint: made.fingerprint });
  const [childId] = (await root.listSuborgs({})).organizationIds;
  const refused = badRequest(
    "SUB_ORGANIZATIONS_EXIST",
    "organizationId",
    `the organization has sub-organizations, such as ${childId}: delete them first; list_suborgs lists them`,
  );
  const { fingerprint } = waiting;
  expect(await refusal(second.client.approveActivity({ fingerprint }))).toEqual(refused);
  expect(await refusal(submit(root, endpoint, { type, parameters }))).toEqual(refused);

  const child = clientOf(quorum.server, childId ?? "", quorum.rootKey);
  await child.deleteSubOrganization({});
  await second.client.approveActivity({ fingerprint });
  expect(await refusal(root.whoami())).toMatchObject({ code: "ORGANIZATION_NOT_FOUND" });
});

test("is refused for keys that were not exported", async () => {
  const { root, organizationId } = organization;
  await root.createWallet({ walletName: "w", accounts: [] });
  expect(await refusal(root.deleteOrganization({ organizationId }))).toMatchObject({
    httpStatus: 400,
    code: "NOT_EXPORTED",
    field: "parameters.deleteWithoutExport",
  });
});

test("no policy can grant it", async () => {
  const { root, organizationId } = organization;
  const user = await addUser(organization);
  await root.createPolicy({
    policyName: "everything",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${user.userId}')`,
    condition: "true",
  });
  await expectDenied(user.client.deleteOrganization({ organizationId }));
});

test("refuses another organization's id, a sub-organization and bad parameters", async () => {
  const { root, organizationId } = organization;
  const other = await newOrganization();
  const parameters = { organizationId: other.organizationId };
  expect(await refusal(root.deleteOrganization(parameters))).toEqual(
    badRequest(
      "ORGANIZATION_MISMATCH",
      "parameters.organizationId",
      `\`parameters.organizationId\` is \`${other.organizationId}\`, but the request is sent to organization ${organizationId}: both must be the same`,
    ),
  );
  const child = await newChild(organization);
  const asked = child.root.deleteOrganization({ organizationId: child.organizationId });
  expect(await refusal(asked)).toEqual(
    badRequest(
      "ORGANIZATION_MISMATCH",
      "organizationId",
      "a sub-organization is deleted with delete_sub_organization",
    ),
  );
  for (const [parameters, field] of [
    [{}, "parameters.organizationId"],
    [{ organizationId: "x" }, "parameters.organizationId"],
    [{ organizationId, deleteWithoutExport: 1 }, "parameters.deleteWithoutExport"],
  ] as const) {
    expect(await refusal(submit(root, endpoint, { type, parameters }))).toMatchObject({
      code: "FIELD_INVALID",
      field,
    });
  }
  await root.whoami();
});

test("the root organization of the service stays", async () => {
  const { server, rootKey } = organization;
  const rootId = await rootOrganizationIdOf(server);
  const [row] = await server.store.db
    .selectFrom("root_organization")
    .select("organization_id")
    .execute();
  expect(row?.organization_id).toBe(rootId);
  // Whose key it is does not matter: the service refuses when the core proposes it.
  await server.store.db
    .updateTable("root_organization")
    .set({ organization_id: organization.organizationId })
    .execute();
  try {
    const client = clientOf(server, organization.organizationId, rootKey);
    const { organizationId } = organization;
    expect(await refusal(client.deleteOrganization({ organizationId }))).toMatchObject({
      httpStatus: 403,
      code: "REQUEST_NOT_AUTHORIZED",
      message: expect.stringMatching(/the first organization of the service cannot be deleted/),
    });
  } finally {
    await server.store.db
      .updateTable("root_organization")
      .set({ organization_id: rootId })
      .execute();
  }
});
