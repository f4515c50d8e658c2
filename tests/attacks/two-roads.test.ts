import { newKey, type TestKey } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import { readRecord } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
  ethereumAccount,
  expectRefused,
  knock,
  makeAccount,
  makePolicy,
  makeSubOrganization,
  makeWallet,
  newVictim,
  newWallet,
  type Person,
  perform,
  proposalFor,
  quorum,
  recordOf,
  reject,
  resultOf,
  send,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// The same bytes can take effect at once or by votes, and mean a request or a vote. A hostile host has them
// proposed again and again, keeps the records, and brings them when it suits.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const HOUR_MS = 60 * 60 * 1000;
const notListed = {
  kind: "error",
  error: { reason: "STALE_RECORD", message: expect.stringContaining("does not list") },
};

describe("the record of an activity that waits in a proposal that was never committed", () => {
  test("does not bring a deleted policy back, whatever the quorum was in between", async () => {
    const { victim, second } = await newCouncil();
    const what = makePolicy("open", "EFFECT_ALLOW", { condition: "true" });
    const phantom = await proposalFor(server, victim, what);
    await agree(victim, quorum(1, idsOf(victim)));
    const made = await again(victim, what, phantom.body);
    const { policyId } = resultOf(made, "createPolicyResult");
    await perform(server, victim, {
      endpoint: "delete_policy",
      type: "ACTIVITY_TYPE_DELETE_POLICY",
      parameters: { policyId },
    });
    await perform(server, victim, quorum(2, idsOf(victim)));
    for (const laterMs of [0, 2 * HOUR_MS]) {
      server.clock.offsetMs += laterMs;
      expect(
        await vote(victim, phantom.body, second, writtenBy(phantom, "activity")),
      ).toMatchObject(notListed);
    }
  });

  test("does not bring a stolen and deleted API key back", async () => {
    const { victim, first, second } = await newCouncil();
    const stolen = newKey();
    const what = addKey(second, stolen);
    const phantom = await proposalFor(server, victim, what);
    await agree(victim, quorum(1, idsOf(victim)));
    const made = await again(victim, what, phantom.body);
    const [apiKeyId = ""] = resultOf(made, "createApiKeysResult").apiKeyIds as string[];
    await perform(server, victim, deleteKey(second, apiKeyId));
    await perform(server, victim, quorum(2, idsOf(victim)), first.key);
    server.clock.offsetMs += 2 * HOUR_MS;
    const activity = writtenBy(phantom, "activity");
    expect(await vote(victim, phantom.body, second, activity)).toMatchObject(notListed);
    await expectRefused(
      server,
      [victim.organizationId],
      () => ask(server, victim, makeWallet("stolen"), stolen),
      { status: 401, reason: "CREDENTIAL_NOT_FOUND" },
    );
  });

  test("takes no votes beside another proposal of the same bytes that was committed", async () => {
    const { victim, second, third } = await newCouncil();
    const what = makeWallet("twice");
    const phantom = await proposalFor(server, victim, what);
    server.clock.offsetMs += 1000;
    const waiting = await again(victim, what, phantom.body);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const activity = writtenBy(phantom, "activity");
    expect(await vote(victim, phantom.body, second, activity)).toMatchObject({
      kind: "error",
      error: { reason: "STALE_RECORD" },
    });
    const named = approve(waiting.activity?.fingerprint ?? "");
    const done = await perform(server, victim, named, second.key);
    expect(done.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    server.clock.offsetMs += 2 * HOUR_MS;
    expect(await vote(victim, phantom.body, third, activity)).toMatchObject(notListed);
  });

  test("a vote that the host never committed counts no longer than its stamp", async () => {
    const { victim, second, third } = await newCouncil();
    await agree(victim, quorum(3, idsOf(victim)));
    const { body, activity } = await perform(server, victim, makeWallet("three of three"));
    const before = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid AND activity_id = $2::uuid",
      [victim.organizationId, activity?.id],
    );
    const kept = await vote(victim, body, second, before);
    if (kept.kind !== "proposal") throw new Error(JSON.stringify(kept));
    const otherState = {
      reason: "STALE_RECORD",
      message: expect.stringContaining("another state"),
    };
    const phantom = writtenBy(kept, "activity");
    expect(await vote(victim, body, third, phantom)).toMatchObject({ error: otherState });
    // Without it, the third user's vote is the second one.
    const last = await vote(victim, body, third, before);
    expect(last).toMatchObject({
      kind: "proposal",
      activity: { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
    });
  });

  test("does not let bytes start twice while their activity waits", async () => {
    const { victim } = await newCouncil();
    const what = makeWallet("waits");
    const { body } = await perform(server, victim, what);
    const records = [await documentOf(server, victim.organizationId)];
    for (const { key } of victim.people) {
      expect(knock(server, { endpoint: what.endpoint, body, key, records })).toEqual({
        kind: "waits",
      });
    }
  });
});

describe("what votes approved in a proposal that was never committed", () => {
  test("makes no sub-organization, while the activity waits and after it was rejected", async () => {
    const { victim, first } = await newCouncil();
    const owner = newKey();
    const { kept, rejecting } = await approvedInSecret(victim, makeSubOrganization(owner));
    const own = kept.attachments.find((each) => isDocumentOf(each, victim.organizationId));
    const sub = kept.attachments.find((each) => isDocumentOf(each, idOfSub(kept)));
    if (!own || !sub) throw new Error("a proposal with two documents");
    const confirm = (...attachments: Uint8Array[]) =>
      server.signer.handle({ call: "confirm", attachments });
    const alone = {
      kind: "error",
      error: { reason: "RECORD_REFUSED", message: expect.stringContaining("parent's document") },
    };
    expect(confirm(sub)).toMatchObject(alone);
    expect(confirm(await documentOf(server, victim.organizationId), sub)).toMatchObject(alone);
    await perform(server, victim, rejecting, first.key);
    server.signer.restart();
    const stale = { kind: "error", error: { reason: "STALE_RECORD" } };
    expect(confirm(sub)).toMatchObject(stale);
    expect(confirm(await documentOf(server, victim.organizationId), sub)).toMatchObject(stale);
    expect(confirm(own, sub)).toMatchObject(stale);
    expect(confirm(own)).toMatchObject(stale);
    const made = knock(server, {
      endpoint: "create_wallet",
      body: bytesOf(server, idOfSub(kept), makeWallet("alive")),
      key: owner,
      records: [sub],
    });
    expect(made).toMatchObject(stale);
  });

  test("signs with no account, while the activity waits and after it was rejected", async () => {
    const { victim, first } = await newCouncil();
    const { walletId } = await agreeOnWallet(victim);
    const wallet = await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [victim.organizationId, walletId],
    );
    const what = makeAccount(walletId, 7);
    const { kept, rejecting } = await approvedInSecret(victim, what, [wallet]);
    const account = writtenBy(kept, "wallet-account");
    const { address } = readRecord(account).body as { address: string };
    const signing = async () => {
      const request = sign(address);
      return knock(server, {
        endpoint: request.endpoint,
        body: bytesOf(server, victim.organizationId, request),
        key: first.key,
        records: [await documentOf(server, victim.organizationId), account, wallet],
      });
    };
    const missing = { kind: "error", error: { reason: "NOT_FOUND" } };
    expect(await signing()).toMatchObject(missing);
    await perform(server, victim, rejecting, first.key);
    expect(await signing()).toMatchObject(missing);
    // The same account of a request that is committed signs, and the kept record still does not.
    await agree(victim, what);
    const again = await ask(server, victim, sign(address));
    expect(again).toMatchObject({ status: 200 });
    expect(await signing()).toMatchObject(missing);
  });
});

