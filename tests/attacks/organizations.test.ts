import { createSignup } from "@keyhearth/api/host/signup";
import { unitOf } from "@keyhearth/api/store/commit-unit";
import { appOf, fetchOf, newKey, rootOrganizationIdOf } from "@keyhearth/api/testing";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  apiKey,
  approve,
  ask,
  bytesOf,
  commit,
  documentOf,
  edit,
  expectLogged,
  expectRefused,
  knock,
  makePolicy,
  makeSubOrganization,
  makeWallet,
  newVictim,
  perform,
  proposalFor,
  putBack,
  recordOf,
  resultOf,
  rowsOf,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

let server: Attacked;
let rootId: string;

beforeAll(async () => {
  server = await startAttackedServer();
  rootId = await rootOrganizationIdOf(server);
});

afterAll(() => server.stop());

const unknown = { status: 400, reason: "ORGANIZATION_NOT_FOUND" };

function founding(key: { publicKey: string; privateKey: string }, organizationId = rootId) {
  return bytesOf(server, organizationId, {
    type: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    parameters: { organizationName: "attacker's", rootApiKey: apiKey(key) },
  });
}

function foundAtDoor(body: string, key: { publicKey: string; privateKey: string }): Proposal {
  const stamp = stampOf(key, body);
  const answer = knock(server, { endpoint: "create_organization", body, stamp, records: [] });
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  return answer;
}

const deletion = (organizationId: string): Ask => ({
  endpoint: "delete_organization",
  type: "ACTIVITY_TYPE_DELETE_ORGANIZATION",
  parameters: { organizationId, deleteWithoutExport: true },
});

const deletionOfChild: Ask = {
  endpoint: "delete_sub_organization",
  type: "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION",
  parameters: { deleteWithoutExport: true },
};

