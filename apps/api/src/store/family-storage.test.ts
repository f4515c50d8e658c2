import { randomBytes } from "node:crypto";
import { addUser, ethereumAccount, startWaiting } from "@keyhearth/engine/organization.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pruneSome } from "../jobs/prune.ts";
import { sealSegments } from "../jobs/seal-segments.ts";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { createCommitter } from "./commit.ts";
import { newUnit } from "./commit-unit.testing.ts";
import type { CommitUnit } from "./commit-unit.ts";
import { deleteOldDenials } from "./denials.ts";
import { findStoredBytes, listLargestFamilies } from "./family-storage.ts";
import { readMigrations } from "./migrate.ts";
import { deleteExpiredOtps } from "./otps.ts";
import { claimSegment } from "./segments.ts";
import { deleteDoneDeliveries } from "./webhook-deliveries.ts";

let server: TestServer;
let organization: TestOrganization;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

/** The sums that the migration makes of what the tables hold, once everything was sealed. A later one adds errors. */
async function sumsOfRows(): Promise<Record<string, number>> {
  const [, select = ""] = migration("family-storage").match(/\n {2}(SELECT charged[^;]*);/) ?? [];
  const body = "coalesce(octet_length(body), 0)";
  const whole = select.replace(body, `${body} + octet_length(error::text)`);
  return sums(`SELECT * FROM (${whole}) AS t (organization_id, bytes)`);
}

const migration = (name: string) =>
  readMigrations().find((each) => each.name.endsWith(name))?.sql ?? "";

async function sums(text: string): Promise<Record<string, number>> {
  const rows = await server.store.run("", text, []);
  return Object.fromEntries(rows.map((row) => [String(row.organization_id), Number(row.bytes)]));
}

function familiesIn(bytes: Record<string, number>, subs: Record<string, number>) {
  return Object.fromEntries(Object.entries(bytes).filter(([id]) => !(id in subs)));
}

async function expectExact() {
  await sealSegments(server.host);
  const [stored, rows] = [await sums("SELECT * FROM organization_storage"), await sumsOfRows()];
  const subs = await sums(
    "SELECT organization_id, 0 AS bytes FROM organizations WHERE parent_organization_id IS NOT NULL",
  );
  expect(familiesIn(stored, subs)).toEqual(familiesIn(rows, subs));
  // Its first document is written, and charged, by its parent.
  for (const id of Object.keys(subs)) {
    expect(stored[id]).toBeLessThanOrEqual(rows[id] ?? 0);
    expect(stored[id]).toBeGreaterThan((rows[id] ?? 0) - 4096);
  }
}

const storedBy = async (familyId: string) => {
  await sealSegments(server.host);
  return findStoredBytes(server.store.db, familyId);
};

