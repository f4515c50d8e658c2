import { clientOf, newKey, newOrganization, startTestServer } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  first,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
  type TestQuorum,
} from "../organization.testing.ts";

const createWallet = "ACTIVITY_TYPE_CREATE_WALLET";

function walletNamed(walletName: string) {
  return { type: createWallet, parameters: { walletName, accounts: [] } };
}

function startWallet({ root }: TestQuorum, walletName = "w") {
  return startWaiting(root, "create_wallet", walletNamed(walletName));
}

async function walletNames({ root }: TestQuorum) {
  return (await root.listWallets()).wallets.map(({ walletName }) => walletName);
}

test("the second of two approvals executes the activity and returns it with its result", async () => {
  const quorum = await newQuorum();
  const { second, third, userId } = quorum;
  const waiting = await startWallet(quorum);
  expect(waiting).toMatchObject({
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    result: {},
    failure: null,
    canApprove: false,
    canReject: true,
    votes: [{ userId, selection: "VOTE_SELECTION_APPROVED" }],
  });
  expect(await walletNames(quorum)).toEqual([]);
  const seen = (await third.client.getActivity({ activityId: waiting.id })).activity;
  expect(seen).toMatchObject({ canApprove: true, canReject: true });

  const { fingerprint } = waiting;
  const { activity, result } = await second.client.approveActivity({ fingerprint });
  expect(activity).toMatchObject({
    id: waiting.id,
    type: createWallet,
    fingerprint,
    status: "ACTIVITY_STATUS_COMPLETED",
    result: { createWalletResult: { walletId: result?.walletId, addresses: [] } },
    canApprove: false,
    canReject: false,
  });
  expect(activity.votes.map((vote) => [vote.userId, vote.selection, vote.publicKey])).toEqual([
    [userId, "VOTE_SELECTION_APPROVED", quorum.rootKey.publicKey],
    [second.userId, "VOTE_SELECTION_APPROVED", second.key.publicKey],
  ]);
  expect(await walletNames(quorum)).toEqual(["w"]);
});

test("ten concurrent approvals execute the activity once", async () => {
  const quorum = await newQuorum();
  const { second, third } = quorum;
  const { fingerprint } = await startWallet(quorum);
  const nowMs = Date.now();
  const approvals = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const { client } = i % 2 === 0 ? second : third;
      return client.approveActivity({ fingerprint }, { timestampMs: String(nowMs - i) });
    }),
  );
  for (const { activity } of approvals) expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(new Set(approvals.map(({ activity }) => JSON.stringify(activity.result))).size).toBe(1);
  expect(await walletNames(quorum)).toEqual(["w"]);
});

test("the same bytes with another user's stamp are an approval, also if they race", async () => {
  const quorum = await newQuorum();
  const { root, second, third, organizationId } = quorum;
  const body = bodyOf(organizationId, walletNamed("one by one"));
  expect((await post(root, "create_wallet", body)).status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect((await post(root, "create_wallet", body)).votes).toHaveLength(1);
  const done = await post(second.client, "create_wallet", body);
  expect(done.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(done.votes).toHaveLength(2);
  const after = await post(third.client, "create_wallet", body);
  expect(after).toMatchObject({ id: done.id, result: done.result });
  expect(after.votes).toHaveLength(2);

  const racing = bodyOf(organizationId, walletNamed("at once"));
  const clients = [root, second.client, third.client];
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, i) => post(clients[i % 3] ?? root, "create_wallet", racing)),
  );
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  const { activity } = await root.getActivity({ activityId: first(answers).id });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect((await walletNames(quorum)).sort()).toEqual(["at once", "one by one"]);
});

