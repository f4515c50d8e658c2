import type { OrganizationDocument } from "../records/organization.ts";

export type PolicyOutcome =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_REJECTED"
  | "OUTCOME_ERROR"
  | "OUTCOME_TIME_INACTIVE";

export type PolicyEvaluation = { policyId: string; outcome: PolicyOutcome };

/** One letter for each outcome, so that a hundred policies add only a hundred bytes to a vote. */
const letters: Record<PolicyOutcome, string> = {
  OUTCOME_ALLOW: "A",
  OUTCOME_DENY_EXPLICIT: "D",
  OUTCOME_DENY_IMPLICIT: "I",
  OUTCOME_REQUIRES_CONSENSUS: "C",
  OUTCOME_REJECTED: "R",
  OUTCOME_ERROR: "E",
  OUTCOME_TIME_INACTIVE: "T",
};

// The record has exactly the outcomes as keys.
const outcomes = new Map(
  (Object.keys(letters) as PolicyOutcome[]).map((outcome) => [letters[outcome], outcome]),
);

/** Encodes the evaluations of all policies of a document, in its order. */
export function encodeOutcomes(evaluations: readonly PolicyEvaluation[]): string {
  let encoded = "";
  for (const { outcome } of evaluations) encoded += letters[outcome];
  return encoded;
}

/** Decodes them, with the document version that the vote names. Empty if policies were not asked. */
export function decodeOutcomes(
  encoded: string,
  { policies }: Pick<OrganizationDocument, "policies">,
): PolicyEvaluation[] {
  return policies.flatMap(({ policyId }, index) => {
    const outcome = outcomes.get(encoded.charAt(index));
    return outcome ? { policyId, outcome } : [];
  });
}

/** The evaluations after a rejection: policies that required consensus are rejected. */
export function rejected(evaluations: readonly PolicyEvaluation[]): PolicyEvaluation[] {
  return evaluations.map(({ policyId, outcome }) => ({
    policyId,
    outcome: outcome === "OUTCOME_REQUIRES_CONSENSUS" ? "OUTCOME_REJECTED" : outcome,
  }));
}
