import { randomBytes } from "node:crypto";
import {
  addUser,
  ethereumAccount,
  newQuorum,
  startWaiting,
} from "@keyhearth/engine/organization.testing";
import { recordDigest } from "@keyhearth/engine/records/record";
import { verifyReceipts, verifyReceiptsExcerpt } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listVersions, readPastRecords } from "../store/past-documents.ts";
import { newKey, newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { pruneSome, startPruning } from "./prune.ts";
import { createRetention, removeOldActivities, removeOldDocuments } from "./retain.ts";
import { sealSegments } from "./seal-segments.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HISTORY = { historyMs: 30 * DAY_MS, deliveriesMs: 7 * DAY_MS, feedbackMs: 365 * DAY_MS };

let server: TestServer;

beforeAll(async () => {
  // Clients and the service have the same clock, which goes on.
  vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true });
  server = await startTestServer();
  // An answer that the service remembers because its commit was slow is there for a minute of real time.
  server.host.commitDeadlineMs = 600_000;
});

afterAll(async () => {
  await server?.stop();
  vi.useRealTimers();
});

beforeEach(() => {
  server.host.retention = HISTORY;
});

function pass(days: number) {
  vi.setSystemTime(Date.now() + days * DAY_MS);
}

async function sealAll() {
  while (await hasLeaves()) await sealSegments(server.host);
}

async function hasLeaves() {
  const rows = await server.store.run("", "SELECT FROM leaves LIMIT 1", []);
  return rows.length > 0;
}

async function shrinkAll() {
  while ((await pruneSome(server.host)).pruned > 0);
}

/** One cycle through all organizations. */
async function retain() {
  const round = createRetention(server.host);
  while ((await round()) === "again");
}

const quorumKey = () => {
  const answer = server.signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`unexpected answer: ${answer.kind}`);
  return answer.quorumPublicKey;
};

async function storedBytes(organizationId: string) {
  const [row] = await server.store.run(
    "",
    "SELECT bytes FROM organization_storage WHERE organization_id = $1::uuid",
    [organizationId],
  );
  return Number(row?.bytes);
}

async function countOf(table: string, organizationId: string) {
  const [row] = await server.store.run(
    "",
    `SELECT count(*) AS count FROM ${table} WHERE organization_id = $1::uuid`,
    [organizationId],
  );
  return Number(row?.count);
}

/** A vote after which the activity waits for more is an error of the client. */
function waits(error: unknown) {
  expect(error).toMatchObject({ code: "CONSENSUS_NEEDED" });
}

test("without a setting, nothing goes however old it is", async () => {
  const { root, organizationId } = await newOrganization(server);
  const { activity } = await root.createUserTag({ userTagName: "a", userIds: [] });
  await sealAll();
  pass(4000);
  server.host.retention = { ...HISTORY, historyMs: null };
  const before = await countOf("organization_documents", organizationId);
  await retain();
  expect((await root.getActivity({ activityId: activity.id })).activity.id).toBe(activity.id);
  expect(await countOf("organization_documents", organizationId)).toBe(before);
});

