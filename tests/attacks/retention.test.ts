import { createRetention } from "@keyhearth/api/jobs/retain";
import { sealSegments } from "@keyhearth/api/jobs/seal-segments";
import { clientOf } from "@keyhearth/api/testing";
import { verifyReceipts } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Attacked,
  documentOf,
  edit,
  expectRefused,
  knock,
  newVictim,
  newWallet,
  send,
  stampOf,
  startAttackedServer,
} from "./attacker.ts";

// What an attacker who controls the database makes of the activities that an operator has deleted by their age.

const DAY_MS = 24 * 60 * 60 * 1000;

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

/** All that is older than a month goes, as it does in the background. */
async function deleteOld() {
  server.clock.offsetMs += 31 * DAY_MS;
  server.host.retention = {
    historyMs: 30 * DAY_MS,
    deliveriesMs: 7 * DAY_MS,
    feedbackMs: 365 * DAY_MS,
  };
  const round = createRetention(server.host);
  while ((await round()) === "again");
}

test("the bytes of a deleted activity start nothing, even if the host deletes what remembers them", async () => {
  const victim = await newVictim(server);
  const ids = [victim.organizationId];
  const { body } = await newWallet(server, victim);
  const { key } = victim.people[0];
  await deleteOld();
  const attack = () => send(server, "create_wallet", body, stampOf(key, body));
  await expectRefused(server, ids, attack, { status: 404, reason: "ACTIVITY_REMOVED" });

  await edit(server, "DELETE FROM removed_activities WHERE organization_id = $1::uuid", ids);
  await expectRefused(server, ids, attack, { status: 400, reason: "TIMESTAMP_OUT_OF_RANGE" });
  const records = [await documentOf(server, victim.organizationId)];
  expect(knock(server, { endpoint: "create_wallet", body, key, records })).toMatchObject({
    kind: "error",
    error: { reason: "TIMESTAMP_OUT_OF_RANGE" },
  });
});

test("a statement that replaces the one of a deleted activity does not verify", async () => {
  const victim = await newVictim(server);
  await newWallet(server, victim);
  await sealSegments(server.host);
  await deleteOld();
  const described = server.signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error(`unexpected answer: ${described.kind}`);
  const problems = async () => {
    const { receiptsFile } = await clientOf(
      server,
      victim.organizationId,
      victim.people[0].key,
    ).getReceipts({});
    return verifyReceipts(receiptsFile, described.quorumPublicKey).problems.map(({ code }) => code);
  };
  expect(await problems()).toEqual([]);
  await edit(
    server,
    "UPDATE removed_activities SET statement = replace(statement, 'COMPLETED', 'REJECTED') WHERE organization_id = $1::uuid",
    [victim.organizationId],
  );
  expect(await problems()).toContain("RECEIPT_PATH_INVALID");
});
