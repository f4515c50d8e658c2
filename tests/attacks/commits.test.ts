import { createCache } from "@keyhearth/api/documents/cache";
import { unitOf } from "@keyhearth/api/store/commit-unit";
import { newKey, startTestServer, type TestKey } from "@keyhearth/api/testing";
import { FOUND_TYPE } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { type OrganizationDocument, organization } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Attacked,
  addKey,
  apiKey,
  approve,
  ask,
  bytesOf,
  commit,
  deleteKey,
  documentOf,
  edit,
  expectRefused,
  forge,
  knock,
  makeSubOrganization,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  recordOf,
  resultOf,
  send,
  stampOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// A hostile API gets proposals and decides which of them to commit. The records in the others carry
// the core's notarization too.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

describe("a proposal that was never committed", () => {
  test("does not bring back an expiring key that another proposal deleted", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const [stolen, other] = [newKey(), newKey()];
    const stolenId = await addExpiringKey(victim, root, stolen);
    const otherId = await addExpiringKey(victim, root, other);
    // The thief has another key deleted, and keeps the sessions record that the core wrote for it.
    const sessions = await sessionsOf(victim, root);
    const what = deleteKey(root, otherId);
    const proposal = await proposalFor(server, victim, what, { records: [sessions] });
    const shadow = writtenBy(proposal, "sessions");

    await perform(server, victim, deleteKey(root, stolenId));
    await edit(
      server,
      "UPDATE sessions SET record = $1::bytea, digest = $2::text WHERE organization_id = $3::uuid",
      [shadow, recordDigest(shadow), victim.organizationId],
    );
    const attack = () => ask(server, victim, makeWallet("stolen"), stolen);
    await expectRefused(server, [victim.organizationId], attack, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
  });

  test("gives nobody an expiring key, whatever is committed later", async () => {
    const victim = await newVictim(server);
    const [root] = victim.people;
    const [secret, other] = [newKey(), newKey()];
    const what = addKey(root, secret, "3600");
    const proposal = await proposalFor(server, victim, what);
    const shadow = writtenBy(proposal, "sessions");
    const attack = async () => {
      const body = bytesOf(server, victim.organizationId, makeWallet("secret"));
      const records = [await documentOf(server, victim.organizationId), shadow];
      return knock(server, { endpoint: "create_wallet", body, key: secret, records });
    };
    const refused = { kind: "error", error: { reason: "CREDENTIAL_NOT_FOUND" } };
    expect(await attack()).toMatchObject(refused);
    // Neither another change of the user's keys nor a second proposal for the same bytes lets it in.
    await addExpiringKey(victim, root, other);
    expect(await attack()).toMatchObject(refused);
    const sessions = await sessionsOf(victim, root);
    const again = { body: proposal.body, records: [sessions] };
    await commit(server, await proposalFor(server, victim, what, again));
    expect(await attack()).toMatchObject(refused);
    await ask(server, victim, makeWallet("known"), secret);
  });

  test("does not make the expiring key of a new user last longer", async () => {
    const own: Attacked = Object.assign(await startTestServer(), { lines: [] });
    try {
      const victim = await newVictim(own);
      const [owner, expiring] = [newKey(), newKey()];
      const what = makeSubOrganization(owner, expiring);
      const proposal = await proposalFor(own, victim, what);
      // The thief has the same request proposed later, and keeps the record of that proposal.
      own.clock.offsetMs += 50 * 60_000;
      const later = await proposalFor(own, victim, what, { body: proposal.body });
      await commit(own, proposal);
      const organizationId = idProposedBy(proposal.attachments, victim);
      const document = await documentOf(own, organizationId);
      const askWith = (sessions: Uint8Array) => {
        const body = bytesOf(own, organizationId, makeWallet("late"));
        const records = [document, sessions];
        return knock(own, { endpoint: "create_wallet", body, key: expiring, records });
      };
      expect(askWith(writtenBy(proposal, "sessions"))).toMatchObject({
        error: { reason: "CREDENTIAL_EXPIRED" },
      });
      expect(askWith(writtenBy(later, "sessions"))).toMatchObject({
        error: { reason: "CREDENTIAL_NOT_FOUND" },
      });
    } finally {
      await own.stop();
    }
  });

  test("does not let anybody else found the sub-organization that it proposes", async () => {
    const victim = await newVictim(server);
    const [owner, thief] = [newKey(), newKey()];
    const proposal = await proposalFor(server, victim, makeSubOrganization(owner));
    const subOrganizationId = idProposedBy(proposal.attachments, victim);

    const body = bytesOf(server, subOrganizationId, {
      type: FOUND_TYPE,
      parameters: {
        organizationName: "squatted",
        rootUserName: "thief",
        apiKey: apiKey(thief),
      },
    });
    const stamp = stampOf(thief, body);
    const founding = knock(server, { endpoint: "create_organization", body, stamp, records: [] });
    if (founding.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(founding)}`);
    expect(founding.organizationId).not.toBe(subOrganizationId);
    if (founding.ticket !== null) {
      server.signer.handle({ call: "confirm", ticket: founding.ticket });
    }

    // The honest proposal still makes the organization, and its owner still works there.
    await commit(server, proposal);
    const sub: Victim = { organizationId: subOrganizationId, people: [{ userId: "", key: owner }] };
    await perform(server, sub, makeWallet("mine"));
    const stolen = () => ask(server, sub, makeWallet("stolen"), thief);
    await expectRefused(server, [subOrganizationId], stolen, {
      status: 401,
      reason: "CREDENTIAL_NOT_FOUND",
    });
  });
});

describe("a document that the host has not confirmed", () => {
  test("decides nothing and moves no mark", async () => {
    const victim = await newVictim(server);
    const thief = newKey();
    const before = await documentOf(server, victim.organizationId);
    const shadow = await proposalFor(server, victim, addKey(victim.people[0], thief));
    const asked = askWith(victim, writtenBy(shadow, "organization"), thief);
    expect(asked).toEqual({ kind: "unconfirmed" });
    // The committed document still decides, and so does the one of an honest proposal after it.
    expect(askWith(victim, before, victim.people[0].key)).toMatchObject({ kind: "proposal" });
    await perform(server, victim, makeWallet("honest"));
    expect(askWith(victim, writtenBy(shadow, "organization"), thief)).toMatchObject({
      kind: "error",
      error: { reason: "STALE_RECORD" },
    });
  });

  test("makes no sub-organization, even after the signer restarts", async () => {
    const parent = await newVictim(server);
    const owner = newKey();
    const [one, two] = [
      await proposalFor(server, parent, makeSubOrganization(owner)),
      await proposalFor(server, parent, makeSubOrganization(owner)),
    ].map(({ attachments }) => {
      const organizationId = idProposedBy(attachments, parent);
      const document = attachments.find((bytes) => {
        const { type, ...header } = readRecord(bytes).header;
        return type === "organization" && header.organizationId === organizationId;
      });
      return {
        victim: { organizationId, people: [{ userId: "", key: owner }] } as Victim,
        document,
      };
    });
    if (!one?.document || !two?.document) throw new Error("no document was proposed");
    server.signer.restart();
    expect(askWith(one.victim, one.document, owner)).toEqual({ kind: "unconfirmed" });
    expect(askWith(one.victim, two.document, owner)).toEqual({ kind: "unconfirmed" });
  });

  test("is confirmed only if it follows the marked one, is newer and carries the core's tag", async () => {
    const victim = await newVictim(server);
    const { organizationId } = victim;
    const old = await documentOf(server, organizationId);
    const shadow = await proposalFor(server, victim, makeWallet("shadow"));
    await perform(server, victim, makeWallet("honest"));
    const wallet = writtenBy(shadow, "wallet");
    const honest = await documentOf(server, organizationId);
    const forged = forge<OrganizationDocument>(honest, ({ header }) => {
      header.version += 5;
    });
    for (const [attachments, reason] of [
      [[old], "STALE_RECORD"],
      [[writtenBy(shadow, "organization")], "STALE_RECORD"],
      [[honest, writtenBy(shadow, "organization")], "STALE_RECORD"],
      [[forged], "RECORD_REFUSED"],
      [[wallet], "RECORD_REFUSED"],
    ] as const) {
      const answer = server.signer.handle({ call: "confirm", attachments: [...attachments] });
      expect(answer).toMatchObject({ kind: "error", error: { reason } });
    }
    await perform(server, victim, makeWallet("still works"));
  });
});

describe("a confirmation that was lost after the commit", () => {
  test("is made up for by the next request, through any host, also after the signer restarts", async () => {
    const victim = await newVictim(server);
    for (const restart of [false, true]) {
      const what = makeWallet(`lost ${restart}`);
      const proposal = await proposalFor(server, victim, what);
      const document = upcast(
        organization,
        readRecord(await documentOf(server, victim.organizationId)),
      );
      expect(await server.host.committer.commit(unitOf(proposal, document))).toBe(true);
      // Here the process was killed.
      server.host.cache = createCache();
      if (restart) server.signer.restart();
      const reply = await send(
        server,
        what.endpoint,
        proposal.body,
        stampOf(victim.people[0].key, proposal.body),
      );
      expect(reply).toMatchObject({ status: 200, activity: { id: proposal.activity.activityId } });
      await perform(server, victim, makeWallet(`after ${restart}`));
    }
  });

  const whoseRequests = ["parent", "sub-organization"];
  test.each(whoseRequests)(
    "of a sub-organization that votes decided is made up for by the next request of the %s",
    async (next) => {
      const parent = await newVictim(server, { rootUsers: 2, threshold: 2 });
      const [, second] = parent.people;
      const owner = newKey();
      const waiting = await perform(server, parent, makeSubOrganization(owner));
      const { askSigner } = server.host;
      // The process is killed after the commit.
      server.host.askSigner = async (request) => {
        if (request.call === "confirm") throw new Error("the process ended here");
        return askSigner(request);
      };
      const approval = approve(waiting.activity?.fingerprint ?? "");
      try {
        const { status } = await ask(server, parent, approval, second?.key);
        expect(status).toBe(500);
      } finally {
        server.host.askSigner = askSigner;
      }
      server.host.cache = createCache();
      server.signer.restart();
      const [row] = await server.store.run(
        "",
        "SELECT organization_id FROM organizations WHERE parent_organization_id = $1::uuid",
        [parent.organizationId],
      );
      const organizationId = String(row?.organization_id);
      const sub: Victim = { organizationId, people: [{ userId: "", key: owner }] };
      if (next === "parent") {
        await perform(server, parent, makeWallet());
        // The signer knows it by the parent's document alone.
        const document = await documentOf(server, organizationId);
        expect(askWith(sub, document, owner)).toMatchObject({ kind: "proposal" });
      }
      await perform(server, sub, makeWallet("works"));
    },
  );

  test("does not fail the request whose ticket the signer has forgotten", async () => {
    const victim = await newVictim(server);
    const { askSigner } = server.host;
    let restarts = 0;
    server.host.askSigner = (request) => {
      if (request.call === "confirm" && "ticket" in request) {
        server.signer.restart();
        restarts += 1;
      }
      return askSigner(request);
    };
    await perform(server, victim, makeWallet());
    await perform(server, victim, makeSubOrganization(newKey()));
    server.host.askSigner = askSigner;
    expect(restarts).toBe(2);
  });
});

/** Asks for a wallet with this document as the newest. */
function askWith({ organizationId }: Victim, document: Uint8Array, key: TestKey) {
  const what = makeWallet("asked");
  const body = bytesOf(server, organizationId, what);
  return knock(server, { endpoint: what.endpoint, body, key, records: [document] });
}

async function addExpiringKey(victim: Victim, person: Person, key: ReturnType<typeof newKey>) {
  const reply = await perform(server, victim, addKey(person, key, "3600"));
  const [apiKeyId = ""] = resultOf(reply, "createApiKeysResult").apiKeyIds as string[];
  return apiKeyId;
}

function sessionsOf({ organizationId }: Victim, { userId }: Person) {
  const text =
    "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid";
  return recordOf(server, text, [organizationId, userId]);
}

/** The id of the organization that a proposal makes beside the victim's own document. */
function idProposedBy(attachments: Uint8Array[], { organizationId }: Victim): string {
  const headers = attachments.map((bytes) => readRecord(bytes).header);
  const found = headers.find((each) => {
    return each.type === "organization" && each.organizationId !== organizationId;
  });
  if (!found) throw new Error("the proposal makes no organization");
  return found.organizationId;
}