describe("the same bytes of another user", () => {
  test("make no session of a root user of a login that a clerk's activity waits for", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const clerk = await addUser(server, victim);
    const consensus = "approvers.count() >= 2";
    await perform(server, victim, makePolicy("two for a login", "EFFECT_ALLOW", { consensus }));
    const what: Ask = {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: newKey().publicKey },
    };
    const waiting = await perform(server, victim, what, clerk.key);
    expect(waiting.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const attack = () => again(victim, what, waiting.body, root);
    const refusal = { status: 403, reason: "REQUEST_NOT_AUTHORIZED" };
    await expectRefused(server, [victim.organizationId], attack, refusal);
    const told = await attack();
    expect(JSON.stringify(told)).toContain("use approve_activity");
    // Hiding the record does not make them a request of the root user either.
    const records = [await documentOf(server, victim.organizationId)];
    expect(
      knock(server, { endpoint: what.endpoint, body: waiting.body, key: root.key, records }),
    ).toEqual({ kind: "waits" });
    const approved = await perform(
      server,
      victim,
      approve(waiting.activity?.fingerprint ?? ""),
      root.key,
    );
    expect(approved.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    // Once it ended, they are still refused, and show the root user nothing of it.
    await expectRefused(server, [victim.organizationId], attack, refusal);
  });
});

