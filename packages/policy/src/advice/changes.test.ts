import { describe, expect, test } from "vitest";
import { SelectorError } from "../selectors.ts";
import { isPolicyChange, lintChange, type NamedPolicy, readPolicyChange } from "./changes.ts";

const unscoped = {
  policyName: "all",
  effect: "EFFECT_ALLOW" as const,
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.any(u, u.id == 'u1')",
};
const current: NamedPolicy = { ...unscoped, policyId: "p1", policyName: "first" };

function read(type: string, parameters: unknown) {
  const change = readPolicyChange(`ACTIVITY_TYPE_${type}`, parameters);
  if (!change) throw new Error("no change of policies");
  return change;
}

function create(...policies: object[]) {
  return read("CREATE_POLICIES", { policies });
}

function codesOf(linted: ReturnType<typeof lintChange>) {
  return linted.map(({ policy, lints }) => [policy.policyId, lints.map(({ code }) => code)]);
}

describe("a change of policies", () => {
  test("is read from the parameters of its activity; null means unset", () => {
    const given = { ...unscoped, notes: "n", time: null };
    const policy = { ...unscoped, time: undefined };
    expect(read("CREATE_POLICY_V3", given)).toEqual({ kind: "create", policies: [policy] });
    expect(read("CREATE_POLICY_V3", { ...given, time: "" })).toEqual(
      read("CREATE_POLICY_V3", given),
    );
    expect(create(given, { policyName: "b", effect: "EFFECT_DENY" })).toEqual({
      kind: "create",
      policies: [policy, { policyName: "b", effect: "EFFECT_DENY" }],
    });
    expect(read("UPDATE_POLICY_V2", { policyId: "p1", policyCondition: "" })).toEqual({
      kind: "update",
      policyId: "p1",
      update: { condition: "" },
    });
  });

  test("is read from selectors as the service translates them", () => {
    const selector = { subject: "activity.action", operator: "OPERATOR_EQUAL" };
    const old = { policyName: "old", effect: "EFFECT_DENY" };
    const policies = [{ ...old, condition: "activity.action == 'SIGN'" }];
    expect(read("CREATE_POLICY", { ...old, selectors: [{ ...selector, target: "SIGN" }] })).toEqual(
      {
        kind: "create",
        policies,
      },
    );
    const targets = { ...old, selectors: [{ ...selector, targets: ["SIGN"] }] };
    expect(read("CREATE_POLICY_V2", targets)).toEqual({ kind: "create", policies });
    expect(() => read("CREATE_POLICY_V2", { ...old, selectors: [] })).toThrow(SelectorError);
  });

  test.each([
    ["CREATE_WALLET", { walletName: "w" }],
    ["DELETE_POLICY", { policyId: "p1" }],
    ["constructor", {}],
  ])("is not found in %s", (type, parameters) => {
    expect(readPolicyChange(`ACTIVITY_TYPE_${type}`, parameters)).toBeUndefined();
    expect(isPolicyChange(`ACTIVITY_TYPE_${type}`)).toBe(false);
  });

  test.each<[string, unknown, string]>([
    ["CREATE_POLICY_V3", [], "a value that must be an object is not one"],
    ["CREATE_POLICY_V3", { effect: "EFFECT_ALLOW" }, "`policyName` must be text"],
    [
      "CREATE_POLICY_V3",
      { policyName: "p", effect: "A" },
      "`effect` must be EFFECT_ALLOW or EFFECT_DENY",
    ],
    ["CREATE_POLICY_V3", { ...unscoped, condition: 1 }, "`condition` must be text"],
    ["CREATE_POLICIES", { policies: {} }, "`policies` must be a list"],
    [
      "UPDATE_POLICY",
      { policyId: "p", policyEffect: "A" },
      "`policyEffect` must be EFFECT_ALLOW or EFFECT_DENY",
    ],
  ])("of %s is refused if it is malformed: %j", (type, parameters, message) => {
    expect(() => read(type, parameters)).toThrow(new TypeError(message));
  });
});

describe("lints of a change", () => {
  test("are about the policies it creates, not about the others", () => {
    const linted = lintChange({ change: create(unscoped), policies: [current], newIds: ["p2"] });
    expect(codesOf(linted)).toEqual([["p2", ["sign-unscoped"]]]);
    expect(linted[0]?.lints[0]).toMatchObject({ policyId: "p2", clause: "condition", start: 0 });
  });

  test("keep policies without ids apart", () => {
    const harmless = { ...unscoped, policyName: "p1", condition: "wallet.id == 'w1'" };
    const change = create(unscoped, harmless, { ...unscoped, policyName: "again" });
    const linted = lintChange({ change, policies: [current] });
    expect(codesOf(linted)).toEqual([
      ["", ["sign-unscoped"]],
      ["", []],
      ["", ["sign-unscoped"]],
    ]);
    expect(linted.map(({ policy }) => policy.policyName)).toEqual(["all", "p1", "again"]);
  });

  test("are about a policy as an update leaves it", () => {
    const scoped = "wallet.id == 'w1'";
    const policies = [
      { ...current, policyId: "p0" },
      { ...current, condition: scoped },
    ];
    const update = (parameters: object) =>
      lintChange({ change: read("UPDATE_POLICY_V2", { policyId: "p1", ...parameters }), policies });
    expect(codesOf(update({ policyName: "n" }))).toEqual([["p1", []]]);
    expect(update({ policyName: "n" })[0]?.policy).toMatchObject({
      ...policies[1],
      policyName: "n",
    });
    expect(codesOf(update({ policyConsensus: "" }))).toEqual([["p1", ["consensus-any"]]]);
    expect(codesOf(update({ policyCondition: unscoped.condition }))).toEqual([
      ["p1", ["sign-unscoped"]],
    ]);
    expect(lintChange({ change: read("UPDATE_POLICY", { policyId: "p9" }), policies })).toEqual([]);
  });

  test("draw on the given budget", () => {
    const budget = { steps: 100_000 };
    lintChange({ change: create(unscoped), policies: [], budget });
    expect(budget.steps).toBeLessThan(100_000);
  });
});
