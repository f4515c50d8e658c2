import {
  type DecisionInput,
  decide as decideByPolicies,
  mayReject as mayRejectByPolicies,
  mayVote as mayVoteByPolicies,
} from "@keyhearth/policy/decide";
import type { Environment } from "@keyhearth/policy/environment";
import type { Work } from "@keyhearth/policy/evaluate";
import { ApiError } from "../errors.ts";
import type { Organization } from "../people/organization.ts";
import type { User } from "../records/organization.ts";
import type { Approval } from "../submission/approvals.ts";
import { environmentOf, type Subject } from "./environment.ts";
import type { PolicyEvaluation } from "./evaluations.ts";

export type { Work };

export type Decision = {
  outcome: "allow" | "consensus needed" | "deny";
  /** What each policy of the document came to; empty where policies were not asked. */
  evaluations: PolicyEvaluation[];
};

/** What a decision is made from: nothing else reaches it. */
export type Question = Subject & {
  organization: Organization;
  /** Who started the activity. */
  submitter: User;
  /** The approvals that count now, the submitter's among them, in their order. */
  approvals: readonly Approval[];
  nowMs: number;
};

/**
 * Deny by default, deny wins, an error never allows. The root quorum comes first and no policy
 * can bind it; then policies; then what a user may do to itself.
 */
export function authorize(question: Question): Decision {
  const { outcome, evaluations } = decideByPolicies(decisionInput(question));
  const shown = evaluations.map(({ policyId, outcome }) => ({ policyId, outcome }));
  switch (outcome) {
    case "OUTCOME_ALLOW":
      return { outcome: "allow", evaluations: shown };
    case "OUTCOME_REQUIRES_CONSENSUS":
      return { outcome: "consensus needed", evaluations: shown };
    case "OUTCOME_DENY_EXPLICIT":
    case "OUTCOME_DENY_IMPLICIT":
      return { outcome: "deny", evaluations: shown };
  }
}

/** May this user's vote count at all on an activity that waits? `work` counts what it took. */
export function mayVote(question: Question, { userId }: User, work?: Work): boolean {
  return mayVoteByPolicies(decisionInput(question), userId, work);
}

/** May this user end it by a rejection? Who submitted it may, like those who surely may vote. */
export function mayReject(question: Question, user: User, work?: Work): boolean {
  const isOwn = user.userId === question.submitter.userId;
  if (isOwn) return mayVote(question, user, work);
  return mayRejectByPolicies(decisionInput(question), user.userId, work);
}

/** The question in the terms of the policy language. */
export function decisionInput(question: Question): DecisionInput {
  const { declaration, intent, organization, submitter, approvals, nowMs } = question;
  let environment: Environment | undefined;
  return {
    users: organization.policyUsers(),
    approvals: approvals.map(({ user: { userId }, credential }) => ({
      userId,
      ...(credential && { credential }),
    })),
    rootQuorum: organization.document.rootQuorum,
    get now() {
      return new Date(nowMs).toISOString();
    },
    // What a user may do to itself others cannot start in its name: its own approval must count.
    isOwnCredentialChange:
      approvals.some(({ user }) => user.userId === submitter.userId) &&
      (declaration.isOwn?.(intent, submitter) ?? false),
    isRootQuorumOnly: declaration.rootQuorumOnly ?? false,
    // The root quorum is asked first: what it allows needs neither of the two, and it can still
    // undo a policy that this version of the language does not understand any more.
    get policies() {
      return organization.policies();
    },
    get environment() {
      environment ??= environmentOf(question);
      return environment;
    },
  };
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
    "You don't have sufficient permissions to take this action. Ask the root quorum for a policy that allows it: /concepts/policies/quickstart",
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
