import { newKey } from "@keyhearth/api/testing";
import type { Answer } from "@keyhearth/engine/core/protocol";
import { codeOf, encryptCode, OTP_FEATURES } from "@keyhearth/engine/otps.testing";
import type { Hints } from "@keyhearth/signer/turns/fair-queue";
import { workerFor } from "@keyhearth/signer/workers/decide";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  ask,
  bytesOf,
  callOf,
  commit,
  deleteKey,
  documentOf,
  makePrivateKey,
  makeSubOrganization,
  makeWallet,
  newPrivateKey,
  newVictim,
  perform,
  recordOf,
  resultOf,
  setFeature,
  sign,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// A hostile host at a signer whose workers decide. It chooses which worker gets a frame, and when it confirms what.

const WORKERS = 2;
/** So little that a request can end a worker. */
const HEAP_MB = 38;
/** V8 collects again and again before it gives up, on a busy machine for half a minute. */
const ENDING_MS = 240_000;

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer({ signerWorkers: WORKERS, signerWorkerHeapMb: HEAP_MB });
});

afterAll(() => server?.stop());

test("one document decided by two workers at once has one successor", async () => {
  const victim = await newVictim(server);
  const document = await documentOf(server, victim.organizationId);
  const [one, other] = await Promise.all([
    send(victim, makeWallet("one"), { records: [document], hints: hintsFor(1, victim) }),
    send(victim, makeWallet("other"), { records: [document], hints: hintsFor(2, victim) }),
  ]);
  const [first, second] = [ticketOf(one), ticketOf(other)];
  expect(server.signer.handle({ call: "confirm", ticket: first })).toEqual({ kind: "confirmed" });
  expect(server.signer.handle({ call: "confirm", ticket: second })).toMatchObject({
    error: { reason: "STALE_RECORD", message: expect.stringContaining("forked") },
  });
  expect(server.events.at(-1)).toMatchObject({ event: "refused", reason: "STALE_RECORD" });
});

test("a signature that a worker makes while its key is deleted has no answer", async () => {
  const victim = await newVictim(server);
  const [root] = victim.people;
  const stolen = newKey();
  const added = await perform(server, victim, addKey(root, stolen));
  const [apiKeyId = ""] = resultOf(added, "createApiKeysResult").apiKeyIds as string[];
  const { privateKeyId } = await newPrivateKey(server, victim);
  const records = await recordsToSign(victim, privateKeyId);
  const signing = () =>
    send(victim, sign(privateKeyId), { key: stolen, records, hints: hintsFor(1, victim) });
  expect(await signing()).toMatchObject({ kind: "proposal" });

  const deletion = await send(victim, deleteKey(root, apiKeyId), {
    records: [await documentOf(server, victim.organizationId)],
    hints: hintsFor(2, victim),
  });
  // The worker has the request, and nothing that it says is heard before this thread is done.
  const underWay = signing();
  const ticket = ticketOf(deletion);
  expect(server.signer.handle({ call: "confirm", ticket })).toEqual({ kind: "confirmed" });
  expect(await underWay).toMatchObject({ kind: "error", error: { reason: "STALE_RECORD" } });
});

test("one request for a sub-organization at two workers makes it once", async () => {
  const victim = await newVictim(server);
  const what = makeSubOrganization(newKey());
  const body = bytesOf(server, victim.organizationId, what);
  const records = [await documentOf(server, victim.organizationId)];
  const [one, other] = await Promise.all(
    [1, 2].map((worker) => send(victim, what, { body, records, hints: hintsFor(worker, victim) })),
  );
  const tickets = [ticketOf(one), ticketOf(other)];
  // A third one is under way while the first is confirmed.
  const third = send(victim, what, { body, records, hints: hintsFor(1, victim) });
  const outcomes = tickets.map((ticket) => server.signer.handle({ call: "confirm", ticket }));
  expect(outcomes[0]).toEqual({ kind: "confirmed" });
  expect(outcomes[1]).toMatchObject({ error: { reason: "STALE_RECORD" } });
  const answer = await third;
  expect(answer).toMatchObject({ kind: "error" });
  expect(["STALE_RECORD", "ACTIVITY_ALREADY_EXECUTED"]).toContain(reasonOf(answer));
});

