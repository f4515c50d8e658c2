import type { Outcome, Policy, PolicyOutcome } from "@keyhearth/sdk";
import { Link } from "wouter";
import { Tag, type Tone } from "../ui/tag.tsx";
import { TracedExpression } from "./expression.tsx";

const words: Partial<Record<Outcome, { text: string; tone: Tone }>> = {
  OUTCOME_ALLOW: { text: "Allows it", tone: "good" },
  OUTCOME_DENY_EXPLICIT: { text: "Denies it", tone: "danger" },
  OUTCOME_DENY_IMPLICIT: { text: "Does not match", tone: "neutral" },
  OUTCOME_REQUIRES_CONSENSUS: { text: "Waits for approvals", tone: "warning" },
  OUTCOME_TIME_INACTIVE: { text: "Not at this time", tone: "neutral" },
  OUTCOME_ERROR: { text: "Has an error, so it allows nothing", tone: "neutral" },
};

const whole: Partial<Record<Outcome, { text: string; tone: Tone }>> = {
  OUTCOME_ALLOW: { text: "Allowed", tone: "good" },
  OUTCOME_DENY_EXPLICIT: { text: "Denied", tone: "danger" },
  OUTCOME_DENY_IMPLICIT: { text: "Denied", tone: "danger" },
  OUTCOME_REQUIRES_CONSENSUS: { text: "Needs approvals", tone: "warning" },
};

/** What becomes of an activity. */
export function DecisionTag({ outcome }: { outcome: Outcome }) {
  const { text, tone } = whole[outcome] ?? { text: outcome, tone: "neutral" };
  return <Tag tone={tone}>{text}</Tag>;
}

const order: Partial<Record<Outcome, number>> = {
  OUTCOME_DENY_EXPLICIT: 0,
  OUTCOME_ALLOW: 1,
  OUTCOME_REQUIRES_CONSENSUS: 2,
  OUTCOME_ERROR: 3,
};

/** What each policy said, those that decided first, with the parts of it that were the reason. */
export function PolicyOutcomes({
  outcomes,
  policies,
}: {
  outcomes: readonly PolicyOutcome[];
  policies: readonly Pick<Policy, "policyId" | "policyName" | "effect" | ClauseName>[];
}) {
  const sorted = [...outcomes].sort((a, b) => (order[a.outcome] ?? 4) - (order[b.outcome] ?? 4));
  return (
    <div className="stack-small">
      {sorted.map(({ policyId, outcome, trace = [] }) => {
        const policy = policies.find((each) => each.policyId === policyId);
        // A denial that errs is about other requests.
        const isSkipped = outcome === "OUTCOME_ERROR" && policy?.effect === "EFFECT_DENY";
        const { text, tone } = isSkipped
          ? ({ text: "Is about other requests", tone: "neutral" } as const)
          : (words[outcome] ?? { text: outcome, tone: "neutral" });
        const decided = outcome in order && outcome !== "OUTCOME_ERROR";
        return (
          <article key={policyId} className="outcome">
            <div className="outcome-head">
              <strong>
                {policy && policyId !== "" ? (
                  <Link href={`/policies/${policyId}`}>{policy.policyName}</Link>
                ) : (
                  (policy?.policyName ?? "A policy that is deleted")
                )}
              </strong>
              <span className="row">
                {policy && (
                  <span className="faint">
                    {policy.effect === "EFFECT_ALLOW" ? "Allow" : "Deny"}
                  </span>
                )}
                <Tag tone={tone}>{text}</Tag>
              </span>
            </div>
            {trace.length > 0 && (
              <details open={decided}>
                <summary>Why</summary>
                <div className="stack">
                  {trace.map((each) => (
                    <TracedExpression
                      key={each.clause}
                      trace={each}
                      {...(policy?.[each.clause] !== undefined && {
                        source: policy[each.clause] ?? "",
                      })}
                    />
                  ))}
                </div>
              </details>
            )}
            {trace.length === 0 && decided && (
              <p className="faint">It has no clauses, so it applies to everything.</p>
            )}
          </article>
        );
      })}
    </div>
  );
}

type ClauseName = "condition" | "consensus" | "time";
