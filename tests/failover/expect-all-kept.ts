import { exportReceipts, verifyReceipts } from "@keyhearth/sdk/crypto";
import pg from "pg";
import { expect } from "vitest";
import type { MixedLoad } from "./mixed-load.ts";

/**
 * What the clients of an organization were told is in the service, in the database and in the receipts, each activity once,
 * and nothing else is.
 */
export async function expectAllKept(load: MixedLoad, place: { url: string; databaseUrl: string }) {
  expect(load.surprises.slice(0, 5)).toEqual([]);
  await expectShown(load);
  await expectStored(load, place.databaseUrl);
  await expectProven(load, place.url);
}

async function expectShown({ root, told, present, absent }: MixedLoad) {
  const all = [...told.values()];
  for (let at = 0; at < all.length; at += 8) {
    await Promise.all(
      all.slice(at, at + 8).map(async ({ id, status, fingerprint, result }) => {
        const { activity } = await root.getActivity({ activityId: id });
        expect(activity).toMatchObject({ id, status, fingerprint, result });
      }),
    );
  }
  const [{ wallets }, { users }, { policies }] = await Promise.all([
    root.listWallets(),
    root.listUsers(),
    root.listPolicies(),
  ]);
  const listed = {
    wallet: wallets.map(({ walletId }) => walletId),
    user: users.map(({ userId }) => userId),
    policy: policies.map(({ policyId }) => policyId),
  };
  for (const kind of ["wallet", "user", "policy"] as const) {
    expect(listed[kind].toSorted()).toEqual([...present[kind]].toSorted());
    for (const id of absent[kind]) expect(listed[kind]).not.toContain(id);
  }
}

async function expectStored({ organizationId, told }: MixedLoad, databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT activity_id, fingerprint FROM activities WHERE organization_id = $1",
      [organizationId],
    );
    const byFingerprint = new Map(rows.map((row) => [row.fingerprint, row.activity_id]));
    // Each request is one activity, however often it was sent.
    expect(byFingerprint.size).toBe(rows.length);
    expect(rows.map(({ activity_id }) => activity_id).toSorted()).toEqual(
      [...told.keys()].toSorted(),
    );
  } finally {
    await client.end();
  }
}

/** The receipts are the signer's own statements: each version of an activity has one, however many signers decided. */
async function expectProven({ root, told }: MixedLoad, url: string) {
  const unsealed = async () => (await root.getReceipts({ limit: "1" })).unsealed;
  await expect.poll(unsealed, { timeout: 60_000 }).toBe(0);
  const facts = await (await fetch(`${url}/.well-known/keyhearth.json`)).json();
  const report = verifyReceipts(await exportReceipts(root), String(facts.quorumPublicKey));
  expect(report).toMatchObject({ valid: true, problems: [] });
  const versions = report.statements.map((each) => `${each.activityId} ${each.activityVersion}`);
  expect(new Set(versions).size).toBe(versions.length);
  const last = new Map(report.statements.map((each) => [each.activityId, each]));
  for (const each of report.statements) {
    const known = last.get(each.activityId);
    if (known && each.activityVersion > known.activityVersion) last.set(each.activityId, each);
  }
  const proven = [...last.values()].map(({ activityId, fingerprint, status }) => ({
    ...{ activityId, fingerprint, status },
  }));
  const expected = [...told.values()].map(({ id, fingerprint, status }) => ({
    ...{ activityId: id, fingerprint, status },
  }));
  const byId = (a: { activityId: string }, b: { activityId: string }) =>
    a.activityId.localeCompare(b.activityId);
  expect(proven.toSorted(byId)).toEqual(expected.toSorted(byId));
}