describe("what refuses old requests", () => {
  test("an account that was deleted twice does not come back by its first bytes", async () => {
    const victim = await newVictim(server);
    const { walletId } = await newWallet(server, victim);
    const what = makeAccount(walletId);
    // The clock of the first client is four minutes ahead.
    const ahead = stampedAt(victim, what, 4 * 60_000);
    await sendAs(victim, what, ahead);
    await deleteAccount(victim, walletId);
    server.clock.offsetMs += 1000;
    // Nobody makes the account again until all that was stamped before is too old.
    const second = await ask(server, victim, what);
    expect(second).toMatchObject({ status: 400, reason: "TIMESTAMP_OUT_OF_RANGE" });
    server.clock.offsetMs += 5 * 60_000;
    await perform(server, victim, what);
    await deleteAccount(victim, walletId);
    expect(await knockForAccount(victim, walletId, ahead)).toMatchObject(outOfRange);
  });

  test("a deleted account does not come back by the bytes of a record that the host hid", async () => {
    const victim = await newVictim(server);
    const { walletId } = await newWallet(server, victim);
    const what = makeAccount(walletId);
    // The clock of the first client is four minutes ahead, and the second one makes the account at the same place.
    const ahead = stampedAt(victim, what, 4 * 60_000);
    expect(await knockForAccount(victim, walletId, ahead)).toMatchObject({ kind: "proposal" });
    server.clock.offsetMs += 1000;
    await perform(server, victim, what);
    await deleteAccount(victim, walletId);
    for (const minutes of [0, 3, 2]) {
      server.clock.offsetMs += minutes * 60_000;
      expect(await knockForAccount(victim, walletId, ahead)).toMatchObject(outOfRange);
    }
  });

  test("a second log-out refuses what the first one refused", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const logOut: Ask = {
      endpoint: "log_out_everywhere",
      type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
      parameters: { userId: root.userId },
    };
    const login: Ask = {
      endpoint: "stamp_login",
      type: "ACTIVITY_TYPE_STAMP_LOGIN",
      parameters: { publicKey: newKey().publicKey },
    };
    const body = stampedAt(victim, login, 3 * 60_000);
    // A client whose clock is ahead logs out, then one whose clock is right.
    await sendAs(victim, logOut, stampedAt(victim, logOut, 4 * 60_000));
    await perform(server, victim, logOut);
    const records = [await documentOf(server, victim.organizationId)];
    expect(knock(server, { endpoint: login.endpoint, body, key: root.key, records })).toMatchObject(
      { kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } },
    );
  });
});

async function newCouncil(): Promise<
  Record<"first" | "second" | "third", Person> & { victim: Victim }
> {
  const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
  const [first, second, third] = victim.people;
  if (!second || !third) throw new Error("three users were made");
  return { victim, first, second, third };
}

