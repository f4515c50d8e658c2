import type { ActivityDeclaration } from "./define.ts";
import { ApiError } from "./errors.ts";
import type { OrganizationDocument, User } from "./records/organization.ts";

export type PolicyOutcome =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_ERROR";

export type PolicyEvaluation = { policyId: string; outcome: PolicyOutcome };

export type Decision = {
  outcome: "allow" | "consensus needed" | "deny";
  evaluations: PolicyEvaluation[];
};

/** What a decision is made from: nothing else reaches it. */
export type Question = {
  declaration: ActivityDeclaration;
  intent: unknown;
  document: OrganizationDocument;
  /** Who started the activity. */
  submitter: User;
  /** Whose approvals count now, the submitter's among them. */
  approvers: User[];
};

/**
 * Deny by default, deny wins, an error never allows. The root quorum comes first and no policy
 * can bind it; then policies; then what a user may do to itself.
 */
export function authorize(question: Question): Decision {
  const { declaration, intent, document, submitter, approvers } = question;
  const { threshold, userIds } = document.rootQuorum;
  const isRoot = userIds.includes(submitter.userId);
  const rootApprovals = new Set(
    approvers.map(({ userId }) => userId).filter((userId) => userIds.includes(userId)),
  );
  if (threshold >= 1 && rootApprovals.size >= threshold) return decide("allow", []);
  if (declaration.rootQuorumOnly) return decide(isRoot ? "consensus needed" : "deny", []);

  const evaluations = evaluatePolicies(question);
  const has = (outcome: PolicyOutcome) => evaluations.some((each) => each.outcome === outcome);
  if (has("OUTCOME_DENY_EXPLICIT")) return decide("deny", evaluations);
  if (has("OUTCOME_ALLOW")) return decide("allow", evaluations);
  if (has("OUTCOME_REQUIRES_CONSENSUS")) return decide("consensus needed", evaluations);
  if (declaration.isOwn?.(intent, submitter)) return decide("allow", evaluations);
  return decide(isRoot ? "consensus needed" : "deny", evaluations);
}

/** May this user's vote count at all on an activity that waits? */
export function canVote(document: OrganizationDocument, user: User): boolean {
  return document.rootQuorum.userIds.includes(user.userId);
}

/** A document lists no policies in this schema, so there is nothing to evaluate. */
function evaluatePolicies(_question: Question): PolicyEvaluation[] {
  return [];
}

function decide(outcome: Decision["outcome"], evaluations: PolicyEvaluation[]): Decision {
  return { outcome, evaluations };
}

export function denied({ evaluations }: Decision): ApiError {
  const denying = evaluations.filter(({ outcome }) => outcome === "OUTCOME_DENY_EXPLICIT");
  const message =
    denying.length > 0
      ? `The following policies denied this action: ${denying.map((each) => each.policyId).join(", ")}`
      : "No policies evaluated to outcome: Allow";
  return new ApiError(
    "PERMISSION_DENIED",
    "POLICY_DENIED",
    "You don't have sufficient permissions to take this action. Ask the root quorum for a policy that allows it.",
    {
      details: [
        {
          "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
          message,
          policyEvaluations: evaluations,
        },
      ],
    },
  );
}
