import { ethereumAccount, first } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { anyId, expectOnlyFamilyReads, someTimes } from "./queries.testing.ts";

test("an organization is shown as a whole, each part like the query of its own", async () => {
  const { root, organizationId, userId } = await newOrganization();
  await root.createWallet({ walletName: "treasury", accounts: [ethereumAccount] });
  const { userTagId } = await root.createUserTag({ userTagName: "admins", userIds: [userId] });
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "hot",
    privateKeyIds: [],
  });
  await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "k",
        curve: "CURVE_SECP256K1",
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        privateKeyTags: [privateKeyTagId],
      },
    ],
  });
  await root.createPolicy({ policyName: "p", effect: "EFFECT_ALLOW", consensus: "false" });
  const { smartContractInterfaceId } = await root.createSmartContractInterface({
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    smartContractAddress: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    smartContractInterface: JSON.stringify([
      { type: "function", name: "f", inputs: [], outputs: [], stateMutability: "view" },
    ]),
    label: "l",
    notes: "",
  });
  await root.setOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" });
  const { invitationIds } = await root.createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [userTagId],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
      },
    ],
  });

  const { organizationData } = await root.getOrganization();
  expect(organizationData).toEqual({
    organizationId,
    name: "Test organization",
    ...(await root.listUsers()),
    ...(await root.listPolicies()),
    ...(await root.listPrivateKeys()),
    invitations: [
      {
        invitationId: first(invitationIds),
        receiverUserName: "Grace",
        receiverEmail: "grace@example.com",
        receiverUserTags: [userTagId],
        accessType: "ACCESS_TYPE_ALL",
        status: "INVITATION_STATUS_CREATED",
        ...someTimes,
        senderUserId: userId,
      },
    ],
    tags: [
      { tagId: userTagId, tagName: "admins", tagType: "TAG_TYPE_USER", ...someTimes },
      { tagId: privateKeyTagId, tagName: "hot", tagType: "TAG_TYPE_PRIVATE_KEY", ...someTimes },
    ],
    rootQuorum: { threshold: 1, userIds: [userId] },
    features: [{ name: "FEATURE_NAME_SMS_AUTH" }],
    ...(await root.listWallets()),
    smartContractInterfaceReferences: [
      {
        smartContractInterfaceId,
        smartContractAddress: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  });
  expect(organizationData.users).toHaveLength(1);
  expect(organizationData.wallets).toEqual([expect.objectContaining({ walletId: anyId })]);
  expect(JSON.stringify(organizationData)).not.toMatch(/token|sealed|sessionEpoch/i);
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_organization");
});
