import { newQuorum, startWaiting } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import {
  anyId,
  anyTime,
  expectNotFound,
  expectOnlyFamilyReads,
  someTimes,
  unknownId,
} from "./queries.testing.ts";

test("the query returns the same activity as the submission, with the stamped bytes", async () => {
  const { root, organizationId, userId, rootKey } = await newOrganization();
  const made = await root.createUserTag({ userTagName: "ops", userIds: [] });
  const { activity } = await root.getActivity({ activityId: made.activity.id });
  expect(activity).toEqual(made.activity);
  const message = activity.votes[0]?.message ?? "";
  expect(JSON.parse(message)).toEqual({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: expect.stringMatching(/^\d{13}$/),
    organizationId,
    parameters: { userTagName: "ops", userIds: [] },
  });
  const { publicKey } = rootKey;
  expect(activity).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    intent: { createUserTagIntent: { userTagName: "ops", userIds: [] } },
    result: { createUserTagResult: { userTagId: made.userTagId, userIds: [] } },
    votes: [
      {
        id: anyId,
        userId,
        user: {
          userId,
          userName: "Root user",
          authenticators: [],
          apiKeys: [
            {
              credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
              apiKeyId: anyId,
              apiKeyName: "Root API key",
              ...someTimes,
            },
          ],
          userTags: [],
          oauthProviders: [],
          ...someTimes,
          mfaPolicies: [],
        },
        activityId: activity.id,
        selection: "VOTE_SELECTION_APPROVED",
        message,
        publicKey,
        signature: expect.stringMatching(/^30[0-9a-f]+$/),
        scheme: "SIGNATURE_SCHEME_TK_API_P256",
        createdAt: anyTime,
      },
    ],
    appProofs: [],
    fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    canApprove: false,
    canReject: false,
    createdAt: anyTime,
    updatedAt: anyTime,
    failure: null,
  });
});

test("the proofs of the addresses in a result are added if they are asked for", async () => {
  const { root } = await newOrganization();
  const account = { curve: "CURVE_SECP256K1", pathFormat: "PATH_FORMAT_BIP32" } as const;
  const accounts = [0, 1].map((index) => ({
    ...account,
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
  }));
  const made = await root.createWallet({ walletName: "one", accounts });
  const { walletId, addresses, activity } = made;
  const { id: activityId } = activity;
  const { accounts: shown } = await root.listWalletAccounts({ walletId });
  const proofs = new Map(shown.map(({ address, proof }) => [address, proof]));
  const asked = await root.getActivity({ activityId, includeAddressProofs: true });
  expect(asked.activity).toEqual({
    ...activity,
    addressProofs: addresses.map((address) => proofs.get(address)),
  });
  expect(await root.getActivity({ activityId })).toEqual({ activity });
  // A key that was deleted has none.
  await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
  expect(await root.getActivity({ activityId, includeAddressProofs: true })).toEqual({ activity });
});

test("a waiting activity tells each reader what they can do", async () => {
  const { root, second } = await newQuorum();
  const { id: activityId } = await startWaiting(root, "create_user_tag", {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "ops", userIds: [] },
  });
  const waiting = { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", result: {}, canReject: true };
  expect((await root.getActivity({ activityId })).activity).toMatchObject({
    ...waiting,
    canApprove: false,
  });
  expect((await second.client.getActivity({ activityId })).activity).toMatchObject({
    ...waiting,
    canApprove: true,
  });
});

test("an activity that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const other = await newOrganization();
  const { activity } = await other.root.createUserTag({ userTagName: "ops", userIds: [] });
  for (const activityId of [unknownId, activity.id]) {
    await expectNotFound(root.getActivity({ activityId }), {
      field: "activityId",
      message: `activity not found: \`${activityId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_activity", async ({ root }) => {
    const { activity } = await root.createUserTag({ userTagName: "ops", userIds: [] });
    return { activityId: activity.id };
  });
});
