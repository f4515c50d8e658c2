import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, invalid } from "../errors.ts";
import { Effect, PolicyId } from "../fields/schemas.ts";
import {
  checkClause,
  checkPolicyName,
  findPolicy,
  Notes,
  PolicyName,
  policyNames,
  policyResult,
  updatedClauses,
  updatedTime,
} from "../policies/policy-parameters.ts";
import { checkPolicySize } from "../policies/policy-size.ts";
import type { Policy } from "../records/organization.ts";

const fields = {
  policyId: PolicyId,
  policyName: PolicyName.optional(),
  policyEffect: Effect.optional(),
  ...updatedClauses,
  policyNotes: Notes.optional(),
};

const UpdatePolicyIntentV2 = z.strictObject({ ...fields, time: updatedTime });
type UpdatePolicyIntentV2 = z.output<typeof UpdatePolicyIntentV2>;

/** Changes the given fields of a policy, which applies as changed from the next request. */
export const updatePolicy = defineActivity({
  name: "update_policy",
  tag: "Policies",
  summary: "Update policy",
  description:
    "Change a policy. Only the given fields change. An empty condition, consensus or time removes that clause.",
  policy: { resource: "POLICY", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
  versions: {
    ACTIVITY_TYPE_UPDATE_POLICY: {
      intentKey: "updatePolicyIntent",
      resultKey: "updatePolicyResult",
      intent: z.strictObject(fields),
      result: policyResult,
    },
    ACTIVITY_TYPE_UPDATE_POLICY_V2: {
      intentKey: "updatePolicyIntentV2",
      resultKey: "updatePolicyResultV2",
      intent: UpdatePolicyIntentV2,
      result: policyResult,
    },
  },
  example: {
    policyId: "f4a6b5c1-03ed-4d17-92e7-96a314253647",
    policyConsensus: "approvers.count() >= 2",
  },

  check({ document }, intent) {
    const { policyId, policyName, policyCondition, policyConsensus, time } = intent;
    const policy = findPolicy(document, policyId);
    assertChanges(intent);
    checkPolicySize(document, sizesOf(policy, intent), "parameters");
    checkAll(
      () => {
        if (policyName === undefined || policyName === policy.policyName) return;
        checkPolicyName(policyName, "parameters.policyName", policyNames(document));
      },
      () =>
        policyCondition && checkClause("condition", policyCondition, "parameters.policyCondition"),
      () =>
        policyConsensus && checkClause("consensus", policyConsensus, "parameters.policyConsensus"),
      () => time && checkClause("time", time, "parameters.time"),
    );
  },

  execute(context, intent) {
    const { policyId } = intent;
    const draft = context.update();
    draft.policies = draft.policies.map((policy) =>
      policy.policyId === policyId ? withChanges(policy, intent, context.nowMs) : policy,
    );
    return { policyId };
  },
});

function assertChanges({ policyId, ...changes }: UpdatePolicyIntentV2) {
  if (Object.values(changes).some((value) => value !== undefined)) return;
  throw invalid(
    "parameters",
    `nothing to change: \`parameters\` names policy \`${policyId}\` and none of policyName, policyEffect, policyCondition, policyConsensus, policyNotes, time`,
  );
}

/** The clauses that the intent gives, and those that they replace. */
function sizesOf(policy: Policy, { policyCondition, policyConsensus, time }: UpdatePolicyIntentV2) {
  return {
    given: [{ condition: policyCondition, consensus: policyConsensus, time }],
    replaced: {
      condition: policyCondition === undefined ? null : policy.condition,
      consensus: policyConsensus === undefined ? null : policy.consensus,
      time: time === undefined ? null : policy.time,
    },
  };
}

/** The policy with the changes of the intent. An empty clause is removed. */
function withChanges(
  policy: Policy,
  {
    policyName = policy.policyName,
    policyEffect = policy.effect,
    policyCondition,
    policyConsensus,
    policyNotes = policy.notes,
    time,
  }: UpdatePolicyIntentV2,
  nowMs: number,
): Policy {
  return {
    ...policy,
    policyName,
    effect: policyEffect,
    condition: changedClause(policy.condition, policyCondition),
    consensus: changedClause(policy.consensus, policyConsensus),
    time: changedClause(policy.time, time),
    notes: policyNotes,
    updatedAtMs: nowMs,
  };
}

function changedClause(current: string | null, given: string | undefined): string | null {
  return given === undefined ? current : given || null;
}