test("an old activity goes, and its receipts verify as before", async () => {
  const { root, organizationId } = await newOrganization(server);
  const { addresses } = await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  const sign = (payload: string) =>
    root.signRawPayload({
      signWith: addresses[0] ?? "",
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
  const [small, large] = [await sign("small"), await sign("large ".repeat(20_000))];
  await sealAll();
  const before = await root.getReceipts({});
  const [smallBefore, bytesBefore] = [
    await root.getReceipts({ activityId: small.activity.id }),
    await storedBytes(organizationId),
  ];
  pass(31);
  const young = await sign("young");
  await sealAll();
  const all = await root.getReceipts({});
  await retain();

  for (const { activity } of [small, large]) {
    const refused = { httpStatus: 404, code: "ACTIVITY_REMOVED", field: "activityId" };
    const activityId = activity.id;
    await expect(root.getActivity({ activityId })).rejects.toMatchObject(refused);
    await expect(root.getPolicyEvaluations({ activityId })).rejects.toMatchObject(refused);
  }
  const { activities } = await root.listActivities({});
  expect(activities.map(({ id }) => id)).toEqual([young.activity.id]);
  const older = await root.listActivities({ paginationOptions: { after: large.activity.id } });
  expect(older.activities.map(({ id }) => id)).toEqual([young.activity.id]);

  expect(await root.getReceipts({})).toEqual(all);
  expect(await root.getReceipts({ activityId: small.activity.id })).toEqual(smallBefore);
  expect(all.receiptsFile.receipts.slice(0, before.receiptsFile.receipts.length)).toEqual(
    before.receiptsFile.receipts,
  );
  const report = verifyReceipts(all.receiptsFile, quorumKey());
  expect(report).toMatchObject({ valid: true, leavesNotShown: 0 });
  const ids = report.statements.map(({ activityId }) => activityId);
  expect(ids).toEqual(expect.arrayContaining([small.activity.id, large.activity.id]));
  const excerpt = verifyReceiptsExcerpt(smallBefore.receiptsFile, quorumKey());
  expect(excerpt.statements).toMatchObject([{ fingerprint: small.activity.fingerprint }]);
  expect(await storedBytes(organizationId)).toBeLessThan(bytesBefore - 120_000);

  // Its wallet, and what it was made by, are two things.
  expect((await root.listWallets({})).wallets).toHaveLength(1);
  await sign("still");
});

test("the bytes of an activity that is gone start nothing, vote on nothing and say what became of it", async () => {
  const { root, organizationId } = await newOrganization(server);
  const stamped = { timestampMs: String(Date.now()) };
  const ask = () => root.createUserTag({ userTagName: "again", userIds: [] }, stamped);
  const { activity, userTagId } = await ask();
  await root.deleteUserTags({ userTagIds: [userTagId] });
  pass(31);
  // Until it is gone, they are answered with their outcome.
  expect((await ask()).activity.id).toBe(activity.id);
  await retain();
  const written = await countOf("activities", organizationId);
  await expect(ask()).rejects.toMatchObject({
    httpStatus: 404,
    code: "ACTIVITY_REMOVED",
    field: "timestampMs",
    message: expect.stringContaining(activity.id),
  });
  await expect(root.approveActivity({ fingerprint: activity.fingerprint })).rejects.toMatchObject({
    code: "ACTIVITY_REMOVED",
    field: "parameters.fingerprint",
  });
  expect(await countOf("activities", organizationId)).toBe(written);
  expect((await root.listUserTags({})).userTags).toEqual([]);
});

test("what waits for votes stays, with its voters, and is decided", async () => {
  const quorum = await newQuorum(server);
  const { root, second, organizationId } = quorum;
  const waiting = await startWaiting(root, "create_user_tag", {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "waits", userIds: [] },
  });
  const rename = await startWaiting(root, "update_user", {
    type: "ACTIVITY_TYPE_UPDATE_USER",
    parameters: { userId: quorum.userId, userName: "Renamed" },
  });
  await second.client.approveActivity({ fingerprint: rename.fingerprint });
  await shrinkAll();
  pass(31);
  await retain();
  expect(await countOf("organization_documents", organizationId)).toBe(1);

  const { activity } = await second.client.getActivity({ activityId: waiting.id });
  expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", canApprove: true });
  // The version that the vote names is gone, so its user is as it is now.
  expect(activity.votes.map(({ user }) => user?.userName)).toEqual(["Renamed"]);
  const { policyEvaluations } = await root.getPolicyEvaluations({ activityId: waiting.id });
  expect(policyEvaluations).toMatchObject([{ policyEvaluations: [] }]);
  // Approvals count for a day, and then they are given again.
  for (const client of [second.client, root]) {
    await client.approveActivity({ fingerprint: waiting.fingerprint }).catch(waits);
  }
  expect((await root.listUserTags({})).userTags).toHaveLength(1);

  // It began long ago, and ended now.
  await retain();
  const { activity: decided } = await root.getActivity({ activityId: waiting.id });
  expect(decided.status).toBe("ACTIVITY_STATUS_COMPLETED");
  pass(31);
  await retain();
  await expect(root.getActivity({ activityId: waiting.id })).rejects.toMatchObject({
    code: "ACTIVITY_REMOVED",
  });
});

test("after that time, nothing in the database has the contacts of a user who was deleted", async () => {
  const { root, organizationId } = await newOrganization(server);
  const [contact, kept] = ["lovelace@example.com", "hopper@example.com"];
  const user = (userName: string, userEmail: string) => ({
    userName,
    userEmail,
    apiKeys: [
      {
        apiKeyName: "laptop",
        publicKey: newKey().publicKey,
        curveType: "API_KEY_CURVE_P256" as const,
      },
    ],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  });
  const { userIds } = await root.createUsers({
    users: [user("Ada", contact), user("Grace", kept)],
  });
  const change = async (n: number) =>
    root.createUserTag({ userTagName: `${n} ${randomBytes(100).toString("hex")}`, userIds: [] });
  for (let n = 0; n < 5; n++) await change(n);
  await root.deleteUsers({ userIds: userIds.slice(0, 1) });
  for (let n = 5; n < 25; n++) await change(n);
  await shrinkAll();

  const texts = async () => {
    const versions = (await listVersions(server.store.db, organizationId, 1000)).map(
      ({ version }) => version,
    );
    const documents = await readPastRecords(server.store.db, organizationId, versions);
    const activities = await server.store.run(
      "",
      "SELECT record FROM activities WHERE organization_id = $1::uuid",
      [organizationId],
    );
    const records = [...documents, ...activities].map(({ record }) =>
      Buffer.from(record as Uint8Array).toString(),
    );
    return records.join("\n");
  };
  expect(await texts()).toContain(contact);
  pass(29);
  await retain();
  expect(await texts()).toContain(contact);
  pass(2);
  await change(100);
  await retain();
  expect(await texts()).not.toContain(contact);
  // The user who is still there has a contact.
  expect(await texts()).toContain(kept);
  expect(await countOf("removed_activities", organizationId)).toBeGreaterThan(25);
});

test("versions that stay are the same bytes, and sums are exact, also if each was a difference from one that went", async () => {
  const { root, organizationId } = await newOrganization(server);
  const notes = randomBytes(2000).toString("hex");
  const policy = { effect: "EFFECT_DENY", condition: "false", notes } as const;
  const { policyId } = await root.createPolicy({ policyName: "p", ...policy });
  const rename = (n: number) => root.updatePolicy({ policyId, policyName: `renamed ${n}` });
  for (let n = 0; n < 20; n++) await rename(n);
  pass(20);
  for (let n = 20; n < 60; n++) await rename(n);
  await shrinkAll();
  await sealAll();
  const { db } = server.store;
  const before = await listVersions(db, organizationId, 1000);
  expect(before.filter(({ base }) => base !== null).length).toBeGreaterThan(50);
  pass(15);
  const wereThere = await storedBytes(organizationId);
  await retain();

  const after = await listVersions(db, organizationId, 1000);
  expect(after.length).toBeLessThan(before.length - 15);
  expect(after.length).toBeGreaterThanOrEqual(40);
  expect(after.filter(({ base }) => base !== null).length).toBeGreaterThan(35);
  const records = await readPastRecords(
    db,
    organizationId,
    after.map(({ version }) => version),
  );
  expect(records.map(({ record }) => recordDigest(record))).toEqual(
    records.map(({ digest }) => digest),
  );
  const size = (versions: typeof before) =>
    versions.reduce((sum, { bytes }) => sum + 1024 + bytes, 0);
  const [removed] = await server.store.run(
    "",
    "SELECT count(*) AS count, sum(octet_length(statement)) AS bytes FROM removed_activities WHERE organization_id = $1::uuid",
    [organizationId],
  );
  expect(Number(removed?.count)).toBeGreaterThan(15);
  // What went of documents, apart from the records of activities, which became statements.
  const { activities } = await root.listActivities({ paginationOptions: { limit: "100" } });
  expect(activities.length).toBe(40);
  expect(wereThere - (await storedBytes(organizationId))).toBeGreaterThan(
    size(before) - size(after),
  );
  // Newer versions are differences again, and what stays is explained as before.
  await rename(100);
  await shrinkAll();
  const explained = await root.getPolicyEvaluations({ activityId: activities[0]?.id ?? "" });
  expect(explained.policyEvaluations).toHaveLength(1);
});

test("an old version that new votes name stays, because nobody has changed users and policies since", async () => {
  const organization = await newOrganization(server);
  const { root, userId } = organization;
  const clerk = await addUser(organization);
  await root.createPolicy({
    policyName: "two of them",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'USER' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${clerk.userId}') && approvers.any(user, user.id == '${userId}')`,
    notes: "",
  });
  const start = (userTagName: string) =>
    startWaiting(clerk.client, "create_user_tag", {
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      parameters: { userTagName, userIds: [] },
    });
  await start("old");
  pass(31);
  const young = await start("young");
  await retain();
  const { policyEvaluations } = await root.getPolicyEvaluations({ activityId: young.id });
  expect(policyEvaluations).toMatchObject([
    { policyEvaluations: [{ outcome: "OUTCOME_REQUIRES_CONSENSUS" }] },
  ]);
});

test("a round takes a slice, and two processes at once take each activity once", async () => {
  const { root, organizationId } = await newOrganization(server);
  const { userTagId } = await root.createUserTag({ userTagName: "tag", userIds: [] });
  for (let n = 1; n < 120; n++) {
    await root.updateUserTag({
      userTagId,
      newUserTagName: `tag ${n}`,
      addUserIds: [],
      removeUserIds: [],
    });
  }
  await sealAll();
  pass(31);
  const beforeMs = server.host.now() - HISTORY.historyMs;
  const first = { after: "00000000-0000-0000-0000-000000000000", beforeMs };
  const slices = await Promise.all([
    removeOldActivities(server.host, organizationId, first),
    removeOldActivities(server.host, organizationId, first),
  ]);
  expect(slices.reduce((sum, { removed }) => sum + removed, 0)).toBe(100);
  expect(await countOf("removed_activities", organizationId)).toBe(100);
  const { next } = slices[0];
  const rest = await removeOldActivities(server.host, organizationId, {
    after: next ?? "",
    beforeMs,
  });
  expect(rest).toEqual({ removed: 21, next: null });
  await Promise.all([
    removeOldDocuments(server.host, organizationId, beforeMs),
    removeOldDocuments(server.host, organizationId, beforeMs),
  ]);
  await retain();
  expect(await countOf("organization_documents", organizationId)).toBe(1);
  const report = verifyReceipts(
    (await root.getReceipts({ limit: "100" })).receiptsFile,
    quorumKey(),
  );
  expect(report).toMatchObject({ valid: true, receipts: 121, leavesNotShown: 0 });
});

test("an activity that cannot be read stays, and others of its organization go", async () => {
  const { root, organizationId } = await newOrganization(server);
  const { activity } = await root.createUserTag({ userTagName: "damaged", userIds: [] });
  await root.createUserTag({ userTagName: "whole", userIds: [] });
  await server.store.run(
    "",
    "UPDATE activities SET record = '\\x00' WHERE activity_id = $1::uuid",
    [activity.id],
  );
  pass(31);
  await retain();
  expect(await countOf("activities", organizationId)).toBe(1);
  expect(await countOf("removed_activities", organizationId)).toBe(2);
});

test("pruning does it in the background, and deliveries and feedback have ages of their own", async () => {
  const { root, organizationId } = await newOrganization(server);
  await root.createUserTag({ userTagName: "a", userIds: [] });
  pass(31);
  const { store } = server;
  const nowMs = server.host.now();
  for (const days of [1, 3]) {
    await store.run(
      "",
      `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id, activity_version,
         event_type, state, attempts, next_attempt_at_ms, created_at_ms)
       SELECT gen_random_uuid(), gen_random_uuid(), $1::uuid, $1::uuid, gen_random_uuid(), 1, 'e', state, 1, 0, $2::bigint
       FROM unnest(ARRAY['delivered', 'waiting']) AS t(state)`,
      [organizationId, nowMs - days * DAY_MS],
    );
    await store.run(
      "",
      "INSERT INTO page_feedback (feedback_id, page, is_helpful, created_at_ms) VALUES (gen_random_uuid(), '/faq', true, $1::bigint)",
      [nowMs - days * DAY_MS],
    );
  }
  server.host.retention = {
    historyMs: HISTORY.historyMs,
    deliveriesMs: 2 * DAY_MS,
    feedbackMs: 2 * DAY_MS,
  };
  const pruning = startPruning(server.host, 5);
  await expect.poll(() => countOf("removed_activities", organizationId)).toBe(2);
  await expect.poll(() => countOf("webhook_deliveries", organizationId)).toBe(3);
  await expect
    .poll(async () => (await store.run("", "SELECT FROM page_feedback", [])).length)
    .toBe(1);
  await pruning.stop();
  const left = await store.run(
    "",
    "SELECT state, created_at_ms FROM webhook_deliveries WHERE organization_id = $1::uuid ORDER BY created_at_ms, state",
    [organizationId],
  );
  expect(left.map(({ state }) => state)).toEqual(["waiting", "delivered", "waiting"]);
});

test("a voter of whom nothing is left is shown by the id alone", async () => {
  const organization = await newOrganization(server);
  const { root, userId, organizationId } = organization;
  const [second, third] = [await addUser(organization), await addUser(organization)];
  await root.createPolicy({
    policyName: "three of them",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'USER' && activity.action == 'CREATE'",
    consensus: `approvers.any(user, user.id == '${second.userId}') && approvers.any(user, user.id == '${third.userId}') && approvers.any(user, user.id == '${userId}')`,
    notes: "",
  });
  const waiting = await startWaiting(second.client, "create_user_tag", {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "waits", userIds: [] },
  });
  await third.client.approveActivity({ fingerprint: waiting.fingerprint }).catch(waits);
  await root.deleteUsers({ userIds: [third.userId] });
  const shown = async () => {
    const { activity } = await root.getActivity({ activityId: waiting.id });
    return activity.votes.map(({ user }) => [user?.userId, user?.userName]);
  };
  expect(await shown()).toEqual([
    [second.userId, "Grace"],
    [third.userId, "Grace"],
  ]);
  await shrinkAll();
  pass(31);
  await retain();
  expect(await countOf("organization_documents", organizationId)).toBe(1);
  expect(await shown()).toEqual([
    [second.userId, "Grace"],
    [third.userId, ""],
  ]);
});
