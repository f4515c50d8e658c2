import {
  type CompiledPolicy,
  type PolicyEvaluation as DecidedEvaluation,
  type DecisionInput,
  decide as decideByPolicies,
  mayReject as mayRejectByPolicies,
  mayVote as mayVoteByPolicies,
} from "@keyhearth/policy/decide";
import type { Environment } from "@keyhearth/policy/environment";
import type { Work } from "@keyhearth/policy/evaluate";
import { maySend } from "../declare/define.ts";
import { ApiError, shorten } from "../errors.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { isRecoveryKey } from "../records/sessions.ts";
import type { Approval } from "./approvals.ts";
import { environmentOf, type Subject } from "./environment.ts";
import type { PolicyEvaluation } from "./evaluations.ts";

export type { Work };

export type Decision = {
  outcome: "allow" | "consensus needed" | "deny";
  /** Allowed without any permission: a user may change own credentials. */
  isOwn: boolean;
  /** The outcome of each policy of the document. Empty if policies were not asked. */
  evaluations: readonly PolicyEvaluation[];
  /** Each policy that denies, by its name and its id. */
  denials?: string[];
  /** For each DENY that denies because of an error: the policy, the part that errs and the reason. */
  errors?: string[];
};

/** Everything that a decision depends on. */
export type Question = Subject & {
  /** The approvals that count now, in order, including the submitter's. */
  approvals: readonly Approval[];
  nowMs: number;
};

/**
 * Denies by default; a deny wins over an allow; an error never allows. The root quorum comes first,
 * and policies do not apply to it. Policies come next, then changes of a user's own credentials.
 */
export function authorize(question: Question): Decision {
  const input = decisionInput(question);
  const { outcome, reason, evaluations } = decideByPolicies(input);
  const isOwn = reason === "ownCredentials";
  switch (outcome) {
    case "OUTCOME_ALLOW":
      return { outcome: "allow", isOwn, evaluations };
    case "OUTCOME_REQUIRES_CONSENSUS":
      return { outcome: "consensus needed", isOwn, evaluations };
    case "OUTCOME_DENY_EXPLICIT":
    case "OUTCOME_DENY_IMPLICIT": {
      const named = namesOf(question.decider.document);
      const denying = evaluations.filter(isDenial);
      const errors = evaluations.flatMap((evaluation, i) =>
        isDenial(evaluation) ? errorOf(input.policies[i], evaluation, named) : [],
      );
      return {
        outcome: "deny",
        isOwn,
        evaluations,
        ...(denying.length > 0 && { denials: denying.map(({ policyId }) => named(policyId)) }),
        ...(errors.length > 0 && { errors }),
      };
    }
  }
}

function isDenial({ outcome }: PolicyEvaluation): boolean {
  return outcome === "OUTCOME_DENY_EXPLICIT";
}

/** People know a policy by its name, and programs by its id. */
function namesOf({ policies }: OrganizationDocument): (policyId: string) => string {
  const names = new Map(policies.map(({ policyId, policyName }) => [policyId, policyName]));
  return (policyId) => `\`${shorten(names.get(policyId) ?? "")}\` (${policyId})`;
}

function errorOf(
  policy: CompiledPolicy | undefined,
  { policyId, failures }: DecidedEvaluation,
  named: (policyId: string) => string,
): string[] {
  const [first] = failures.filter(({ failure }) => !failure.absent);
  if (!first) return [];
  const { clause, failure } = first;
  const part = policy?.[clause]?.source.slice(failure.start, failure.end) ?? "";
  return [
    `policy ${named(policyId)}, ${clause}, \`${shorten(part, 80)}\`: ${shorten(failure.reason, 200)}`,
  ];
}

/** Can this user's vote count for a waiting activity? `work` counts the effort of the answer. */
export function mayVote(question: Question, { userId }: User, work?: Work): boolean {
  return mayVoteByPolicies(decisionInput(question), userId, work);
}

/** Can this user reject the activity? The submitter can, and so can anyone who can certainly vote. */
export function mayReject(question: Question, user: User, work?: Work): boolean {
  const isOwn = user.userId === question.submitter.userId;
  if (isOwn) return mayVote(question, user, work);
  return mayRejectByPolicies(decisionInput(question), user.userId, work);
}

