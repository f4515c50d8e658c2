import { createCache } from "@keyhearth/api/documents/cache";
import { unitOf } from "@keyhearth/api/store/commit-unit";
import { newKey } from "@keyhearth/api/testing";
import { activityNamed } from "@keyhearth/engine/activities/index";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { organization } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Attacked,
  approve,
  ask,
  bytesOf,
  documentOf,
  edit,
  forge,
  knock,
  makeWallet,
  newVictim,
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

// Here the result of create_wallet is secret, because it is easy to recognize. A hostile API wants
// to know it without the change taking effect.

let server: Attacked;
const declaration = activityNamed("create_wallet");

beforeAll(async () => {
  // A worker would have a declaration of its own.
  server = await startAttackedServer({ signerWorkers: 1 });
  declaration.answer = { secret: "always" };
});

afterAll(async () => {
  declaration.answer = {};
  await server?.stop();
});

function confirm(...attachments: Uint8Array[]) {
  return server.signer.handle({ call: "confirm", attachments });
}

const sealed = (answer: ReturnType<typeof confirm>) =>
  expect(answer).toMatchObject({
    kind: "error",
    error: { reason: expect.stringMatching(/RECORD_REFUSED|STALE_RECORD/) },
  });

function isReadable(bytes: Uint8Array[]): boolean {
  return bytes.some((each) => Buffer.from(each).includes('"addresses"'));
}

/** The activity and the document of a proposal. */
function partsOf(proposal: Proposal) {
  return {
    activity: writtenBy(proposal, "activity"),
    document: writtenBy(proposal, "organization"),
  };
}

test("a secret result is in the answer to the client, and not in the proposal or the database", async () => {
  const victim = await newVictim(server);
  const proposal = await proposalFor(server, victim, makeWallet("proposed"));
  expect(isReadable([partsOf(proposal).activity])).toBe(false);
  const reply = await perform(server, victim, makeWallet("done"));
  expect(resultOf(reply, "createWalletResult")).toMatchObject({ addresses: [expect.any(String)] });
  const stored = await recordOf(
    server,
    "SELECT record FROM activities WHERE organization_id = $1::uuid AND activity_id = $2::uuid",
    [victim.organizationId, reply.activity?.id],
  );
  expect(isReadable([stored])).toBe(false);
});

test("a secret result is released only with the document of its own proposal, which then stands", async () => {
  const victim = await newVictim(server);
  const old = await documentOf(server, victim.organizationId);
  const mine = await proposalFor(server, victim, makeWallet("mine"));
  // The same bytes again: another proposal, with other keys and another document.
  const shadow = await proposalFor(server, victim, makeWallet("mine"), { body: mine.body });
  const { activity, document } = partsOf(mine);
  const other = partsOf(shadow);

  sealed(confirm(activity));
  sealed(confirm(old, activity));
  sealed(confirm(activity, other.activity, document));
  expect(server.signer.handle({ call: "confirm", ticket: mine.ticket ?? "" })).toEqual({
    kind: "confirmed",
  });
  sealed(confirm(document, other.activity));
  sealed(confirm(other.document, other.activity));
  sealed(confirm(document, other.document, other.activity));
  expect(confirm(document, activity)).toMatchObject({
    kind: "confirmed",
    result: { walletId: expect.any(String), addresses: [expect.any(String)] },
  });
  // The document that released it is the one that decides now.
  const body = bytesOf(server, victim.organizationId, makeWallet("next"));
  const asked = (records: Uint8Array[]) =>
    knock(server, { endpoint: "create_wallet", body, key: victim.people[0].key, records });
  expect(asked([old])).toMatchObject({ kind: "error", error: { reason: "STALE_RECORD" } });
  expect(asked([document])).toMatchObject({ kind: "proposal" });
});

test("a call that releases nothing confirms nothing either", async () => {
  const victim = await newVictim(server);
  const old = await documentOf(server, victim.organizationId);
  const [mine, other] = [
    await proposalFor(server, victim, makeWallet("mine")),
    await proposalFor(server, victim, makeWallet("other")),
  ];
  sealed(confirm(partsOf(mine).document, partsOf(other).activity));
  const body = bytesOf(server, victim.organizationId, makeWallet("next"));
  const key = victim.people[0].key;
  const ask = (document: Uint8Array) =>
    knock(server, { endpoint: "create_wallet", body, key, records: [document] });
  expect(ask(partsOf(mine).document)).toEqual({ kind: "unconfirmed" });
  expect(ask(old)).toMatchObject({ kind: "proposal" });
});

test("a secret result does not open for an edited activity, or in another organization", async () => {
  const [victim, thief] = [await newVictim(server), await newVictim(server)];
  const mine = await proposalFor(server, victim, makeWallet("mine"));
  const theirs = await proposalFor(server, thief, makeWallet("theirs"));
  const { activity } = partsOf(mine);
  const { document } = partsOf(theirs);
  const forged = forge<ActivityRecord>(activity, ({ body }) => {
    if (body.sealedResult) body.sealedResult.documentDigest = recordDigest(document);
  });
  sealed(confirm(document, forged));
  sealed(confirm(document, activity));
});

test("a secret result whose confirmation was lost is in the answer to the same bytes", async () => {
  const victim = await newVictim(server);
  const what = makeWallet("lost");
  const proposal = await proposalFor(server, victim, what);
  await commitWithoutWord(victim, proposal);
  server.signer.restart();
  const again = () =>
    send(server, what.endpoint, proposal.body, stampOf(victim.people[0].key, proposal.body));
  const reply = await again();
  expect(resultOf(reply, "createWalletResult")).toMatchObject({ addresses: [expect.any(String)] });
  // Also after other changes of the document.
  for (const name of ["a", "b", "c"]) await perform(server, victim, makeWallet(name));
  expect(await again()).toMatchObject({ activity: { result: reply.activity?.result } });
});

test("documents that do not lead to the marked one release nothing", async () => {
  const victim = await newVictim(server);
  const proposal = await proposalFor(server, victim, makeWallet("one"));
  const { activity, document } = partsOf(proposal);
  await commitWithoutWord(victim, proposal);
  await perform(server, victim, makeWallet("two"));
  const second = await documentOf(server, victim.organizationId);
  await perform(server, victim, makeWallet("three"));
  const third = await documentOf(server, victim.organizationId);
  sealed(confirm(document, activity));
  sealed(confirm(document, third, activity));
  sealed(confirm(document, second, activity));
  sealed(confirm(third, activity));
  expect(confirm(third, document, second, activity)).toMatchObject({
    result: { addresses: [expect.any(String)] },
  });
});

test("a secret result that needs a second approval is released after that one", async () => {
  const council = await newVictim(server, { rootUsers: 2, threshold: 2 });
  const waiting = await perform(server, council, makeWallet("ours"));
  expect(waiting.activity?.result).toEqual({});
  const fingerprint = waiting.activity?.fingerprint ?? "";
  const reply = await ask(
    server,
    council,
    approve(fingerprint),
    council.people[1]?.key ?? newKey(),
  );
  expect(resultOf(reply, "createWalletResult")).toMatchObject({ addresses: [expect.any(String)] });
});

/** The host commits and is killed before it can confirm. */
async function commitWithoutWord({ organizationId }: Victim, proposal: Proposal) {
  const current = upcast(organization, readRecord(await documentOf(server, organizationId)));
  expect(await server.host.committer.commit(unitOf(proposal, current))).toBe(true);
  server.host.cache = createCache();
  await edit(server, "SELECT 1");
}
