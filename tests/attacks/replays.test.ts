import { newKey, type TestKey } from "@keyhearth/api/testing";
import { upcast } from "@keyhearth/engine/records/kind";
import { findUser, organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  approve,
  ask,
  bytesOf,
  deleteKey,
  documentOf,
  edit,
  expectAlarm,
  expectRefused,
  knock,
  makeSubOrganization,
  makeWallet,
  newVictim,
  newWallet,
  type Person,
  perform,
  putBack,
  recordOf,
  reject,
  resultOf,
  rowsOf,
  send,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// An attacker who controls the database has every request with its stamp. The attacker sends them
// again after hiding what they did or restoring an earlier state.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const executed = { status: 409, reason: "ACTIVITY_ALREADY_EXECUTED" };
const decided = {
  status: 503,
  reason: "STALE_RECORD",
  signerLog: /that the document does not list/,
};

describe("executed bytes whose activity is hidden", () => {
  test("create_wallet creates no second wallet", async () => {
    const victim = await newVictim(server);
    const { body } = await newWallet(server, victim);
    await hideActivities(victim);
    await expectRefused(server, [victim.organizationId], () => again(victim, makeWallet(), body), {
      ...executed,
    });
    expectAlarm(server, /ALARM.*executed, but it is not in the database/);
  });

  test("create_sub_organization creates no second organization and no second keys", async () => {
    const victim = await newVictim(server);
    const [owner, expiring] = [newKey(), newKey()];
    const what = makeSubOrganization(owner, expiring);
    const { body, ...reply } = await perform(server, victim, what);
    const result = resultOf(reply, "createSubOrganizationResultV7");
    const subOrganizationId = String(result.subOrganizationId);
    await hideActivities(victim);
    const ids = [victim.organizationId, subOrganizationId];
    await expectRefused(server, ids, () => again(victim, what, body), executed);
    // Not even if everything that it created is hidden too.
    for (const table of Object.keys(await rowsOf(server, subOrganizationId))) {
      const text = `DELETE FROM ${table} WHERE organization_id = $1::uuid`;
      await edit(server, text, [subOrganizationId]);
    }
    await expectRefused(server, ids, () => again(victim, what, body), executed);
  });

  test("sign_raw_payload returns the same signature", async () => {
    const victim = await newVictim(server);
    const { address } = await newWallet(server, victim);
    const what = sign(address);
    const { body, ...first } = await perform(server, victim, what);
    await hideActivities(victim);
    const second = await again(victim, what, body);
    expect(resultOf(second, "signRawPayloadResult")).toEqual(
      resultOf(first, "signRawPayloadResult"),
    );
  });

  test("create_api_keys does not bring back an expiring key that has since been deleted", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const stolen = newKey();
    const what = addKey(root, stolen, "86400");
    const { body, ...reply } = await perform(server, victim, what);
    const [apiKeyId = ""] = resultOf(reply, "createApiKeysResult").apiKeyIds as string[];
    await perform(server, victim, deleteKey(root, apiKeyId));
    await hideActivities(victim);
    const ids = [victim.organizationId];
    await expectRefused(server, ids, () => again(victim, what, body), executed);
    await expectRefused(server, ids, () => ask(server, victim, makeWallet("stolen"), stolen), {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
  });
});

describe("consensus that was rolled back", () => {
  test("a rejected activity is not executed from an older record", async () => {
    const { victim, second, third } = await newCouncil();
    const { fingerprint, waiting } = await start(victim, makeWallet());
    await perform(server, victim, reject(fingerprint), third.key);
    await rollBack(victim, waiting);
    const attack = () => ask(server, victim, approve(fingerprint), second.key);
    await expectRefused(server, [victim.organizationId], attack, decided);
    expectAlarm(server, /ALARM/);
    server.signer.restart();
    await expectRefused(server, [victim.organizationId], attack, decided);
  });

  test("an executed activity is not executed again from an older record", async () => {
    const { victim, second, third } = await newCouncil();
    const { fingerprint, waiting } = await start(victim, makeWallet());
    const { body } = await perform(server, victim, approve(fingerprint), second.key);
    await rollBack(victim, waiting);
    const attacks = [
      () => again(victim, approve(fingerprint), body, second),
      () => ask(server, victim, approve(fingerprint), third.key),
    ];
    for (const attack of attacks) {
      await expectRefused(server, [victim.organizationId], attack, decided);
    }
  });

  test("an approved signature is not approved again, and its bytes have to wait again", async () => {
    const { victim, second } = await newCouncil();
    const { address } = await newWalletOf(victim, second);
    const { fingerprint, waiting, body } = await start(victim, sign(address));
    const first = await perform(server, victim, approve(fingerprint), second.key);
    await rollBack(victim, waiting);
    const attack = () => ask(server, victim, approve(fingerprint), second.key);
    await expectRefused(server, [victim.organizationId], attack, decided);
    await hideActivities(victim);
    const repeated = await again(victim, sign(address), body);
    expect(repeated.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const approved = await perform(server, victim, approve(fingerprint), second.key);
    expect(resultOf(approved, "signRawPayloadResult")).toEqual(
      resultOf(first, "signRawPayloadResult"),
    );
  });

  test("an approved sub-organization is not created again from an older record", async () => {
    const { victim, second } = await newCouncil();
    const what = makeSubOrganization(newKey(), newKey());
    const { fingerprint, waiting, body } = await start(victim, what);
    const reply = await perform(server, victim, approve(fingerprint), second.key);
    const result = resultOf(reply, "createSubOrganizationResultV7");
    await rollBack(victim, waiting);
    const attack = () => ask(server, victim, approve(fingerprint), second.key);
    const ids = [victim.organizationId, String(result.subOrganizationId)];
    await expectRefused(server, ids, attack, decided);
    // Nor by its bytes, even if they are approved again.
    await hideActivities(victim);
    await again(victim, what, body);
    await expectRefused(server, ids, attack, executed);
  });

  test("an approved expiring key that was deleted does not come back", async () => {
    const { victim, first, second } = await newCouncil();
    const stolen = newKey();
    // Users add their own keys without consensus, so the first user requests a key for the second.
    const { fingerprint, waiting } = await start(victim, addKey(second, stolen, "86400"));
    const reply = await perform(server, victim, approve(fingerprint), second.key);
    const [apiKeyId = ""] = resultOf(reply, "createApiKeysResult").apiKeyIds as string[];
    await perform(server, victim, deleteKey(second, apiKeyId), second.key);
    await rollBack(victim, waiting);
    const attack = () => again(victim, approve(fingerprint), reply.body, second);
    await expectRefused(server, [victim.organizationId], attack, decided);
    expect(first.userId).not.toBe(second.userId);
  });

  test("an activity that failed does not succeed later from an older record", async () => {
    const { victim, first, second, third } = await newCouncil();
    const key = newKey();
    const { fingerprint, waiting } = await start(victim, addKey(second, key));
    // The third user registers the key first, so that the approved request fails.
    const own = await perform(server, victim, addKey(third, key), third.key);
    const [apiKeyId = ""] = resultOf(own, "createApiKeysResult").apiKeyIds as string[];
    const failed = await ask(server, victim, approve(fingerprint), second.key);
    expect(failed.activity?.status).toBe("ACTIVITY_STATUS_FAILED");
    await perform(server, victim, deleteKey(third, apiKeyId), third.key);
    await rollBack(victim, waiting);
    const attack = () => again(victim, approve(fingerprint), failed.body, second);
    await expectRefused(server, [victim.organizationId], attack, decided);
    expect(first.userId).toBe(victim.people[0].userId);
  });

  test("the vote of a credential that was removed does not count", async () => {
    const { victim, first, second, third } = await newCouncil();
    const lost = newKey();
    const added = await perform(server, victim, addKey(first, lost), first.key);
    const [apiKeyId = ""] = resultOf(added, "createApiKeysResult").apiKeyIds as string[];
    const body = bytesOf(server, victim.organizationId, makeWallet());
    const waiting = await send(server, "create_wallet", body, stampOf(lost, body));
    const fingerprint = waiting.activity?.fingerprint ?? "";
    await perform(server, victim, deleteKey(first, apiKeyId), first.key);
    const approved = await perform(server, victim, approve(fingerprint), second.key);
    expect(approved.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    const refusal = { status: 401, reason: "CREDENTIAL_NOT_FOUND" };
    const repeated = () => send(server, "create_wallet", body, stampOf(lost, body));
    await expectRefused(server, [victim.organizationId], repeated, refusal);
    const executes = await perform(server, victim, approve(fingerprint), third.key);
    expect(executes.activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
  });

  test("an approval that was replaced does not come back", async () => {
    const victim = await newVictim(server, { rootUsers: 3, threshold: 3 });
    const [, second] = victim.people;
    if (!second) throw new Error("three users were made");
    const { fingerprint } = await start(victim, makeWallet());
    const { body } = await perform(server, victim, approve(fingerprint), second.key);
    // Another key takes the place of the first one, and then the first one comes back.
    const other = newKey();
    await exchangeKey(victim, second, second.key, other);
    const replaced = await perform(server, victim, approve(fingerprint), other);
    expect(replaced.activity?.votes).toHaveLength(2);
    await exchangeKey(victim, second, other, second.key);
    const attack = () => again(victim, approve(fingerprint), body, second);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 400,
      reason: "TIMESTAMP_OUT_OF_RANGE",
    });
  });

  test("setting the clock back makes no old request valid again", async () => {
    const victim = await newVictim(server);
    const body = bytesOf(server, victim.organizationId, makeWallet());
    server.clock.offsetMs -= 60 * 60 * 1000;
    const attack = () => again(victim, makeWallet(), body);
    const backwards = {
      status: 503,
      reason: "CLOCK_BACKWARDS",
      signerLog: /refuses to work before that time/,
    };
    await expectRefused(server, [victim.organizationId], attack, backwards);
    server.signer.restart();
    await expectRefused(server, [victim.organizationId], attack, backwards);
    server.clock.offsetMs += 60 * 60 * 1000;
  });

  // It moves the clock a day ahead, so it must stay the last test here.
  test("a stamp from before the approval window closed is not a new approval", async () => {
    const { victim, first, second, third } = await newCouncil();
    const { fingerprint, body } = await start(victim, makeWallet());
    server.clock.offsetMs += 25 * 60 * 60 * 1000;
    const approved = await perform(server, victim, approve(fingerprint), second.key);
    expect(approved.activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    // The first user's request again is a poll and changes nothing.
    const polled = await again(victim, makeWallet(), body, first);
    expect(polled.activity?.votes).toEqual(approved.activity?.votes);
    // The third user's stamp on it, which the host held back until now.
    const attack = () => again(victim, makeWallet(), body, third);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 400,
      reason: "TIMESTAMP_OUT_OF_RANGE",
    });
    // The same directly at the signer, with the activity's record.
    const records = [
      await documentOf(server, victim.organizationId),
      await recordOf(
        server,
        "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
        [victim.organizationId, fingerprint],
      ),
    ];
    const vote = { endpoint: "create_wallet", body, records };
    expect(knock(server, { ...vote, key: first.key })).toEqual({ kind: "unchanged" });
    expect(knock(server, { ...vote, key: third.key })).toMatchObject({
      kind: "error",
      error: { reason: "TIMESTAMP_OUT_OF_RANGE" },
    });
  });
});

type Council = { victim: Victim; first: Person; second: Person; third: Person };

/** Three root users, of whom two must agree. */
async function newCouncil(): Promise<Council> {
  const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
  const [first, second, third] = victim.people;
  if (!second || !third) throw new Error("three users were made");
  return { victim, first, second, third };
}

/** Starts an activity that waits, and saves its rows. */
async function start(victim: Victim, what: Ask) {
  const { activity, body } = await perform(server, victim, what);
  expect(activity?.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const waiting = await rowsOf(server, victim.organizationId, ["activities"]);
  return { fingerprint: activity?.fingerprint ?? "", waiting, body };
}

/** Registers a key of the user and deletes another one. */
async function exchangeKey(victim: Victim, person: Person, from: TestKey, to: TestKey) {
  const record = readRecord(await documentOf(server, victim.organizationId));
  const user = findUser(upcast(organization, record), person.userId);
  const old = user?.apiKeys.find(({ credential }) => credential.publicKey === from.publicKey);
  await perform(server, victim, addKey(person, to), from);
  await perform(server, victim, deleteKey(person, old?.apiKeyId ?? ""), to);
}

async function newWalletOf(victim: Victim, second: Person) {
  const { fingerprint } = await start(victim, makeWallet());
  const reply = await perform(server, victim, approve(fingerprint), second.key);
  const { addresses } = resultOf(reply, "createWalletResult") as { addresses: [string] };
  return { address: addresses[0] };
}

/** Sends the same bytes again. */
function again(victim: Victim, what: Ask, body: string, by: Person = victim.people[0]) {
  return send(server, what.endpoint, body, stampOf(by.key, body));
}

/**
 * Removes the activities, as if there had been no request. Their receipts are already in a segment.
 */
async function hideActivities({ organizationId }: Victim) {
  for (const table of ["activities", "leaves"]) {
    await edit(server, `DELETE FROM ${table} WHERE organization_id = $1::uuid`, [organizationId]);
  }
}

/** Puts the activities back into the state in which they waited. */
async function rollBack(victim: Victim, waiting: Awaited<ReturnType<typeof rowsOf>>) {
  await hideActivities(victim);
  await putBack(server, victim.organizationId, "activities", waiting);
}
