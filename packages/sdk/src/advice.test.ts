import { describe, expect, test } from "vitest";
import { adviseOnPolicies, adviseOnRequest, type KnownOrganization } from "./advice.ts";
import { verifyStampedRequest } from "./approvals/consensus.ts";
import type { Activity } from "./generated/types.ts";
import { organizationId, waitingActivity } from "./peer.testing.ts";

const suspicious = {
  policyName: "all signatures",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.any(u, u.id == 'u1')",
  notes: "",
};

const unscoped = {
  code: "sign-unscoped",
  message: expect.stringContaining("raw payloads included"),
  policyId: "",
  clause: "condition",
  start: 0,
  end: 25,
};

function waiting(
  parameters: object = suspicious,
  type = "ACTIVITY_TYPE_CREATE_POLICY_V3",
): Promise<Activity> {
  const envelope = { type, timestampMs: "1700000000000", organizationId, parameters };
  return waitingActivity(JSON.stringify(envelope));
}

function codesOf(activity: Activity, known?: KnownOrganization) {
  const { policies } = adviseOnPolicies(activity, known);
  return policies.map(({ policyName, warnings }) => [policyName, warnings.map(({ code }) => code)]);
}

describe("advice about a change of policies", () => {
  test("shows what the bytes ask for, with the warnings about it", async () => {
    const activity = await waiting();
    const { notes: _, ...policy } = suspicious;
    const advice = adviseOnPolicies(activity);
    expect(advice).toEqual({
      request: verifyStampedRequest(activity),
      policies: [{ ...policy, policyId: "", errors: [], warnings: [unscoped] }],
    });
    expect(adviseOnRequest(advice.request)).toEqual(advice);
  });

  test("does not depend on what the service shows in addition to the bytes", async () => {
    const activity = await waiting();
    const harmless = { ...suspicious, condition: "activity.action == 'CREATE'" };
    const shown = { ...activity, intent: { createPolicyIntentV3: harmless }, warnings: [] };
    expect(adviseOnPolicies(shown as Activity)).toEqual(adviseOnPolicies(activity));
  });

  test.each<[string, (activity: Activity) => Activity]>([
    [
      "another message",
      (activity) => {
        const [vote] = activity.votes;
        if (!vote) throw new Error("an activity without votes");
        return { ...activity, votes: [{ ...vote, message: vote.message.replace("SIGN", "READ") }] };
      },
    ],
    [
      "another fingerprint",
      (activity) => ({ ...activity, fingerprint: `sha256:${"0".repeat(64)}` }),
    ],
    ["no vote", (activity) => ({ ...activity, votes: [] })],
  ])("is refused with %s", async (_, change) => {
    const activity = change(await waiting());
    expect(() => adviseOnPolicies(activity)).toThrow(
      expect.objectContaining({ code: "UNVERIFIED" }),
    );
  });

  test("is refused if message and fingerprint are replaced together, because the stamp is not", async () => {
    const [honest, harmless] = [
      await waiting(),
      await waiting({ ...suspicious, condition: "activity.action == 'CREATE'" }),
    ];
    const votes = harmless.votes.map(({ message }) => ({ ...honest.votes[0], message }));
    const activity = { ...honest, fingerprint: harmless.fingerprint, votes } as Activity;
    expect(() => adviseOnPolicies(activity)).toThrow(
      expect.objectContaining({ code: "UNVERIFIED" }),
    );
  });

  test("knows every form of the request", async () => {
    const selectors = (targets: object) => ({
      policyName: "old",
      effect: "EFFECT_ALLOW",
      selectors: [{ subject: "activity.action", operator: "OPERATOR_EQUAL", ...targets }],
    });
    const many = { policies: [suspicious, { ...suspicious, policyName: "again" }] };
    const known = { policies: [{ ...suspicious, policyId: "p1", effect: "EFFECT_DENY" as const }] };
    const update = { policyId: "p1", policyEffect: "EFFECT_ALLOW", policyConsensus: null };
    const forms: [string, object, unknown][] = [
      ["CREATE_POLICY", selectors({ target: "SIGN" }), ["old"]],
      ["CREATE_POLICY_V2", selectors({ targets: ["SIGN"] }), ["old"]],
      ["CREATE_POLICY_V3", suspicious, ["all signatures"]],
      ["CREATE_POLICIES", many, ["all signatures", "again"]],
      ["UPDATE_POLICY", update, ["all signatures"]],
      ["UPDATE_POLICY_V2", { ...update, time: "" }, ["all signatures"]],
    ];
    for (const [form, parameters, names] of forms) {
      const activity = await waiting(parameters, `ACTIVITY_TYPE_${form}`);
      const found = codesOf(activity, known);
      expect(
        found.map(([name]) => name),
        form,
      ).toEqual(names);
      for (const [, codes] of found) expect(codes, form).toContain("sign-unscoped");
    }
  });

  test("looks up only what it is given, and does not warn about anything else", async () => {
    const activity = await waiting();
    expect(codesOf(activity)).toEqual([["all signatures", ["sign-unscoped"]]]);
    const user = { userId: "u2", userName: "Bob", userTags: [], apiKeys: [] };
    expect(codesOf(activity, { users: [user] })).toEqual([
      ["all signatures", ["sign-unscoped", "unknown-user"]],
    ]);
  });

  test("counts a policy that already exists only once", async () => {
    const activity = await waiting();
    const made = { ...suspicious, policyId: "p1", effect: "EFFECT_ALLOW" as const, time: "" };
    expect(codesOf(activity, { policies: [made] })).toEqual(codesOf(activity));
  });

  test("points to a clause that cannot be parsed", async () => {
    const { policies } = adviseOnPolicies(await waiting({ ...suspicious, condition: "walet.id" }));
    expect(policies[0]).toMatchObject({
      errors: [
        { clause: "condition", start: 0, end: 8, message: expect.stringContaining("walet") },
      ],
      warnings: [],
    });
  });

  test.each<[string, object, string, string, RegExp]>([
    [
      "of something else",
      { walletName: "w", accounts: [] },
      "CREATE_WALLET",
      "NOT_ABOUT_POLICIES",
      /does not create or change a policy: it is ACTIVITY_TYPE_CREATE_WALLET\. /,
    ],
    [
      "that deletes a policy",
      { policyId: "p1" },
      "DELETE_POLICY",
      "NOT_ABOUT_POLICIES",
      /does not create or change a policy: it is ACTIVITY_TYPE_DELETE_POLICY\. /,
    ],
    [
      "that the service refuses",
      { policyName: "p", effect: "ALLOW" },
      "CREATE_POLICY_V3",
      "NOT_ABOUT_POLICIES",
      /^The service would refuse the request of activity \S+: `effect` must be EFFECT_ALLOW or EFFECT_DENY\. Do not approve it$/,
    ],
    [
      "of a policy that was not given",
      { policyId: "p9", policyCondition: "true" },
      "UPDATE_POLICY_V2",
      "POLICY_NOT_GIVEN",
      /changes the policy p9, which is not among the given policies\. Give all policies/,
    ],
  ])("does not exist for a request %s", async (_, parameters, type, code, message) => {
    const activity = await waiting(parameters, `ACTIVITY_TYPE_${type}`);
    expect(() => adviseOnPolicies(activity)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
