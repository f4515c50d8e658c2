import { activities } from "@keyhearth/engine/activities/index";
import { addUser, startWaiting } from "@keyhearth/engine/organization.testing";
import { newName } from "@keyhearth/engine/policies/policies.testing";
import { activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { isPolicyChange } from "@keyhearth/policy/advice/changes";
import { adviseOnPolicies } from "@keyhearth/sdk/advice";
import { expect, test } from "vitest";
import { createLog, type Log } from "../observability/log.ts";
import { IN_READER } from "../reader/allowance.ts";
import { findActivity } from "../store/activities.ts";
import { findDocument, readDocumentsAt } from "../store/organizations.ts";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { collectWarnings } from "./warnings.ts";

const signing = () => ({
  policyName: newName(),
  effect: "EFFECT_ALLOW" as const,
  condition: "activity.action == 'SIGN'",
});

/** A root quorum of two, so that changes of policies wait. */
async function newPair() {
  const organization = await newOrganization();
  const second = await addUser(organization, "Second");
  const { root, userId } = organization;
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  return { ...organization, second };
}

/** An activity as it is stored, and the document that its first vote was read from. */
async function storedActivity({ server, organizationId }: TestOrganization, activityId: string) {
  const { db } = server.store;
  const stored = await findDocument(db, organizationId);
  const found = await findActivity(db, organizationId, activityId);
  if (!stored || !found) throw new Error("what was made is not there");
  const activity = upcast(activityKind, readRecord(found.bytes));
  const versions = activity.votes.map(({ documentVersion }) => documentVersion);
  const { value: before } = await readDocumentsAt(db, stored, versions).next();
  if (!before) throw new Error("no document of the vote");
  return { stored, activity, before };
}

/** A log that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  const log = createLog({ level: "warn", destination: { write: (line) => void lines.push(line) } });
  return { log, lines };
}

const warnOf = (log: Log) => log.warn.bind(log);

test("warnings cover every version of every activity that creates or changes policies, and no other", () => {
  const types = activities.flatMap(({ policy, versions }) =>
    policy.resource === "POLICY" && policy.action !== "DELETE" ? Object.keys(versions) : [],
  );
  expect(types).toHaveLength(6);
  for (const type of activities.flatMap(({ versions }) => Object.keys(versions))) {
    expect(isPolicyChange(type), type).toBe(types.includes(type));
  }
});

test("waiting policies have no id yet, and messages refer to them by their names", async () => {
  const { root, second } = await newPair();
  const allow = { ...signing(), condition: "wallet.id == 'w1'" };
  const deny = { policyName: "nobody", effect: "EFFECT_DENY" as const };
  const { id, fingerprint } = await startWaiting(root, "create_policies", {
    type: "ACTIVITY_TYPE_CREATE_POLICIES",
    parameters: { policies: [allow, deny] },
  });
  const { activity: waiting } = await root.getActivity({ activityId: id });
  const shadowed = waiting.warnings?.find(({ code }) => code === "allow-shadowed");
  expect(shadowed?.message).toContain("the DENY `nobody` covers everything");
  expect(new Set(waiting.warnings?.map(({ policyId }) => policyId))).toEqual(new Set([""]));

  const { activity } = await second.client.approveActivity({ fingerprint });
  const { policyIds = [] } = activity.result.createPoliciesResult ?? {};
  expect(new Set(activity.warnings?.map(({ policyId }) => policyId))).toEqual(new Set(policyIds));
  const codes = (each: typeof activity) => each.warnings?.map(({ code }) => code);
  expect(codes(activity)).toEqual(codes(waiting));
});

test("an activity still shows its warnings after the policies have changed", async () => {
  const { root } = await newOrganization();
  const { policyId, activity } = await root.createPolicy(signing());
  expect(activity.warnings?.map(({ code }) => code)).toContain("sign-unscoped");
  await root.updatePolicy({ policyId, policyCondition: "wallet.id == 'w1'" });
  await root.deletePolicy({ policyId });
  const again = await root.getActivity({ activityId: activity.id });
  expect(again.activity.warnings).toEqual(activity.warnings);
  const { activities: listed } = await root.listActivities();
  expect(listed.find(({ id }) => id === activity.id)?.warnings).toEqual(activity.warnings);
});

test("an approver who computes the warnings again gets the same ones as an honest host", async () => {
  const { root, second } = await newPair();
  const old = {
    policyName: "old",
    effect: "EFFECT_ALLOW",
    selectors: [{ subject: "activity.action", operator: "OPERATOR_EQUAL", target: "SIGN" }],
  };
  const { id } = await startWaiting(root, "create_policy", {
    type: "ACTIVITY_TYPE_CREATE_POLICY",
    parameters: old,
  });
  const { client } = second;
  const { activity } = await client.getActivity({ activityId: id });
  const { users } = await client.listUsers();
  const { policies } = await client.listPolicies();
  const { configs } = await client.getOrganizationConfigs();
  const known = { users, policies, rootQuorum: configs.quorum };
  const [advised] = adviseOnPolicies(
    { ...activity, warnings: [] } as typeof activity,
    known,
  ).policies;
  expect(advised?.warnings.map(({ code }) => code)).toContain("sign-unscoped");
  expect(activity.warnings).toEqual(advised?.warnings);
});

test("no document is read for activities that are not about policies", async () => {
  const organization = await newOrganization();
  const { activity: made } = await organization.root.createWallet({
    walletName: "w",
    accounts: [],
  });
  const { stored, activity } = await storedActivity(organization, made.id);
  const document = new Proxy(stored.document, {
    get() {
      throw new Error("the document was read");
    },
  });
  const { log, lines } = keptLog();
  const warnings = collectWarnings([activity], warnOf(log), IN_READER);
  for (const { documentVersion } of activity.votes) {
    await warnings.look({ version: documentVersion, document });
  }
  expect(warnings.of(activity)).toEqual([]);
  expect(lines).toEqual([]);
});

test("a failure to find warnings is logged, shows none, and does not affect other activities", async () => {
  const organization = await newOrganization();
  const { activity: made } = await organization.root.createPolicy(signing());
  const { activity, before } = await storedActivity(organization, made.id);
  const broken = { ...activity, votes: activity.votes.map((vote) => ({ ...vote, message: "{}" })) };
  const { log, lines } = keptLog();
  const warnings = collectWarnings([broken, activity], warnOf(log), IN_READER);
  await warnings.look(before);
  expect(warnings.of(broken)).toEqual([]);
  expect(warnings.of(activity)).toEqual(made.warnings);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("warnings about policies could not be computed");
});

test("the activities in one answer share one limit on work", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const parts = Array.from({ length: 200 }, (_, i) => `wallet.id == 'wallet ${i}'`);
  const condition = parts.join(" || ");
  await root.createPolicies({
    policies: Array.from({ length: 10 }, () => ({ ...signing(), condition })),
  });
  const { activity: made } = await root.createPolicy(signing());
  const { activity, before } = await storedActivity(organization, made.id);
  const many = Array.from({ length: 100 }, () => ({ ...activity }));
  const { log, lines } = keptLog();
  const warnings = collectWarnings(many, warnOf(log), IN_READER);
  await warnings.look(before);
  const found = many.map((each) => warnings.of(each).length > 0);
  expect(found.indexOf(true)).toBe(0);
  expect(found.filter(Boolean).length).toBeLessThan(10);
  expect(found.lastIndexOf(true)).toBe(found.indexOf(false) - 1);
  expect(lines).toEqual([]);
});