describe("signing up", () => {
  test("neither host nor stranger chooses the id of a new organization", async () => {
    const victim = await newVictim(server);
    const thief = newKey();
    const proposal = await proposalFor(server, victim, makeSubOrganization(newKey()));
    const proposedId = proposal.attachments
      .map((bytes) => readRecord(bytes).header)
      .find(({ type, organizationId }) => {
        return type === "organization" && organizationId !== victim.organizationId;
      })?.organizationId;
    if (proposedId === undefined) throw new Error("no sub-organization was proposed");
    for (const organizationId of [victim.organizationId, proposedId]) {
      const { organizationId: foundedId } = foundAtDoor(founding(thief, organizationId), thief);
      expect([victim.organizationId, proposedId]).not.toContain(foundedId);
    }
    // Over HTTP the id is not even accepted.
    const reply = await ask(
      server,
      { organizationId: victim.organizationId, people: [{ userId: "", key: thief }] },
      {
        endpoint: "create_organization",
        type: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
        parameters: { organizationName: "x", rootApiKey: apiKey(thief) },
      },
      thief,
    );
    expect(reply).toMatchObject({ status: 400 });
    await commit(server, proposal);
  });

  test("a replayed signup founds nothing, even if the host hides or deleted the organization", async () => {
    const key = newKey();
    const body = founding(key);
    const proposal = foundAtDoor(body, key);
    expect(await server.host.committer.commit(unitOf(proposal, null))).toBe(true);
    server.signer.handle({ call: "confirm", ticket: proposal.ticket ?? "" });
    const { organizationId } = proposal;
    const again = () => {
      const stamp = stampOf(key, body);
      return knock(server, { endpoint: "create_organization", body, stamp, records: [] });
    };
    const refused = {
      kind: "error",
      error: expect.objectContaining({ reason: "ACTIVITY_ALREADY_EXECUTED" }),
    };
    expect(again()).toEqual(refused);
    server.signer.restart();
    expect(again()).toEqual(refused);
    const owner: Victim = { organizationId, people: [{ userId: "", key }] };
    await perform(server, owner, deletion(organizationId));
    expect(again()).toEqual(refused);
    const reply = await send(server, "create_organization", body, stampOf(key, body));
    expect(reply).toMatchObject({ status: 409, reason: "ACTIVITY_ALREADY_EXECUTED" });
  });

  test("a stranger cannot register a key that somebody else holds", () => {
    const [victim, thief] = [newKey(), newKey()];
    const body = founding(victim);
    const stamp = stampOf(thief, body);
    const answer = knock(server, { endpoint: "create_organization", body, stamp, records: [] });
    expect(answer).toEqual({
      kind: "error",
      error: expect.objectContaining({ reason: "STAMP_INVALID" }),
    });
  });

  test("a flood of signups from one address stops after ten, and then creates nothing", async () => {
    const signup = createSignup({ isOpen: true, isLimited: true });
    const fetch = fetchOf(server.host, signup);
    const count = async () =>
      Number((await edit(server, "SELECT count(*) AS n FROM organizations", []))[0]?.n);
    const before = await count();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i++) {
      const key = newKey();
      const body = founding(key);
      const { value } = stampOf(key, body);
      const init = { method: "POST", body, headers: { "X-Stamp": value } };
      const reply = await fetch("http://x/public/v1/submit/create_organization", init);
      statuses.push(reply.status);
      if (reply.status === 429) expect(reply.headers.get("retry-after")).toBe("360");
    }
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(4).fill(429)]);
    expect((await count()) - before).toBe(10);
  });

  test("forged signups use up nothing of what others may create, in all or from their address", async () => {
    const signup = createSignup({ isOpen: true, isLimited: true });
    const fetch = fetchOf(server.host, signup);
    const create = async (by: ReturnType<typeof newKey>, registered = by) => {
      const body = founding(registered);
      const { value } = stampOf(by, body);
      const init = { method: "POST", body, headers: { "X-Stamp": value } };
      return (await fetch("http://x/public/v1/submit/create_organization", init)).status;
    };
    const left = () => signup.limits?.total.headers("", Date.now())["ratelimit-remaining"];
    for (let i = 0; i < 30; i++) expect(await create(newKey(), newKey())).toBe(401);
    expect(left()).toBe("1000");
    for (let i = 0; i < 10; i++) expect(await create(newKey())).toBe(200);
    expect(left()).toBe("990");
    expect(await create(newKey())).toBe(429);
  });

  test("forged signups from some addresses take no place that another address needs", async () => {
    const signup = createSignup({ isOpen: true, isLimited: true });
    let begun = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const askSigner: Attacked["host"]["askSigner"] = async (...asked) => {
      begun += 1;
      await released;
      return server.host.askSigner(...asked);
    };
    const clientAddress = (_: unknown, forwarded?: string) => forwarded ?? "";
    const app = appOf({ ...server.host, askSigner }, { signup, clientAddress });
    const create = async (address: string, by = newKey(), registered = by) => {
      const body = founding(registered);
      const headers = { "X-Stamp": stampOf(by, body).value, "X-Forwarded-For": address };
      const path = "http://x/public/v1/submit/create_organization";
      return app.request(path, { method: "POST", body, headers });
    };
    const forged = Array.from({ length: 64 }, (_, i) =>
      create(`192.0.2.${1 + (i % 16)}`, newKey(), newKey()),
    );
    await expect.poll(() => begun).toBe(64);
    const honest = create("198.51.100.7");
    await expect.poll(() => begun).toBe(65);
    const second = await create("198.51.100.7");
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({
      message: expect.stringContaining("your address is creating another one"),
    });
    release();
    expect((await honest).status).toBe(200);
    for (const each of await Promise.all(forged)) expect(each.status).toBe(401);
  });
});

describe("a deleted organization", () => {
  test("is not revived by an older document, its rows or a restart of the signer", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    await perform(server, victim, makeWallet());
    const older = await documentOf(server, organizationId);
    const saved = await rowsOf(server, organizationId);
    await perform(server, victim, deletion(organizationId));
    const knockWith = () => {
      const body = bytesOf(server, organizationId, makeWallet("again"));
      const stamp = stampOf(victim.people[0].key, body);
      return knock(server, { endpoint: "create_wallet", body, stamp, records: [older] });
    };
    const stale = { kind: "error", error: expect.objectContaining({ reason: "STALE_RECORD" }) };
    expect(knockWith()).toEqual(stale);
    server.signer.restart();
    const logged = server.events.length;
    expect(knockWith()).toEqual(stale);
    // Before the restart, another request could have just overtaken this one.
    expectLogged(server, logged, /is older than version/);
    const attachments = [older];
    expect(server.signer.handle({ call: "confirm", attachments })).toEqual(stale);

    for (const table of ["organizations", "lookups", "wallets", "wallet_accounts"]) {
      await putBack(server, organizationId, table, saved);
    }
    const attack = () => ask(server, victim, makeWallet("again"), victim.people[0].key);
    await expectRefused(server, [organizationId], attack, { status: 503, reason: "STALE_RECORD" });
  });

  test("takes no votes, even with the activity that waited for them", async () => {
    const victim = await newVictim(server, { rootUsers: 3, threshold: 2 });
    const { organizationId, people } = victim;
    const [, second] = people;
    if (!second) throw new Error("three root users");
    const waiting = await ask(server, victim, makeWallet(), people[0].key);
    const fingerprint = waiting.activity?.fingerprint ?? "";
    const asked = await ask(server, victim, deletion(organizationId), people[0].key);
    const activity = await recordOf(
      server,
      "SELECT record FROM activities WHERE organization_id = $1::uuid AND fingerprint = $2::text",
      [organizationId, fingerprint],
    );
    await perform(server, victim, approve(asked.activity?.fingerprint ?? ""), second.key);
    expect(await ask(server, victim, approve(fingerprint), second.key)).toMatchObject(unknown);
    // Even if the host brings the deleted document and the activity that waited.
    const body = bytesOf(server, organizationId, approve(fingerprint));
    const records = [await documentOf(server, organizationId), activity];
    const stamp = stampOf(second.key, body);
    expect(knock(server, { endpoint: "approve_activity", body, stamp, records })).toEqual({
      kind: "error",
      error: expect.objectContaining({ reason: "ORGANIZATION_NOT_FOUND" }),
    });
  });

  test("creates no sub-organization, and its proposals from before are not committed", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const proposal = await proposalFor(server, victim, makeSubOrganization(newKey()));
    const before = readRecord(await documentOf(server, organizationId));
    await perform(server, victim, deletion(organizationId));
    const unit = unitOf(proposal, upcast(organization, before));
    expect(await server.host.committer.commit(unit)).toBe(false);
    const { key } = victim.people[0];
    expect(await ask(server, victim, makeSubOrganization(newKey()), key)).toMatchObject(unknown);
  });
});