test("a frame that names another organization, or nonsense, is decided in the same way", async () => {
  const victim = await newVictim(server);
  const other = await newVictim(server);
  const old = await documentOf(server, victim.organizationId);
  await perform(server, victim, makeWallet("newer"));
  const current = await documentOf(server, victim.organizationId);
  const names = [other.organizationId, victim.organizationId, "", "no id at all", "../../marks"];
  for (const name of names) {
    const hints = { organizationId: name, familyId: name };
    expect(await send(victim, makePrivateKey(), { records: [current], hints })).toMatchObject({
      kind: "proposal",
      organizationId: victim.organizationId,
    });
    expect(await send(victim, makePrivateKey(), { records: [old], hints })).toMatchObject({
      error: { reason: "STALE_RECORD" },
    });
    const [{ key }] = other.people;
    expect(await send(victim, makePrivateKey(), { key, records: [current], hints })).toMatchObject({
      error: { reason: "CREDENTIAL_NOT_FOUND" },
    });
  }
});

test("a proposal that nobody confirmed decides nothing at any worker", async () => {
  const victim = await newVictim(server);
  const document = await documentOf(server, victim.organizationId);
  const [root] = victim.people;
  const mine = newKey();
  const added = await send(victim, addKey(root, mine), {
    records: [document],
    hints: hintsFor(1, victim),
  });
  if (added.kind !== "proposal") throw new Error("no proposal");
  const [, next = new Uint8Array()] = added.attachments;
  for (const worker of [1, 2]) {
    const hints = hintsFor(worker, victim);
    const answer = await send(victim, makePrivateKey(), { key: mine, records: [next], hints });
    expect(answer).toEqual({ kind: "unconfirmed" });
  }
});

test(
  "a worker that dies between a decision and its confirmation changes nothing of either",
  async () => {
    const victim = await newVictim(server);
    const attacker = await newVictim(server);
    const document = await documentOf(server, victim.organizationId);
    const what = makeWallet("decided before");
    const proposal = await send(victim, what, { records: [document], hints: hintsFor(1, victim) });
    if (proposal.kind !== "proposal") throw new Error("no proposal");

    const killing = await endWorker(attacker, 1);
    expect(killing).toMatchObject({ kind: "error", error: { reason: "SIGNER_UNAVAILABLE" } });
    expect(server.events).toContainEqual({
      event: "a request ended a worker of the signer",
      organizationId: nameFor(1),
    });
    await commit(server, proposal);
    const { ticket } = proposal;
    expect(server.signer.handle({ call: "confirm", ticket: String(ticket) })).toMatchObject({
      error: { reason: "CONFLICT" },
    });
    // The next worker knows what was confirmed, and so does the other one.
    for (const worker of [1, 2]) {
      const hints = hintsFor(worker, victim);
      expect(await send(victim, makeWallet("old"), { records: [document], hints })).toMatchObject({
        error: { reason: "STALE_RECORD" },
      });
    }
    await ask(server, victim, makeWallet("decided after"));
  },
  ENDING_MS,
);

test(
  "ending workers gives no more attempts at a code",
  async () => {
    const victim = await newVictim(server);
    const attacker = await newVictim(server);
    for (const name of OTP_FEATURES) await perform(server, victim, setFeature(name));
    const reply = await perform(server, victim, {
      endpoint: "init_otp",
      type: "ACTIVITY_TYPE_INIT_OTP_V3",
      parameters: { otpType: "OTP_TYPE_EMAIL", contact: "ada@example.com", appName: "Example" },
    });
    const { otpId, otpEncryptionTargetBundle } = resultOf(reply, "initOtpResultV2");
    const guess = (code: string) =>
      ask(server, victim, {
        endpoint: "verify_otp",
        type: "ACTIVITY_TYPE_VERIFY_OTP_V2",
        parameters: {
          otpId,
          encryptedOtpBundle: encryptCode(
            code,
            String(otpEncryptionTargetBundle),
            newKey().publicKey,
          ),
        },
      });
    const refusals = [];
    for (const code of ["AAAAAAAA1", "AAAAAAAA2", "AAAAAAAA3"]) {
      const { message } = await guess(code);
      refusals.push(message);
      if (code !== "AAAAAAAA1") continue;
      const own = { call: "renew" as const, attachments: [] };
      const worker = workerFor(own, victim.organizationId, WORKERS);
      expect(await endWorker(attacker, worker, "codes")).toMatchObject({ kind: "error" });
    }
    expect(refusals).toEqual([
      expect.stringContaining("attempts left at this code: 2"),
      expect.stringContaining("attempts left at this code: 1"),
      expect.stringContaining("locked after 3 wrong attempts"),
    ]);
    const code = await codeOf(server, victim.organizationId, String(otpId));
    expect((await guess(code)).message).toContain("locked");
  },
  ENDING_MS,
);