test("a family stores what the commits of all its organizations have written", async () => {
  organization = await newOrganization(server);
  const { root, organizationId } = organization;
  const key = newKey();
  const { publicKey } = key;
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "end user",
    rootUsers: [
      {
        userName: "end user",
        apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const endUser = clientOf(server, subOrganizationId, key);
  const { addresses } = await endUser.createWallet({
    walletName: "wallet",
    accounts: [ethereumAccount],
  });
  const before = await storedBy(organizationId);
  const payload = randomBytes(100_000).toString("hex");
  await endUser.signRawPayload({
    signWith: addresses[0] ?? "",
    payload,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_SHA256",
  });
  const after = await storedBy(organizationId);
  expect(after - before).toBeGreaterThan(payload.length);
  expect(after - before).toBeLessThan(1.5 * payload.length);
  const ofEndUser = await findStoredBytes(server.store.db, subOrganizationId);
  expect(ofEndUser).toBeGreaterThan(payload.length);
  expect(ofEndUser).toBeLessThan(after);
  expect(await listLargestFamilies(server.store, 20)).toEqual([{ organizationId, bytes: after }]);
  await expectExact();
});

test("a version of a document is charged as a whole only until it is a difference", async () => {
  const { root, organizationId } = organization;
  const notes = randomBytes(2000).toString("hex");
  const policy = { effect: "EFFECT_DENY", condition: "false", notes } as const;
  const { policyId } = await root.createPolicy({ policyName: "policy", ...policy });
  for (let i = 0; i < 10; i++) await root.updatePolicy({ policyId, policyName: `renamed ${i}` });
  const before = await storedBy(organizationId);
  while ((await pruneSome(server.host)).pruned > 0);
  expect(before - (await storedBy(organizationId))).toBeGreaterThan(8 * notes.length);
  await expectExact();
});

test("a delivery, a denial and a code count until they are removed", async () => {
  const { root, organizationId } = organization;
  server.host.webhookPrivateTargets = [{ target: "203.0.113.7", familyId: null }];
  for (const name of ["one", "two"]) {
    await root.createWebhookEndpoint({ url: "https://203.0.113.7/", name });
  }
  const clerk = await addUser(organization, "Clerk");
  await expect(clerk.client.createUserTag({ userTagName: "tag", userIds: [] })).rejects.toThrow();
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: "ada@example.com" } as const;
  await root.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  await root.initOtp({ appName: "Acme", ...contact });
  await expectExact();
  expect(await sums("SELECT organization_id, count(*) AS bytes FROM denials GROUP BY 1")).toEqual({
    [organizationId]: 1,
  });

  // As it was before errors counted.
  await server.store.run(
    "",
    `UPDATE organization_storage SET bytes = bytes - (SELECT sum(octet_length(error::text)) FROM denials)
     WHERE organization_id = $1::uuid`,
    [organizationId],
  );
  await server.store.run("", migration("sizes-of-denials"), []);
  await expectExact();

  const before = await storedBy(organizationId);
  await server.store.run("", "UPDATE webhook_deliveries SET state = 'delivered'", []);
  const later = Date.now() + 25 * 60 * 60 * 1000;
  await deleteDoneDeliveries(server.store, later, 1000);
  expect(await deleteExpiredOtps(server.store, later, 1000)).toBe(1);
  expect(before - (await storedBy(organizationId))).toBeGreaterThan(5 * 1024);
  await expectExact();

  await server.store.run("", "UPDATE denials SET created_at_ms = 0", []);
  await expect(clerk.client.createUserTag({ userTagName: "tag", userIds: [] })).rejects.toThrow();
  await expectExact();
  expect(await deleteOldDenials(server.store, { after: null, nowMs: later, limit: 10 })).not.toBe(
    null,
  );
  await expectExact();
  expect(await sums("SELECT organization_id, count(*) AS bytes FROM denials GROUP BY 1")).toEqual(
    {},
  );
});

test("a vote counts with the whole version that it writes", async () => {
  const voted = await newOrganization(server);
  const { root, organizationId, userId } = voted;
  const second = await addUser(voted, "Second");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const notes = randomBytes(2000).toString("hex");
  const waiting = await startWaiting(root, "create_policy", {
    type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
    parameters: { policyName: "p", effect: "EFFECT_ALLOW", condition: "true", notes },
  });
  const before = await storedBy(organizationId);
  await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  // The next document has the notes as well.
  expect((await storedBy(organizationId)) - before).toBeGreaterThan(2 * notes.length);
});

test("many commits and the sealers of several processes at once count each byte once", async () => {
  const { organizationId } = await newOrganization(server);
  const before = await storedBy(organizationId);
  const [row] = await server.store.run(
    "",
    "SELECT version, digest FROM organizations WHERE organization_id = $1::uuid",
    [organizationId],
  );
  const guard = { version: Number(row?.version), digest: String(row?.digest) };
  const committers = [createCommitter(server.store), createCommitter(server.store)];
  const units = Array.from({ length: 400 }, () => unitOf(organizationId, guard));
  const results = Promise.all(
    units.map((unit, index) => committers[index % 2]?.commit(unit) ?? false),
  );
  let isDone = false;
  const sealers = Array.from({ length: 3 }, async () => {
    while (!isDone) await claim(organizationId);
  });
  expect((await results).filter(Boolean)).toHaveLength(400);
  isDone = true;
  await Promise.all(sealers);
  for (let i = 0; i < 5; i++) await claim(organizationId);
  const after = await findStoredBytes(server.store.db, organizationId);
  expect(after - before).toBe(400 * (2 * 1024 + 5000));
});

test("the largest families are read from an index, in their order, and no sub-organization is among them", async () => {
  const { store } = server;
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  await store.run(
    "",
    `INSERT INTO organization_storage (organization_id, bytes, is_family)
     SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1e12 + n, n % 2 = 0
     FROM generate_series(1, 20000) AS n`,
    [],
  );
  expect(await listLargestFamilies(store, 3)).toEqual(
    [20000, 19998, 19996].map((n) => ({ organizationId: id(n), bytes: 1e12 + n })),
  );
  const asked: [name: string, text: string, values: unknown[]][] = [];
  const run = (...statement: (typeof asked)[number]) => {
    asked.push(statement);
    return Promise.resolve([]);
  };
  await listLargestFamilies({ run }, 20);
  const [[, text = "", values = []] = []] = asked;
  const plan = await store.run("", `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const shown = JSON.stringify(plan);
  expect(shown).toContain("organization_storage_of_families");
  expect(shown).not.toContain("Seq Scan");
  await store.run("", "DELETE FROM organization_storage WHERE bytes > 1e12", []);
});

/** A commit without the core, which writes an activity of 5,000 bytes. */
function unitOf(organizationId: string, guard: CommitUnit["guard"]): CommitUnit {
  const unit = newUnit({ organizationId, guard });
  return { ...unit, activity: { ...unit.activity, record: randomBytes(5000) } };
}

/** Claims a segment, and has it look signed, so that the next one can be claimed. */
async function claim(organizationId: string) {
  await claimSegment(server.store, organizationId, 100);
  await server.store.run(
    "",
    "UPDATE segments SET payload = '', signature = 'signed' WHERE organization_id = $1::uuid",
    [organizationId],
  );
}
