import { OrganizationId, PolicyId, UserId } from "@keyhearth/engine/fields";
import * as z from "zod";
import { ActivityId, Timestamp } from "../contract/objects.ts";

/** Evaluations of policies and the traces that explain them, as answers hold them. */

export const Outcome = z
  .enum([
    "OUTCOME_ALLOW",
    "OUTCOME_DENY_EXPLICIT",
    "OUTCOME_DENY_IMPLICIT",
    "OUTCOME_REQUIRES_CONSENSUS",
    "OUTCOME_REJECTED",
    "OUTCOME_ERROR",
    "OUTCOME_REQUIRES_AUTHENTICATORS",
    "OUTCOME_TIME_INACTIVE",
  ])
  .describe("What a policy, or all of them together, came to.")
  .meta({ id: "Outcome" });

const TraceStep = z
  .object({
    start: z.int().describe("Where the part begins in the clause's text, in UTF-16 units."),
    end: z.int().describe("Where it ends; the character there is not part of it."),
    depth: z.int().describe("How many deciding parts are around it."),
    text: z.string().describe("The part of the clause, cut after 200 characters."),
    value: z.string().describe("Its value as it would be written in a policy.").optional(),
    error: z.string().describe("Why it has no value.").optional(),
    bindings: z
      .record(z.string(), z.string())
      .describe("Inside `all`, `any` and `filter`: the variables and what they stood for.")
      .optional(),
  })
  .describe("A part of a clause whose value decided the value of the part around it.")
  .meta({
    id: "PolicyTraceStep",
    examples: [
      {
        start: 0,
        end: 24,
        depth: 0,
        text: "activity.action == 'SIGN'",
        value: "true",
      },
    ],
  });

export const ClauseTrace = z
  .object({
    clause: z.enum(["condition", "consensus", "time"]).describe("Which clause of the policy."),
    value: z.boolean().describe("Its value; absent where it has none.").optional(),
    error: z.string().describe("Why the clause has no value.").optional(),
    steps: z.array(TraceStep).describe("The parts that decided, from the whole inwards."),
    isCut: z.boolean().describe("Further parts were left out."),
  })
  .describe("Why a clause of a policy came to its value.")
  .meta({ id: "PolicyTrace" });

export const PolicyOutcome = z
  .object({
    policyId: PolicyId,
    outcome: Outcome,
    trace: z
      .array(ClauseTrace)
      .describe("One for each clause that the policy has; only where it was asked for.")
      .optional(),
  })
  .describe("What one policy came to.")
  .meta({ id: "PolicyOutcome" });

export const PolicyEvaluation = z
  .object({
    id: z
      .string()
      .describe("Unique identifier of the evaluation.")
      .meta({ examples: ["019a9a51-7c40-7b52-9d10-6c7d8e9f0011"] }),
    activityId: ActivityId,
    organizationId: OrganizationId,
    voteId: z
      .string()
      .describe("The vote that was counted; empty for a request that was denied.")
      .meta({ examples: ["019a9a51-7c40-7b52-9d10-6c7d8e9f0011"] }),
    policyEvaluations: z
      .array(PolicyOutcome)
      .describe("What each policy came to; empty where the root quorum decided."),
    createdAt: Timestamp.describe("When the policies were evaluated."),
  })
  .describe("What the policies came to when a vote was counted.")
  .meta({ id: "PolicyEvaluation" });

/** Users whose approvals complete an activity together. */
export const NeededApprovals = z
  .array(z.array(UserId))
  .describe(
    "Sets of users: the approvals of any one set would allow the activity. The smallest come first; at most 20.",
  );
