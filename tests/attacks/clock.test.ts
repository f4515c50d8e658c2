import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReadiness } from "@keyhearth/api/start/readiness";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { recordDigest } from "@keyhearth/engine/records/record";
import { acceptClock, openSigner, type Signer } from "@keyhearth/signer/signer";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  ask,
  bytesOf,
  documentOf,
  expectRefused,
  makePolicy,
  newVictim,
  perform,
  resultOf,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Somebody who answers for the time servers of the signer's machine, or a mistake there, sets its clock. Clocks are
// moved while the signer is stopped: what passes in a run of these tests has passed for the machine too.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

const nowMs = () => Date.now() + server.clock.offsetMs;

function setClock(byMs: number) {
  server.clock.offsetMs += byMs;
  server.signer.restart();
}

test("a clock that was set a year ahead decides nothing, and leaves nothing behind once it is right", async () => {
  const victim = await newVictim(server);
  setClock(365 * DAY);
  await expectRefused(
    server,
    [victim.organizationId],
    () => ask(server, victim, makePolicy("later", "EFFECT_ALLOW", {})),
    { status: 503, reason: "CLOCK_JUMPED", signerLog: /more than 30 days before/ },
  );
  expect(await createReadiness(server.host)()).toMatchObject({
    ready: false,
    reasons: ["the signer does not believe its clock; its log says what to do"],
  });
  const refused = async () =>
    (await server.host.metrics.render()).body.match(/^keyhearth_signer_clock_refused.*/m)?.[0];
  expect(await refused()).toBe("keyhearth_signer_clock_refused 1");
  setClock(-365 * DAY);
  expect(await createReadiness(server.host)()).toMatchObject({ ready: true, reasons: [] });
  expect(await refused()).toBe("keyhearth_signer_clock_refused 0");
  await perform(server, victim, makePolicy("now", "EFFECT_ALLOW", {}));
});

test("a time that was taken back makes no request run again, then or when the wrong time comes", async () => {
  const victim = await newVictim(server);
  const first = await perform(server, victim, policy("first"));
  setClock(20 * DAY);
  const wrongMs = nowMs();
  const second = await perform(server, victim, policy("second"));
  // Both are undone, and the document forgets the requests: they are too old by then.
  server.clock.offsetMs += 2 * 60 * MINUTE;
  for (const made of [first, second]) {
    const { policyId } = resultOf(made, "createPolicyResult");
    await perform(server, victim, {
      endpoint: "delete_policy",
      type: "ACTIVITY_TYPE_DELETE_POLICY",
      parameters: { policyId },
    });
  }
  const document = await documentOf(server, victim.organizationId);
  server.clock.offsetMs -= 20 * DAY + 2 * 60 * MINUTE - 10 * MINUTE;

  const stateDirectory = mkdtempSync(join(tmpdir(), "keyhearth-clock-"));
  cpSync(server.signer.stateDirectory, stateDirectory, { recursive: true });
  try {
    acceptClock(stateDirectory, new Date(nowMs()).toISOString(), { now: nowMs });
    const signer = openAt(stateDirectory, nowMs());
    const sentAgain = (body: string) => send(signer, victim, body, document);
    const spent = {
      kind: "error",
      error: {
        reason: "TIMESTAMP_OUT_OF_RANGE",
        message: expect.stringContaining("before its clock was set back"),
      },
    };
    expect(sentAgain(first.body)).toMatchObject(spent);
    expect(sentAgain(bytesOf(server, victim.organizationId, policy("new")))).toMatchObject({
      kind: "proposal",
    });
    signer.close();

    acceptClock(stateDirectory, new Date(wrongMs).toISOString(), { now: () => wrongMs });
    const later = openAt(stateDirectory, wrongMs + MINUTE);
    expect(send(later, victim, second.body, document)).toMatchObject(spent);
    later.close();
  } finally {
    rmSync(stateDirectory, { recursive: true });
    server.signer.restart();
  }
});

const policy = (name: string): Ask => makePolicy(name, "EFFECT_ALLOW", { condition: "false" });

function openAt(stateDirectory: string, ms: number): Signer {
  const machine = { now: () => ms, running: () => 0, up: () => 0 };
  return openSigner({ stateDirectory, mayCreate: false, machine, log() {} });
}

function send(signer: Signer, { people }: Victim, body: string, document: Uint8Array) {
  return signer.handle({
    call: "submit",
    endpoint: "create_policy",
    body: encodeUtf8(body),
    stamp: stampOf(people[0].key, body),
    records: [recordDigest(document)],
    attachments: [document],
  });
}
