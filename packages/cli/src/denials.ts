import type {
  Activity,
  KeyhearthClient,
  PolicyDenied,
  PolicyOutcome,
  PolicyTrace,
  SimulateActivityResponse,
} from "@keyhearth/sdk";
import { join, oneLine, plain } from "./output.ts";

// Why a request was denied, and whose approvals it waits for.

export type Reason = { readonly line: string; readonly json: unknown };

/** The policies that were about a denied request, and the part of each that decided. */
export async function denialReasons(
  denied: PolicyDenied,
  client: KeyhearthClient,
): Promise<Reason[]> {
  const outcomes = await client.explainDenial(denied);
  const reasons = await outcomeReasons(outcomes, client);
  if (reasons.length > 0) return reasons;
  const line = "no policy allows it: write one with `keyhearth policy create FILE`";
  return [{ line, json: { reason: "no policy allows it" } }];
}

/** What policies decided, in words: those that denied or miss an approval first. */
export async function outcomeReasons(
  outcomes: readonly PolicyOutcome[],
  client: KeyhearthClient,
): Promise<Reason[]> {
  const { policies } = await client.listPolicies({});
  const policyOf = (id: string) => policies.find(({ policyId }) => policyId === id);
  // A DENY that is about something else did not decide.
  const deciding = outcomes.filter(
    ({ policyId, outcome }) =>
      outcome !== "OUTCOME_DENY_IMPLICIT" || policyOf(policyId)?.effect !== "EFFECT_DENY",
  );
  const nearest = deciding.sort((a, b) => rankOf(a.outcome) - rankOf(b.outcome));
  const more = nearest.length - MOST;
  const rest = more > 0 ? [{ line: `and ${more} more`, json: { more } }] : [];
  const reasons = nearest.slice(0, MOST).map(({ policyId, outcome, trace = [] }) => {
    const policyName = policyOf(policyId)?.policyName;
    const title = policyName === undefined ? policyId : `${policyName} (${policyId})`;
    const why = trace.map(decided).filter((text) => text !== "");
    const words = Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : outcome;
    return {
      line: plain(`policy ${title} ${words}${why.length > 0 ? `: ${why.join("; ")}` : ""}`),
      json: { policyId, ...(policyName !== undefined && { policyName }), outcome, trace },
    };
  });
  return [...reasons, ...rest];
}

/** More policies than a person reads. */
const MOST = 8;

/** Those that denied, or only miss an approval, come before those that are about something else. */
function rankOf(outcome: string): number {
  return outcome === "OUTCOME_DENY_IMPLICIT" ? 1 : 0;
}

/** The sets of users whose approvals would complete an activity that waits. */
export async function missingApprovals(
  activity: Activity,
  client: KeyhearthClient,
): Promise<Reason[]> {
  const asked = askedBy(activity);
  if (!asked) return [];
  const { organizationId } = activity;
  const answer: SimulateActivityResponse = await client.simulateActivity(asked, { organizationId });
  const present = [asked.userId, ...asked.approverUserIds];
  const sets = answer.neededApprovals
    .map((ids) => ids.filter((id) => !present.includes(id)))
    .filter((ids) => ids.length > 0);
  if (sets.length === 0) return [];
  const { users } = await client.listUsers({}, { organizationId });
  const nameOf = (id: string) => {
    const name = users.find(({ userId }) => userId === id)?.userName;
    return name === undefined ? id : `${oneLine(name, 60)} (${id})`;
  };
  return sets.map((userIds) => ({
    line: plain(`missing: the approval of ${join(userIds.map(nameOf))}`),
    json: { userIds },
  }));
}

const WORDS: Record<string, string> = {
  OUTCOME_ALLOW: "allows it",
  OUTCOME_DENY_EXPLICIT: "denies it",
  OUTCOME_DENY_IMPLICIT: "does not allow it",
  OUTCOME_REQUIRES_CONSENSUS: "needs more approvals",
  OUTCOME_REJECTED: "rejects it",
  OUTCOME_ERROR: "cannot decide",
};

/** The innermost part that decided a clause. */
function decided({ clause, value, error, steps }: PolicyTrace): string {
  if (error !== undefined) return `${clause} has no value, ${oneLine(error, 120)}`;
  if (value === true) return "";
  const step =
    steps.find((each) => each.value === "false" && isComparison(each, steps)) ?? steps[0];
  const values = steps
    .filter(({ depth, start, end }) => {
      return step && depth === step.depth + 1 && start >= step.start && end <= step.end;
    })
    .map((part) => `${oneLine(part.text, 40)} is ${oneLine(part.value ?? "", 60)}`);
  const shown = step === undefined ? clause : `${clause} \`${oneLine(step.text, 120)}\` is false`;
  return values.length > 0 ? `${shown}, because ${values.join(" and ")}` : shown;
}

/** Whether no part of this part is itself true or false. */
function isComparison(step: PolicyTrace["steps"][number], steps: PolicyTrace["steps"]): boolean {
  return !steps.some(
    ({ depth, start, end, value }) =>
      depth > step.depth &&
      start >= step.start &&
      end <= step.end &&
      (value === "true" || value === "false"),
  );
}

/** What the simulation asks about an activity that waits. */
function askedBy({ votes }: Activity) {
  const [first, ...others] = votes.filter(
    ({ selection }) => selection === "VOTE_SELECTION_APPROVED",
  );
  if (!first) return undefined;
  const { type, parameters } = JSON.parse(first.message);
  return {
    activity: { type: String(type), parameters: { ...parameters } as Record<string, unknown> },
    userId: first.userId,
    approverUserIds: others.map(({ userId }) => userId),
  };
}