test("a vote is small, however large the request is that it approves", async () => {
  const quorum = await newQuorum();
  const { root, second, organizationId } = quorum;
  const padding = "x".repeat(64 * 1024);
  const padded = (body: string) => JSON.stringify({ ...JSON.parse(body), padding });
  const body = padded(bodyOf(organizationId, walletNamed("large")));
  const { fingerprint } = await post(root, "create_wallet", body);
  const type = "ACTIVITY_TYPE_APPROVE_ACTIVITY";
  const vote = padded(bodyOf(organizationId, { type, parameters: { fingerprint } }));
  const small = bodyOf(organizationId, { type, parameters: { fingerprint } });
  const wide = JSON.stringify({ ...JSON.parse(small), padding: "€".repeat(1200) });
  for (const [endpoint, large, message] of [
    [
      "create_wallet",
      body,
      `a vote may have 65536 bytes, but this one has ${body.length}: use approve_activity with only the fingerprint of the activity`,
    ],
    ["approve_activity", vote, "a vote may have 4096 bytes, but this one has 6"],
    ["approve_activity", wide, "a vote may have 4096 bytes, but this one has 4"],
    ["reject_activity", wide.replace("_APPROVE_", "_REJECT_"), "a vote may have 4096 bytes"],
  ] as const) {
    expect(await refusal(post(second.client, endpoint, large))).toMatchObject({
      httpStatus: 413,
      code: "BODY_TOO_LARGE",
      message: expect.stringContaining(message),
    });
  }
  // The user who started it can still repeat its bytes.
  expect((await post(root, "create_wallet", body)).votes).toHaveLength(1);
  const { activity } = await second.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("two approvals by the same user count once", async () => {
  const quorum = await newQuorum();
  const { fingerprint } = await startWallet(quorum);
  const { activity } = await quorum.root.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect(activity.votes).toHaveLength(1);
});

test("an approval after the activity has ended changes nothing", async () => {
  const quorum = await newQuorum();
  const { second, third } = quorum;
  const { fingerprint } = await startWallet(quorum);
  const done = await second.client.approveActivity({ fingerprint });
  const late = await third.client.approveActivity({ fingerprint });
  expect(late.activity).toMatchObject({ id: done.activity.id, result: done.activity.result });
  expect(late.activity.votes).toHaveLength(2);
});

test("a voter who left the root quorum does not count", async () => {
  const quorum = await newQuorum();
  const { root, second, third, userId } = quorum;
  const { fingerprint } = await startWallet(quorum);
  const change = await startWaiting(second.client, "update_root_quorum", {
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold: 2, userIds: [second.userId, third.userId] },
  });
  await third.client.approveActivity({ fingerprint: change.fingerprint });

  const one = await second.client.approveActivity({ fingerprint });
  expect(one.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const own = root.approveActivity({ fingerprint });
  expect(await refusal(own)).toMatchObject({ httpStatus: 403, code: "REQUEST_NOT_AUTHORIZED" });
  const two = await third.client.approveActivity({ fingerprint });
  expect(two.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(two.activity.votes[0]?.userId).toBe(userId);
});

test("a vote whose key was deleted does not count and can be given again", async () => {
  const quorum = await newQuorum();
  const { root, userId, second, third, server, organizationId } = quorum;
  const { fingerprint } = await startWallet(quorum);
  const key = newKey();
  await root.createApiKeys({
    userId,
    apiKeys: [{ apiKeyName: "new", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
  });
  const { apiKeys } = await root.getApiKeys({ userId });
  const client = clientOf(server, organizationId, key);
  await client.deleteApiKeys({ userId, apiKeyIds: [first(apiKeys).apiKeyId] });

  const one = await second.client.approveActivity({ fingerprint });
  expect(one.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect((await third.client.getActivity({ activityId: one.activity.id })).activity).toMatchObject({
    canApprove: true,
  });
  const again = await client.approveActivity({ fingerprint });
  expect(again.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("votes over the bytes of the activity do not store them again, but show them", async () => {
  const quorum = await newQuorum();
  const { root, second, organizationId, server } = quorum;
  const body = JSON.stringify({
    ...JSON.parse(bodyOf(organizationId, walletNamed("shared"))),
    padding: "€".repeat(10_000),
  });
  const { fingerprint } = await post(root, "create_wallet", body);
  const size = async () => {
    const text = "SELECT length(record) AS size FROM activities WHERE fingerprint = $1::text";
    const [row] = await server.store.run("size-of-activity", text, [fingerprint]);
    return Number(row?.size);
  };
  const before = await size();
  const done = await post(second.client, "create_wallet", body);
  expect(done.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(done.votes.map(({ message }) => message)).toEqual([body, body]);
  expect((await size()) - before).toBeLessThan(1500);
});

test("an approval that is given again replaces the one that no longer counts", async () => {
  const quorum = await newQuorum();
  const { server, organizationId, second, third } = quorum;
  const change = await startWaiting(quorum.root, "update_root_quorum", {
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold: 3, userIds: [quorum.userId, second.userId, third.userId] },
  });
  await second.client.approveActivity({ fingerprint: change.fingerprint });
  const body = bodyOf(organizationId, walletNamed("wallet"));
  const { id, fingerprint } = await post(quorum.root, "create_wallet", body);
  const approval = bodyOf(organizationId, {
    type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
    parameters: { fingerprint },
  });
  await post(second.client, "approve_activity", approval);

  let client = second.client;
  for (let i = 0; i < 3; i++) {
    const { apiKeys } = await client.getApiKeys({ userId: second.userId });
    const key = newKey();
    await client.createApiKeys({
      userId: second.userId,
      apiKeys: [{ apiKeyName: "new", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
    });
    client = clientOf(server, organizationId, key);
    const apiKeyIds = apiKeys.map(({ apiKeyId }) => apiKeyId);
    await client.deleteApiKeys({ userId: second.userId, apiKeyIds });
    // The bytes of the activity, and an approval from before, are not later than the earlier vote.
    const repeated = { httpStatus: 400, code: "TIMESTAMP_OUT_OF_RANGE" };
    expect(await refusal(post(client, "create_wallet", body))).toMatchObject(repeated);
    expect(await refusal(post(client, "approve_activity", approval))).toMatchObject(repeated);
    const { activity } = await client.approveActivity({ fingerprint });
    expect(activity.votes.map(({ userId }) => userId)).toEqual([quorum.userId, second.userId]);
  }
  await third.client.approveActivity({ fingerprint });
  expect((await client.getActivity({ activityId: id })).activity.status).toBe(
    "ACTIVITY_STATUS_COMPLETED",
  );
});

test("approvals lapse after 24 hours and must be given again", async () => {
  const server = await startTestServer();
  try {
    const quorum = await newQuorum(server);
    const { root, second, third } = quorum;
    const at = () => ({ timestampMs: String(server.host.now()) });
    const { fingerprint, id } = await startWallet(quorum);
    server.clock.offsetMs = 24 * 60 * 60 * 1000;

    const { activity: waiting } = await root.getActivity({ activityId: id });
    expect(waiting).toMatchObject({
      status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
      canApprove: true,
    });
    const one = await second.client.approveActivity({ fingerprint }, at());
    expect(one.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    expect(await walletNames(quorum)).toEqual([]);
    server.clock.offsetMs += 23 * 60 * 60 * 1000;
    const two = await third.client.approveActivity({ fingerprint }, at());
    expect(two.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(two.activity.votes).toHaveLength(3);
    expect(await walletNames(quorum)).toEqual(["w"]);
  } finally {
    await server.stop();
  }
});

test("bytes older than an hour still show and approve their activity, but only for a day", async () => {
  const server = await startTestServer();
  try {
    const quorum = await newQuorum(server);
    const { root, second, third, organizationId } = quorum;
    const hour = 60 * 60 * 1000;
    const body = bodyOf(organizationId, walletNamed("one"));
    const tooLate = bodyOf(organizationId, walletNamed("two"));
    const { id } = await post(root, "create_wallet", body);
    await post(root, "create_wallet", tooLate);

    server.clock.offsetMs = 2 * hour;
    const waiting = await post(root, "create_wallet", body);
    expect(waiting).toMatchObject({ id, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
    expect(waiting.votes).toHaveLength(1);
    const done = await post(second.client, "create_wallet", body);
    expect(done).toMatchObject({ id, status: "ACTIVITY_STATUS_COMPLETED" });
    for (const client of [root, third.client]) {
      const again = await post(client, "create_wallet", body);
      expect(again).toMatchObject({ id, result: done.result });
      expect(again.votes).toHaveLength(2);
    }
    expect(await walletNames(quorum)).toEqual(["one"]);

    server.clock.offsetMs = 25 * hour;
    expect(await refusal(post(second.client, "create_wallet", tooLate))).toEqual(
      badRequest(
        "TIMESTAMP_OUT_OF_RANGE",
        "timestampMs",
        "the activity was stamped more than 24 hours ago: use approve_activity to approve it, because the same bytes no longer count",
      ),
    );
    expect(await walletNames(quorum)).toEqual(["one"]);
  } finally {
    await server.stop();
  }
});

test("an activity that can no longer be executed fails, and says why", async () => {
  const quorum = await newQuorum();
  const { second } = quorum;
  const one = await startWallet(quorum, "treasury");
  const two = await submit(quorum.root, "create_wallet", {
    ...walletNamed("treasury"),
    timestampMs: Date.now() - 1000,
  });
  await second.client.approveActivity({ fingerprint: one.fingerprint });
  const failed = await post(
    second.client,
    "approve_activity",
    bodyOf(quorum.organizationId, {
      type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
      parameters: { fingerprint: two.fingerprint },
    }),
  );
  expect(failed).toMatchObject({
    id: two.id,
    status: "ACTIVITY_STATUS_FAILED",
    result: {},
    failure: {
      code: 6,
      message: "a wallet with the name `treasury` already exists",
      details: [{ code: "NAME_TAKEN", field: "parameters.walletName" }],
    },
  });
  expect(await walletNames(quorum)).toEqual(["treasury"]);
});

test("a user outside the root quorum cannot vote", async () => {
  const organization = await newOrganization();
  const outsider = await addUser(organization, "Outsider");
  const second = await addUser(organization, "Second");
  const { root, userId } = organization;
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const { fingerprint, id } = await startWaiting(root, "create_wallet", walletNamed("w"));
  expect(await refusal(outsider.client.approveActivity({ fingerprint }))).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "REQUEST_NOT_AUTHORIZED",
    field: undefined,
    message:
      "request not authorized: this user is not among those whose vote counts for the activity",
  });
  const { activity } = await outsider.client.getActivity({ activityId: id });
  expect(activity).toMatchObject({ canApprove: false, canReject: false });
  expect(activity.votes).toHaveLength(1);
});

test("an unknown fingerprint is not found, nor is one of another organization", async () => {
  const quorum = await newQuorum();
  const other = await newQuorum();
  const { fingerprint } = await startWallet(other);
  for (const unknown of [`sha256:${"0".repeat(64)}`, fingerprint]) {
    expect(await refusal(quorum.root.approveActivity({ fingerprint: unknown }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "ACTIVITY_NOT_FOUND",
      field: "parameters.fingerprint",
      message:
        "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint",
    });
  }
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const type = "ACTIVITY_TYPE_APPROVE_ACTIVITY";
  const cases: [object, string, string, string][] = [
    [
      { fingerprint: "0".repeat(64) },
      "FIELD_INVALID",
      "parameters.fingerprint",
      `expected \`sha256:\` and 64 lower-case hex characters: \`parameters.fingerprint\` is \`${"0".repeat(64)}\``,
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "approve_activity", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  const old = { type, parameters: { fingerprint: `sha256:${"0".repeat(64)}` }, timestampMs: 1 };
  expect(await refusal(submit(root, "approve_activity", old))).toMatchObject({ httpStatus: 404 });
});

test("an approval stamped more than an hour ago does not count", async () => {
  const quorum = await newQuorum();
  const { second } = quorum;
  const { fingerprint, id } = await startWallet(quorum);
  const timestampMs = String(Date.now() - 61 * 60_000);
  const late = second.client.approveActivity({ fingerprint }, { timestampMs });
  expect(await refusal(late)).toMatchObject({ httpStatus: 400, code: "TIMESTAMP_OUT_OF_RANGE" });
  expect((await second.client.getActivity({ activityId: id })).activity.votes).toHaveLength(1);
});

test("an earlier approval completes the activity once the quorum has shrunk", async () => {
  const quorum = await newQuorum();
  const { root, second, third, userId } = quorum;
  const { fingerprint } = await startWallet(quorum);
  const again = await root.approveActivity({ fingerprint });
  expect(again.activity.votes).toHaveLength(1);
  const change = await startWaiting(second.client, "update_root_quorum", {
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold: 1, userIds: [userId] },
  });
  await third.client.approveActivity({ fingerprint: change.fingerprint });

  const { activity } = await root.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(activity.votes.map((vote) => vote.userId)).toEqual([userId]);
});

test("a thousand concurrent votes execute the activity once", async () => {
  const organization = await newOrganization();
  const { server, root, organizationId } = organization;
  const keys = Array.from({ length: 99 }, () => newKey());
  const { userIds } = await root.createUsers({
    users: keys.map(({ publicKey }, index) => ({
      userName: `Voter ${index}`,
      apiKeys: [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    })),
  });
  await root.createPolicy({
    policyName: "many make a wallet",
    effect: "EFFECT_ALLOW",
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: "approvers.count() >= 25",
    notes: "",
  });
  const voters = keys.map((key) => clientOf(server, organizationId, key));
  const { id, fingerprint } = await startWaiting(first(voters), "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "ours", accounts: [] },
  });
  const vote = (index: number) => {
    const voter = voters[index % voters.length] as (typeof voters)[number];
    return submit(voter, "approve_activity", {
      type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
      parameters: { fingerprint },
      timestampMs: Date.now() - index,
    });
  };
  // No more than an organization may have under way.
  const answers: Awaited<ReturnType<typeof vote>>[] = [];
  for (let start = 0; start < 1000; start += 200) {
    const votes = Array.from({ length: 200 }, (_, index) => vote(start + index));
    answers.push(...(await Promise.all(votes)));
  }
  const waiting = answers.filter(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const completed = answers.filter(({ status }) => status === "ACTIVITY_STATUS_COMPLETED");
  // The submission was the first approval, and the twenty-fifth executed it.
  expect(waiting.length + completed.length).toBe(1000);
  expect(completed.length).toBeGreaterThan(0);
  expect(new Set(completed.map(({ result }) => JSON.stringify(result))).size).toBe(1);
  const { activity } = await root.getActivity({ activityId: id });
  expect(activity.votes).toHaveLength(25);
  const approvers = activity.votes.map(({ userId }) => userId);
  expect(new Set(approvers).size).toBe(25);
  for (const approver of approvers) expect(userIds).toContain(approver);
  expect((await root.listWallets()).wallets).toHaveLength(1);
}, 120_000);

// The guide about agents says so. A DENY is about whoever approves, and a policy about any approvers counts its user too.
test("an approval by somebody whom a DENY names keeps the activity waiting", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const [asking, agent, other] = [
    await addUser(organization, "Asking"),
    await addUser(organization, "Agent"),
    await addUser(organization, "Other"),
  ];
  await root.createPolicy({
    policyName: "any two",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'CREATE'",
    consensus: "approvers.count() >= 2",
    notes: "",
  });
  await root.createPolicy({
    policyName: "the agent signs and does nothing else",
    effect: "EFFECT_DENY",
    condition: "activity.action != 'SIGN'",
    consensus: `approvers.any(user, user.id == '${agent.userId}')`,
    notes: "",
  });
  const { fingerprint } = await startWaiting(asking.client, "create_wallet", walletNamed("w"));
  for (const { client } of [agent, other]) {
    const { activity } = await client.approveActivity({ fingerprint });
    expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  }
});
