import {
  explainDenial,
  type KeyhearthClient,
  type PolicyDenied,
  type PolicyTrace,
} from "@keyhearth/sdk";

/** Why one policy did not allow a request: the innermost parts of it that are false. */
export type Reason = { policy: string; because: string[] };

/** One reason for each policy that did not allow the request, and for each that denied it. */
export async function reasonsOf(client: KeyhearthClient, denied: PolicyDenied): Promise<Reason[]> {
  const outcomes = await explainDenial(client, denied);
  const { policies } = await client.listPolicies();
  return outcomes.flatMap(({ policyId, outcome, trace = [] }) => {
    const policy = policies.find((each) => each.policyId === policyId);
    const { policyName = policyId, effect } = policy ?? {};
    if (effect === "EFFECT_DENY") {
      const isReason = outcome === "OUTCOME_DENY_EXPLICIT";
      return isReason ? [{ policy: policyName, because: ["It denies this request."] }] : [];
    }
    // If the condition is false, it does not matter who approved.
    const clause = trace.find(({ value }) => value !== true);
    return [{ policy: policyName, because: clause ? falseParts(clause) : [] }];
  });
}

function falseParts({ steps, error }: PolicyTrace): string[] {
  const isFalse = (step: (typeof steps)[number]) => step.value === "false" || step.error;
  const parts = steps.flatMap((step, i) => {
    const end = steps.findIndex(({ depth }, j) => j > i && depth <= step.depth);
    const inside = steps.slice(i + 1, end === -1 ? undefined : end);
    if (!isFalse(step) || inside.some(isFalse)) return [];
    const values = inside.map(({ text, value }) => `${text} is ${value}`).join(", ");
    return [`${step.text}: ${step.error ?? (values ? `false, because ${values}` : "false")}`];
  });
  return parts.length > 0 ? parts : [error ?? "Its condition is false."];
}
