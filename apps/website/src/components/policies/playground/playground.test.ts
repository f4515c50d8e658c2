import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { completionsAt } from "@keyhearth/policy/advice/completion";
import { CLAUSES } from "@keyhearth/policy/ast";
import { pathsOf } from "@keyhearth/policy/schema";
import { expect, test } from "vitest";
import { explain, problemsOf, warningsOf } from "./explain.ts";
import { neat } from "./neat.ts";
import { attempt } from "./read-json.ts";
import { readPolicies, writePolicies } from "./read-policies.ts";
import { readRequest } from "./read-request.ts";
import { presets, samples } from "./samples.ts";
import { fragmentOf, readFragment } from "./share.ts";

test.each(presets)(
  "the preset $id has the outcome that it names",
  ({ policies, sample, outcome }) => {
    const problems = problemsOf(policies).flatMap((each) => Object.keys(each));
    if (outcome === "refused") return expect(problems).not.toEqual([]);
    expect(problems).toEqual([]);
    expect(explain(policies, readRequest(samples[sample])).decision.outcome).toBe(outcome);
  },
);

test.each(Object.entries(samples))(
  "the sample %s is decided by every set that compiles",
  (_, json) => {
    const request = readRequest(json);
    for (const { policies, outcome } of presets) {
      if (outcome !== "refused") explain(policies, request);
    }
  },
);

test("a DENY wins, and the deciding policies are named with their traces", () => {
  const denyWins = presets.find(({ id }) => id === "denyWins");
  const explained = explain(denyWins?.policies ?? [], readRequest(samples.rawPayload));
  expect(explained.decision).toMatchObject({
    outcome: "OUTCOME_DENY_EXPLICIT",
    reason: "policies",
  });
  expect(explained.deciding).toEqual([1]);
  expect(explained.policies.map(({ outcome }) => outcome)).toEqual([
    "OUTCOME_ALLOW",
    "OUTCOME_DENY_EXPLICIT",
  ]);
  const [trace] = explained.policies[1]?.traces ?? [];
  expect(trace).toMatchObject({ clause: "condition", value: true });
  expect(trace?.steps.map(({ start, end }) => trace.source.slice(start, end))).toContain(
    "activity.kind",
  );
});

test("the users who could complete an approval are named", () => {
  const fourEyes = presets.find(({ id }) => id === "fourEyes");
  const { needed } = explain(fourEyes?.policies ?? [], readRequest(samples.treasurerPayment));
  expect(needed.sets).toContainEqual(["bob"]);
});

test("integers of the request are exact", () => {
  const json = samples.payment.replace("5000000000000000000", "1000000000000000001");
  const [treasury] = presets;
  const { policies } = explain(treasury.policies, readRequest(json));
  const [, condition] = policies[0]?.traces ?? [];
  const values = [...(condition?.steps ?? []), ...(policies[0]?.traces[0]?.steps ?? [])];
  expect(values.map(({ value }) => value)).toContain("1000000000000000001");
});

test("warnings have the position of their policy", () => {
  const [treasury] = presets;
  const any = {
    ...treasury.policies[0],
    name: "any",
    effect: "EFFECT_ALLOW",
    consensus: "",
    condition: "true",
    time: "",
  } as const;
  const warnings = warningsOf([...treasury.policies, any]);
  expect(warnings.filter(({ position }) => position === 3).map(({ code }) => code)).toContain(
    "always-matches",
  );
});

test("policies are read as requests and answers have them, and written as create_policies takes them", () => {
  const [{ policies }] = presets;
  expect(readPolicies(writePolicies(policies))).toEqual(policies);
  const one = { effect: "EFFECT_ALLOW", policyName: "n", condition: "true", notes: "" };
  const read = [{ name: "n", effect: "EFFECT_ALLOW", condition: "true", consensus: "", time: "" }];
  for (const json of [one, [one], { policies: [one] }, { type: "x", parameters: one }]) {
    expect(readPolicies(JSON.stringify(json))).toEqual(read);
  }
  const listed = { ...one, policyId: "id", consensus: "", time: "", createdAt: {}, updatedAt: {} };
  expect(readPolicies(JSON.stringify({ policies: [listed] }))).toEqual(read);
});

test.each([
  ["", { kind: "syntax", code: "ValueExpected" }],
  ["{", { kind: "syntax", line: 1, column: 2 }],
  ['{"effect":"EFFECT_ALLOW","effect":"EFFECT_DENY"}', { kind: "twice", name: "effect" }],
  ["3", { kind: "must", expected: "object" }],
  ['{"effect":"ALLOW"}', { kind: "must", path: "effect", expected: "effect" }],
  ['[{"policyName":"x"}]', { kind: "missing", path: "[0]", name: "effect" }],
  ['{"effect":"EFFECT_DENY","conditon":"true"}', { kind: "unknown", name: "conditon" }],
  [
    '{"effect":"EFFECT_DENY","condition":true}',
    { kind: "must", path: "condition", expected: "text" },
  ],
  ['{"policies":{}}', { kind: "must", path: "policies", expected: "list" }],
  ["x".repeat(1_000_001), { kind: "large" }],
])("policies that are none: %s", (json, fault) => {
  expect(attempt(() => readPolicies(json))).toMatchObject({ fault });
});