test(
  "an organization that ends a worker twice is refused, and the others go on",
  async () => {
    const attacker = await newVictim(server);
    const bystander = await newVictim(server);
    const { privateKeyId } = await newPrivateKey(server, bystander);
    const records = await recordsToSign(bystander, privateKeyId);
    const hints = { organizationId: attacker.organizationId, familyId: attacker.organizationId };
    const worker = workerFor({ call: "renew", attachments: [] }, hints.organizationId, WORKERS);
    for (let death = 0; death < 2; death += 1) {
      const [killing, ...others] = await Promise.all([
        send(attacker, makeWallet("unused"), { ...(await killer(attacker)), hints }),
        ...Array.from({ length: 40 }, (_, index) =>
          send(bystander, sign(privateKeyId), {
            records,
            hints: hintsFor(1 + (index % WORKERS), bystander),
          }),
        ),
      ]);
      expect(killing).toMatchObject({ error: { reason: "SIGNER_UNAVAILABLE" } });
      for (const other of others) expect(other).toMatchObject({ kind: "proposal" });
    }
    const refused = await send(attacker, makeWallet("after"), {
      records: [await documentOf(server, attacker.organizationId)],
      hints,
    });
    expect(refused).toMatchObject({
      error: {
        message: expect.stringContaining("more than once at requests of this organization"),
      },
    });
    const other = await send(bystander, sign(privateKeyId), {
      records,
      hints: hintsFor(worker, bystander),
    });
    expect(other).toMatchObject({ kind: "proposal" });
  },
  ENDING_MS,
);

type Sending = {
  key?: Victim["people"][0]["key"];
  body?: string;
  records: Uint8Array[];
  hints: Hints;
};

function send(victim: Victim, what: Ask, sending: Sending): Promise<Answer> {
  const { key = victim.people[0].key, records, hints } = sending;
  const { body = bytesOf(server, victim.organizationId, what) } = sending;
  const call = callOf({ endpoint: what.endpoint, body, key, records });
  return server.signer.answer(call, hints);
}

/** A name that leads to this worker. */
function nameFor(worker: number, by = "name"): string {
  const call = { call: "renew" as const, attachments: [] };
  for (let number = 0; ; number += 1) {
    if (workerFor(call, `${by} ${number}`, WORKERS) === worker) return `${by} ${number}`;
  }
}

/** The worker is shown what is the newest of this family. */
function hintsFor(worker: number, { organizationId: familyId }: Victim): Hints {
  return { organizationId: nameFor(worker), familyId };
}

/** So many values in one request, in small pieces: V8 ends the whole process if one large piece does not fit. */
async function killer({ organizationId }: Victim) {
  const piece = `[${"{},".repeat(500)}{}]`;
  const body = `{"parameters":[${`${piece},`.repeat(650)}${piece}]}`;
  return { body, records: [await documentOf(server, organizationId)] };
}

/** Each under another name, so that the first death by each is an accident. */
async function endWorker(attacker: Victim, worker: number, by?: string): Promise<Answer> {
  const hints = { ...hintsFor(worker, attacker), organizationId: nameFor(worker, by) };
  return send(attacker, makeWallet("unused"), { ...(await killer(attacker)), hints });
}

async function recordsToSign(victim: Victim, privateKeyId: string): Promise<Uint8Array[]> {
  const document = await documentOf(server, victim.organizationId);
  const key = await recordOf(
    server,
    "SELECT record FROM private_keys WHERE organization_id = $1::uuid AND private_key_id = $2::uuid",
    [victim.organizationId, privateKeyId],
  );
  return [document, key];
}

function ticketOf(answer: Answer | undefined): string {
  if (answer?.kind === "proposal" && answer.ticket !== null) return answer.ticket;
  throw new Error(`no ticket: ${JSON.stringify(answer)}`);
}

function reasonOf(answer: Answer): string {
  return answer.kind === "error" ? answer.error.reason : answer.kind;
}
