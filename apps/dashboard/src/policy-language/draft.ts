import type { Clause } from "@keyhearth/policy/ast";
import type { PolicyText } from "@keyhearth/policy/decide";
import type { Effect, Policy, UpdatePolicyIntentV2 } from "@keyhearth/sdk";

/** A policy while somebody writes it. An empty clause is absent. */
export type Draft = {
  policyName: string;
  effect: Effect;
  notes: string;
} & Record<Clause, string>;

export const emptyDraft: Draft = {
  policyName: "",
  effect: "EFFECT_ALLOW",
  consensus: "",
  condition: "",
  time: "",
  notes: "",
};

export function draftOf({ time = "", ...policy }: Policy): Draft {
  const { policyName, effect, consensus, condition, notes } = policy;
  return { policyName, effect, consensus, condition, time, notes };
}

/** What an update calls the fields. */
const updated = {
  policyName: "policyName",
  effect: "policyEffect",
  condition: "policyCondition",
  consensus: "policyConsensus",
  time: "time",
  notes: "policyNotes",
} as const satisfies Record<keyof Draft, keyof UpdatePolicyIntentV2>;

/**
 * Only what was changed: the rest stays as it is, whatever the service showed of it, and whatever others have changed meanwhile.
 * An empty clause removes it.
 */
export function changesOf(policy: Policy, draft: Draft): UpdatePolicyIntentV2 {
  const before = draftOf(policy);
  const changed = Object.entries(updated)
    // The names are those of a draft, by its type.
    .map(([name, sent]) => ({ name: name as keyof Draft, sent }))
    .filter(({ name }) => draft[name] !== before[name])
    .map(({ name, sent }) => [sent, draft[name]]);
  return { policyId: policy.policyId, ...Object.fromEntries(changed) };
}

/** What a new policy is called until the service has given it an id. */
export const NEW_POLICY = "the-edited-policy";

export type NamedText = PolicyText & { readonly policyName: string };

/** In the answer of a query an empty clause means that the clause is absent. */
export function textOf(
  policyId: string,
  {
    policyName,
    effect,
    condition,
    consensus,
    time,
  }: Omit<Draft, "notes" | "time"> & {
    time?: string;
  },
): NamedText {
  return {
    policyId,
    policyName,
    effect,
    ...(condition !== "" && { condition }),
    ...(consensus !== "" && { consensus }),
    ...(time && { time }),
  };
}

/** All policies of the organization as they would be once the draft is saved. */
export function withDraft(
  saved: readonly Policy[],
  policyId: string | undefined,
  draft: Draft,
): NamedText[] {
  const others = saved.map((policy) =>
    textOf(policy.policyId, policy.policyId === policyId ? draft : policy),
  );
  return policyId === undefined ? [...others, textOf(NEW_POLICY, draft)] : others;
}