/** Waits for the second approval, which is given in a proposal that the host keeps. */
async function approvedInSecret(victim: Victim, what: Ask, records: Uint8Array[] = []) {
  const { body, activity } = await perform(server, victim, what);
  const before = await recordOf(
    server,
    "SELECT record FROM activities WHERE organization_id = $1::uuid AND activity_id = $2::uuid",
    [victim.organizationId, activity?.id],
  );
  const [, second] = victim.people;
  if (!second) throw new Error("two users were made");
  const kept = await vote(victim, body, second, before, records);
  expect(kept).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
  if (kept.kind !== "proposal") throw new Error("no proposal");
  return { kept, rejecting: reject(activity?.fingerprint ?? "") };
}

function isDocumentOf(bytes: Uint8Array, id: string) {
  const { type, organizationId } = readRecord(bytes).header;
  return type === "organization" && organizationId === id;
}

/** The sub-organization that a proposal makes. */
function idOfSub({ attachments, organizationId }: Proposal): string {
  const [id = ""] = attachments.flatMap((bytes) => {
    const { header } = readRecord(bytes);
    return header.organizationId === organizationId ? [] : header.organizationId;
  });
  return id;
}

async function agreeOnWallet(victim: Victim): Promise<{ walletId: string }> {
  const what = makeWallet();
  const { activity } = await perform(server, victim, what);
  const approval = approve(activity?.fingerprint ?? "");
  const done = await perform(server, victim, approval, victim.people[1]?.key);
  expect(done.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const [row] = await server.store.run(
    "",
    "SELECT wallet_id FROM wallets WHERE organization_id = $1::uuid",
    [victim.organizationId],
  );
  return { walletId: String(row?.wallet_id) };
}

const idsOf = ({ people }: Victim) => people.map(({ userId }) => userId);

/** Two users of the council do it. */
async function agree(victim: Victim, what: Ask) {
  const { activity } = await perform(server, victim, what);
  await perform(server, victim, approve(activity?.fingerprint ?? ""), victim.people[1]?.key);
}

/** Approves at the signer's door, with this record of the activity. */
async function vote(
  victim: Victim,
  body: string,
  { key }: Person,
  activity: Uint8Array,
  others: Uint8Array[] = [],
) {
  const what = approve(fingerprint(encodeUtf8(body)));
  const records = [await documentOf(server, victim.organizationId), activity, ...others];
  const approval = bytesOf(server, victim.organizationId, what);
  return knock(server, { endpoint: what.endpoint, body: approval, key, records });
}

/** The text of a request by a client whose clock is ahead. */
function stampedAt({ organizationId }: Victim, { type, parameters }: Ask, aheadMs: number) {
  const timestampMs = String(Date.now() + server.clock.offsetMs + aheadMs);
  return JSON.stringify({ type, timestampMs, organizationId, parameters });
}

function again(victim: Victim, what: Ask, body: string, by: Person = victim.people[0]) {
  return send(server, what.endpoint, body, stampOf(by.key, body));
}

async function sendAs(
  victim: Victim,
  what: Ask,
  body: string,
  key: TestKey = victim.people[0].key,
) {
  const reply = await send(server, what.endpoint, body, stampOf(key, body));
  expect(reply.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
}

const outOfRange = { kind: "error", error: { reason: "TIMESTAMP_OUT_OF_RANGE" } };

/** Brings a request for an account to the signer, and hides all accounts. */
async function knockForAccount(victim: Victim, walletId: string, body: string) {
  const records = [
    await documentOf(server, victim.organizationId),
    await recordOf(
      server,
      "SELECT record FROM wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid",
      [victim.organizationId, walletId],
    ),
  ];
  const { endpoint } = makeAccount(walletId);
  return knock(server, { endpoint, body, key: victim.people[0].key, records });
}

async function deleteAccount(victim: Victim, walletId: string) {
  const [row] = await server.store.run(
    "",
    "SELECT wallet_account_id FROM wallet_accounts WHERE organization_id = $1::uuid AND wallet_id = $2::uuid AND path = $3::text ORDER BY created_at_ms DESC",
    [victim.organizationId, walletId, ethereumAccount(1).path],
  );
  await perform(server, victim, {
    endpoint: "delete_wallet_accounts",
    type: "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS",
    parameters: { walletAccountIds: [row?.wallet_account_id], deleteWithoutExport: true },
  });
}