describe("a family", () => {
  test("a parent's user neither deletes a sub-organization nor sets its features", async () => {
    const victim = await newVictim(server);
    const child = await childOf(victim);
    const { key } = victim.people[0];
    for (const what of [
      deletionOfChild,
      deletion(child.organizationId),
      setFeature("FEATURE_NAME_EMAIL_AUTH"),
    ]) {
      const attack = () => ask(server, child, what, key);
      await expectRefused(server, [child.organizationId, victim.organizationId], attack, {
        status: 403,
        reason: "REQUEST_NOT_AUTHORIZED",
      });
    }
  });

  test("a user of one sub-organization does nothing in another, or in the parent", async () => {
    const victim = await newVictim(server);
    const [one, two] = [await childOf(victim), await childOf(victim)];
    const { key } = one.people[0];
    for (const target of [two, victim]) {
      for (const what of [deletionOfChild, setFeature("FEATURE_NAME_SMS_AUTH"), makeWallet()]) {
        const attack = () => ask(server, target, what, key);
        await expectRefused(server, [target.organizationId], attack, {
          status: 401,
          reason: "CREDENTIAL_NOT_FOUND",
        });
      }
    }
  });

  test("a key that two sub-organizations know deletes only the one that the bytes name", async () => {
    const victim = await newVictim(server);
    const key = newKey();
    const [one, two] = [await childOf(victim, key), await childOf(victim, key)];
    const body = bytesOf(server, one.organizationId, deletionOfChild);
    const stamp = stampOf(key, body);
    const records = [await documentOf(server, two.organizationId)];
    const answer = knock(server, { endpoint: "delete_sub_organization", body, stamp, records });
    expect(answer).toEqual({
      kind: "error",
      error: expect.objectContaining({ reason: "RECORD_REFUSED" }),
    });
    await perform(server, one, deletionOfChild);
    await perform(server, two, makeWallet());
  });
});

test("a policy that allows everything sets no feature, renames nothing and deletes nothing", async () => {
  const victim = await newVictim(server);
  const { organizationId } = victim;
  const thief = await addUser(server, victim);
  const clauses = { condition: "true", consensus: "true" };
  await perform(server, victim, makePolicy("everything", "EFFECT_ALLOW", clauses));
  for (const what of [
    setFeature("FEATURE_NAME_WEBAUTHN_ORIGINS", "https://evil.example"),
    {
      endpoint: "remove_organization_feature",
      type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
      parameters: { name: "FEATURE_NAME_WEBAUTHN_ORIGINS" },
    },
    {
      endpoint: "update_organization_name",
      type: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME",
      parameters: { organizationName: "evil" },
    },
    deletion(organizationId),
  ]) {
    const attack = () => ask(server, victim, what, thief.key);
    await expectRefused(server, [organizationId], attack, { status: 403, reason: "POLICY_DENIED" });
  }
});

async function childOf(victim: Victim, key = newKey()): Promise<Victim> {
  const reply = await perform(server, victim, makeSubOrganization(key));
  const { subOrganizationId } = resultOf(reply, "createSubOrganizationResultV7");
  return { organizationId: String(subOrganizationId), people: [{ userId: "", key }] };
}