/** The question in terms of the policy language. */
export function decisionInput(question: Question): DecisionInput {
  const { declaration, organization, decider, approvals } = question;
  const isOpenToAll = maySend("any user", declaration) && decider === organization;
  const once = new ComputedOnce(question, isOpenToAll);
  return Object.assign(once, {
    users: decider.policyUsers(),
    approvals: approvals.map(({ user: { userId }, credential }) => ({
      userId,
      ...(credential && { credential }),
    })),
    rootQuorum: decider.document.rootQuorum,
    // Others must not use this in the user's name, so the user's own approval must count. What needs no
    // permission is decided in the same way. Nothing in a sub-organization is a parent's user's own.
    isOwnCredentialChange: decider === organization && isOwnChange(question),
    isRootQuorumOnly: isRootQuorumOnly(question),
  });
}

/**
 * Computed only if needed. The root quorum decides without these, so it can remove a policy that this version of the
 * language no longer understands. An object with getters of its own would be a dictionary, which is slow.
 */
class ComputedOnce {
  readonly #question: Question;
  readonly #isOpenToAll: boolean;
  #environment: Environment | undefined;
  #policies: DecisionInput["policies"] | undefined;

  constructor(question: Question, isOpenToAll: boolean) {
    this.#question = question;
    this.#isOpenToAll = isOpenToAll;
  }
  get now() {
    return new Date(this.#question.nowMs).toISOString();
  }
  get policies() {
    this.#policies ??= this.#isOpenToAll ? [] : this.#question.decider.policies();
    return this.#policies;
  }
  get environment() {
    this.#environment ??= environmentOf(this.#question);
    return this.#environment;
  }
}

/** Does the user's own approval count, for something that users may do to themselves? */
function isOwnChange({ declaration, intent, organization, submitter, approvals }: Question) {
  const own = approvals.find(({ user }) => user.userId === submitter.userId);
  if (!own) return false;
  if (maySend("any user", declaration)) return true;
  if (!declaration.isOwn?.(intent, submitter, organization.document)) return false;
  // Without the mail it is no recovery, but a way around what policies say about new credentials.
  if (!maySend("recovery key", declaration)) return true;
  return own.credential !== undefined && isRecoveryKey(own.credential);
}

/** Can only the root quorum do this, whatever policies say? */
function isRootQuorumOnly({
  declaration: { rootQuorumOnly = false },
  intent,
  organization: { document },
  submitter,
}: Pick<Question, "declaration" | "intent" | "organization" | "submitter">): boolean {
  if (typeof rootQuorumOnly === "boolean") return rootQuorumOnly;
  return rootQuorumOnly(intent, document, submitter);
}

/** The most policies and errors that an answer lists. */
const MAX_LISTED = 5;

/** `question` is what was decided. Without it, the answer gives the advice for policies. */
export function denied(
  { evaluations, denials = [], errors = [] }: Omit<Decision, "isOwn">,
  question?: Parameters<typeof isRootQuorumOnly>[0],
): ApiError {
  const denying = evaluations.filter(isDenial);
  const message =
    denying.length > 0
      ? `The following policies denied this action: ${denying.map((each) => each.policyId).join(", ")}`
      : "No policies evaluated to outcome: Allow";
  const because =
    errors.length > 0 ? ` A DENY that errs denies: ${errors.slice(0, MAX_LISTED).join("; ")}.` : "";
  const advice =
    question && isRootQuorumOnly(question)
      ? "Only the root quorum can do this: /concepts/users/root-quorum"
      : adviceFor(denials);
  return new ApiError(
    "PERMISSION_DENIED",
    "POLICY_DENIED",
    `You don't have sufficient permissions to take this action.${because} ${advice}`,
    {
      details: [
        {
          "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
          message,
          policyEvaluations: evaluations.map(({ policyId, outcome }) => ({ policyId, outcome })),
        },
      ],
    },
  );
}

/** No ALLOW helps against a DENY. */
function adviceFor(denials: readonly string[]): string {
  if (denials.length === 0) {
    return "Ask the root quorum for a policy that allows it: /concepts/policies/quickstart";
  }
  const [listed, more] = [denials.slice(0, MAX_LISTED), denials.length - MAX_LISTED];
  const names = `${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const which = denials.length === 1 ? `The policy ${names} denies` : `The policies ${names} deny`;
  return `${which} it, whatever other policies allow: /concepts/policies/understanding-decisions`;
}
