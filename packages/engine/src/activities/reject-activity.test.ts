import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
  type TestQuorum,
} from "../organization.testing.ts";

const createWallet = {
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  parameters: { walletName: "w", accounts: [] },
};

function startWallet({ root }: TestQuorum) {
  return startWaiting(root, "create_wallet", createWallet);
}

test("a single rejection ends the activity, and nothing is executed", async () => {
  const quorum = await newQuorum();
  const { root, second, third } = quorum;
  const { fingerprint, id } = await startWallet(quorum);
  const { activity } = await second.client.rejectActivity({ fingerprint });
  expect(activity).toMatchObject({
    id,
    status: "ACTIVITY_STATUS_REJECTED",
    result: {},
    canApprove: false,
    canReject: false,
    votes: [
      { selection: "VOTE_SELECTION_APPROVED" },
      { userId: second.userId, selection: "VOTE_SELECTION_REJECTED" },
    ],
  });
  const late = third.client.approveActivity({ fingerprint });
  expect(await refusal(late)).toEqual(
    badRequest(
      "ACTIVITY_NOT_PENDING",
      "parameters.fingerprint",
      "the activity is no longer waiting for votes: its status is ACTIVITY_STATUS_REJECTED",
    ),
  );
  expect((await root.listWallets()).wallets).toEqual([]);
});

test("the user who started an activity can reject it", async () => {
  const quorum = await newQuorum();
  const { fingerprint } = await startWallet(quorum);
  const { activity } = await quorum.root.rejectActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_REJECTED");
});

test("a second rejection changes nothing, and the same bytes show the rejected activity", async () => {
  const quorum = await newQuorum();
  const { root, second, third, organizationId } = quorum;
  const body = bodyOf(organizationId, createWallet);
  const { fingerprint, id } = await post(root, "create_wallet", body);
  await second.client.rejectActivity({ fingerprint });
  const again = await third.client.rejectActivity({ fingerprint });
  expect(again.activity).toMatchObject({ id, status: "ACTIVITY_STATUS_REJECTED" });
  expect(again.activity.votes).toHaveLength(2);
  for (const client of [root, third.client]) {
    expect(await post(client, "create_wallet", body)).toMatchObject({
      id,
      status: "ACTIVITY_STATUS_REJECTED",
    });
  }
  expect((await root.listWallets()).wallets).toEqual([]);
});

test("a completed activity cannot be rejected", async () => {
  const quorum = await newQuorum();
  const { second, third } = quorum;
  const { fingerprint } = await startWallet(quorum);
  await second.client.approveActivity({ fingerprint });
  expect(await refusal(third.client.rejectActivity({ fingerprint }))).toEqual(
    badRequest(
      "ACTIVITY_NOT_PENDING",
      "parameters.fingerprint",
      "the activity is no longer waiting for votes: its status is ACTIVITY_STATUS_COMPLETED",
    ),
  );
});

test("if an approval and a rejection race, one of them decides", async () => {
  const quorum = await newQuorum();
  const { root, second, third } = quorum;
  const { fingerprint, id } = await startWallet(quorum);
  await Promise.allSettled([
    second.client.approveActivity({ fingerprint }),
    third.client.rejectActivity({ fingerprint }),
  ]);
  const { activity } = await root.getActivity({ activityId: id });
  const { wallets } = await root.listWallets();
  const isCompleted = activity.status === "ACTIVITY_STATUS_COMPLETED";
  expect(isCompleted || activity.status === "ACTIVITY_STATUS_REJECTED").toBe(true);
  expect(wallets).toHaveLength(isCompleted ? 1 : 0);
});

test("a user outside the root quorum cannot vote", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const second = await addUser(organization, "Second");
  const outsider = await addUser(organization, "Outsider");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const { fingerprint } = await startWaiting(root, "create_wallet", createWallet);
  expect(await refusal(outsider.client.rejectActivity({ fingerprint }))).toMatchObject({
    httpStatus: 403,
    code: "REQUEST_NOT_AUTHORIZED",
    message: expect.stringMatching(/^request not authorized: /),
  });
});

test("an unknown fingerprint is not found, and bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const type = "ACTIVITY_TYPE_REJECT_ACTIVITY";
  const unknown = { fingerprint: `sha256:${"0".repeat(64)}` };
  expect(await refusal(root.rejectActivity(unknown))).toMatchObject({
    httpStatus: 404,
    code: "ACTIVITY_NOT_FOUND",
    message: expect.stringMatching(/^No activity found with fingerprint\. /),
  });
  const parameters = { fingerprint: "SHA256:00" };
  expect(await refusal(submit(root, "reject_activity", { type, parameters }))).toEqual(
    badRequest("FIELD_INVALID", "parameters.fingerprint", expect.stringContaining("`SHA256:00`")),
  );
});
