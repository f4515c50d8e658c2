import { newKey } from "@keyhearth/api/testing";
import { FOUND_TYPE } from "@keyhearth/engine/records/activity";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Attacked,
  addKey,
  apiKey,
  ask,
  bytesOf,
  commit,
  deleteKey,
  edit,
  expectRefused,
  knock,
  makeSubOrganization,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  recordOf,
  resultOf,
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