const changed = (change: object) =>
  JSON.stringify({ ...JSON.parse(samples.deleteWallets), ...change });

test.each([
  ["{}", { kind: "missing", name: "users" }],
  [changed({ approvedBy: ["nobody"] }), { kind: "must", path: "approvedBy[0]", expected: "user" }],
  [changed({ approvedBy: [{ userId: "ada", credentialId: "x" }] }), { expected: "credential" }],
  [
    changed({ rootQuorum: { threshold: 0, userIds: [] } }),
    { path: "rootQuorum.threshold", expected: "positive" },
  ],
  [changed({ now: "today" }), { kind: "must", path: "now", expected: "instant" }],
  [changed({ ownCredentialChange: 1 }), { expected: "boolean" }],
  [changed({ users: [{ id: 1 }] }), { path: "users[0].id", expected: "text" }],
  [changed({ context: { walet: {} } }), { kind: "language", message: "there is no root walet" }],
  [
    changed({ context: { wallet: { id: 1 } } }),
    { kind: "language", message: "wallet.id is not string" },
  ],
  [changed({ more: 1 }), { kind: "unknown", name: "more" }],
])("a request that is none: %s", (json, fault) => {
  expect(attempt(() => readRequest(json))).toMatchObject({ fault });
});

const labels = (clause: (typeof CLAUSES)[number], before: string) =>
  completionsAt(clause, before)?.options.map(({ label }) => label) ?? [];

test("every path of the language can be completed step by step", () => {
  for (const clause of CLAUSES) {
    for (const path of pathsOf(clause)) {
      const [last = "", ...parents] = path.split(".").reverse();
      if (path.startsWith("activity.params.")) continue;
      const before = parents.length > 0 ? `${parents.reverse().join(".")}.` : "true && ";
      expect(labels(clause, before), path).toContain(last);
    }
  }
});

test("completion knows variables, lists, parameters and the words of activities", () => {
  expect(labels("consensus", "approvers.any(user, user.")).toContain("tags");
  expect(labels("consensus", "approvers.any(user, user.tags.")).toContain("contains");
  expect(labels("consensus", "approvers.any(user, ")).toContain("user");
  expect(labels("consensus", "approvers.any(user, true) && ")).not.toContain("user");
  expect(labels("consensus", "approvers.filter(u, u.id == 'x').")).toContain("count");
  expect(labels("condition", "activity.kind == 'SIGN_TRANSACTION' && activity.params.")).toContain(
    "sign_with",
  );
  expect(
    labels("condition", "activity.kind == 'DELETE_WALLETS' && activity.params."),
  ).not.toContain("sign_with");
  expect(labels("condition", "activity.kind == 'SIGN_")).toEqual([
    ...new Set(activityKinds.map(({ kind }) => kind)),
  ]);
  expect(labels("condition", "activity.resource in ['WALLET', '")).toContain("POLICY");
  expect(labels("condition", "wallet.id == '")).toEqual([]);
  expect(labels("condition", "solana.tx.transfers[0].")).toContain("amount");
  expect(labels("condition", "12")).toEqual([]);
  expect(labels("condition", "nothing.")).toEqual([]);
  expect(labels("time", "")).toContain("CronSpan");
});

test("a link carries policies and request, and a broken one is told from others", () => {
  const [{ policies }] = presets;
  const shared = { policies, request: samples.payment };
  const fragment = fragmentOf(shared) ?? "";
  expect(readFragment(fragment)).toEqual(shared);
  expect(readFragment("#playground")).toBeNull();
  expect(readFragment("#policies=%%")).toBe("broken");
  expect(readFragment(fragment.slice(0, -30))).toBe("broken");
  expect(fragmentOf({ policies, request: "x".repeat(20_000) })).toBeNull();
});

test("neat JSON is the same JSON", () => {
  const value = {
    a: [],
    b: {},
    c: "a\nb  c",
    d: [1, { e: null }],
    f: "x".repeat(80),
    g: { h: ["y".repeat(80)] },
  };
  expect(JSON.parse(neat(value))).toEqual(value);
  expect(JSON.parse(neat([]))).toEqual([]);
});

test("a quorum that decided leaves what each policy would read", () => {
  const [{ policies }] = presets;
  const request = readRequest(
    samples.payment.replace('"approvedBy": [ "bot" ]', '"approvedBy": [ "root" ]'),
  );
  const explained = explain(policies, request);
  expect(explained.decision).toEqual({
    outcome: "OUTCOME_ALLOW",
    reason: "rootQuorum",
    evaluations: [],
  });
  expect(explained.policies[0]).not.toHaveProperty("outcome");
  expect(explained.policies[0]?.traces.map(({ clause }) => clause)).toEqual([
    "condition",
    "consensus",
  ]);
});
