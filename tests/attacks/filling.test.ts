import { newKey, type TestKey } from "@keyhearth/api/testing";
import { upcast } from "@keyhearth/engine/records/kind";
import { findUser, organization } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  approve,
  ask,
  bytesOf,
  deleteKey,
  documentOf,
  edit,
  knock,
  makePolicy,
  makeWallet,
  newVictim,
  type Person,
  perform,
  quorum,
  recordOf,
  reject,
  resultOf,
  send,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Users of an organization share its document and the activities that wait for votes. One of them
// fills what the others need.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

test("a user without permissions does not fill the document for others", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  await fillDocument(victim);
  const before = (await documentOf(server, victim.organizationId)).length;

  // A new key and its deletion, until the clerk has done it often enough.
  const statuses: number[] = [];
  for (let i = 0; i < 16; i++) {
    const added = await ask(server, victim, addKey(clerk, newKey()), clerk.key);
    statuses.push(added.status);
    if (added.status !== 200) break;
    const [apiKeyId = ""] = resultOf(added, "createApiKeysResult").apiKeyIds as string[];
    statuses.push((await ask(server, victim, deleteKey(clerk, apiKeyId), clerk.key)).status);
  }
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  const after = (await documentOf(server, victim.organizationId)).length;
  expect(after - before).toBeLessThan(20 * 256);
  await perform(server, victim, quorum(1, [victim.people[0].userId]));
}, 180_000);

test("a clerk who starts and ends activities is stopped, and nobody else is", async () => {
  const victim = await newVictim(server, { rootUsers: 2, threshold: 1 });
  const [root] = victim.people;
  const clerk = await addUser(server, victim);
  const other = await addUser(server, victim);
  const ids = [root, clerk, other].map(({ userId }) => `user.id == '${userId}'`).join(" || ");
  const policy = makePolicy("two of three", "EFFECT_ALLOW", {
    condition: "activity.resource == 'WALLET'",
    consensus: `approvers.filter(user, ${ids}).count() >= 2`,
  });
  await perform(server, victim, policy);
  const waiting = await perform(server, victim, makeWallet("waiting"), other.key);
  await endActivities(victim, clerk, 1000);
  const more = await ask(server, victim, makeWallet("one more"), clerk.key);
  expect(more).toMatchObject({ status: 429, reason: "LIMIT_EXCEEDED" });
  expect(more.message).toContain("a user may change the organization 1000 times within an hour");
  // Votes, also those of the clerk, and the work of others go on.
  await perform(server, victim, makeWallet("others"), other.key);
  const fingerprint = waiting.activity?.fingerprint ?? "";
  const approved = await ask(server, victim, approve(fingerprint), clerk.key);
  expect(approved).toMatchObject({
    status: 200,
    activity: { status: "ACTIVITY_STATUS_COMPLETED" },
  });
}, 180_000);

test("a voter who replaces keys adds one short vote to an activity", async () => {
  const victim = await newVictim(server, { rootUsers: 3, threshold: 3 });
  const [, voter] = victim.people;
  if (!voter) throw new Error("three users were made");
  const { activity } = await perform(server, victim, makeWallet());
  const fingerprint = activity?.fingerprint ?? "";
  const before = await sizeOf(victim, fingerprint);

  let key = voter.key;
  for (let i = 0; i < 5; i++) {
    const body = JSON.stringify({
      ...JSON.parse(bytesOf(server, victim.organizationId, approve(fingerprint))),
      padding: "€".repeat(65_000),
    });
    const padded = await send(server, "approve_activity", body, stampOf(key, body));
    expect(padded).toMatchObject({ status: 413, reason: "BODY_TOO_LARGE" });
    await perform(server, victim, approve(fingerprint), key);
    key = await replaceKey(victim, voter, key);
  }
  const after = await sizeOf(victim, fingerprint);
  expect(after - before).toBeLessThan(4096);
}, 180_000);

/** Starts and rejects activities directly at the signer, and commits the last document. */
async function endActivities(victim: Victim, clerk: Person, count: number) {
  const { organizationId } = victim;
  let document = await documentOf(server, organizationId);
  const call = ({ endpoint, ...what }: Ask, records: Uint8Array[]) => {
    const body = bytesOf(server, organizationId, { ...what });
    const answer = knock(server, { endpoint, body, key: clerk.key, records });
    if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
    return answer;
  };
  for (let i = 0; i < count; i++) {
    const started = call(makeWallet(`theirs ${i}`), [document]);
    server.signer.handle({ call: "confirm", ticket: started.ticket ?? "" });
    document = writtenBy(started, "organization");
    const activity = writtenBy(started, "activity");
    const ended = call(reject(started.activity.fingerprint), [document, activity]);
    server.signer.handle({ call: "confirm", ticket: ended.ticket ?? "" });
    document = writtenBy(ended, "organization");
  }
  const { version } = readRecord(document).header;
  const values = [organizationId, version, recordDigest(document), document];
  await edit(
    server,
    `INSERT INTO organization_documents (organization_id, version, digest, record)
     VALUES ($1::uuid, $2::bigint, $3::text, $4::bytea)`,
    values,
  );
  await edit(
    server,
    "UPDATE organizations SET version = $2::bigint, digest = $3::text WHERE organization_id = $1::uuid",
    values.slice(0, 3),
  );
}

/** Exchanges the voter's only key. */
async function replaceKey(victim: Victim, { userId }: Person, old: TestKey): Promise<TestKey> {
  const record = readRecord(await documentOf(server, victim.organizationId));
  const document = upcast(organization, record);
  const apiKeyId = findUser(document, userId)?.apiKeys[0]?.apiKeyId ?? "";
  const key = newKey();
  const person = { userId, key: old };
  await perform(server, victim, addKey(person, key), old);
  await perform(server, victim, deleteKey(person, apiKeyId), key);
  return key;
}

async function sizeOf({ organizationId }: Victim, fingerprint: string): Promise<number> {
  const record = await recordOf(
    server,
    "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
    [organizationId, fingerprint],
  );
  return record.length;
}

/** The root user fills the document, until it has no room for one more policy. */
async function fillDocument(victim: Victim) {
  let made = 0;
  const name = () => `${made++}`.padStart(255, "€");
  for (let i = 0; i < 10; i++) {
    const privateKeys = Array.from({ length: 100 }, () => ({
      privateKeyName: name(),
      curve: "CURVE_ED25519",
      privateKeyTags: [],
      addressFormats: [],
    }));
    await perform(server, victim, {
      endpoint: "create_private_keys",
      type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
      parameters: { privateKeys },
    });
  }
  for (let length = 64; length >= 1; ) {
    const policies = Array.from({ length }, () => ({
      policyName: name(),
      effect: "EFFECT_ALLOW",
      condition: "false",
      notes: "",
    }));
    const reply = await ask(server, victim, {
      endpoint: "create_policies",
      type: "ACTIVITY_TYPE_CREATE_POLICIES",
      parameters: { policies },
    });
    if (reply.status === 200) continue;
    length = Math.floor(length / 2);
    if (length === 0) expect(reply.message).toContain("document would exceed 1 MiB");
  }
}
