import { OrganizationId, PolicyId, UserId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { ActivityId, Timestamp } from "../wire/objects.ts";

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
  .describe("Outcome of one policy, or of all of them together.")
  .meta({ id: "Outcome" });

const TraceStep = z
  .object({
    start: z.int().describe("Where the part begins in the clause's text, in UTF-16 code units."),
    end: z.int().describe("Where it ends: the position of the first code unit after it."),
    depth: z.int().describe("How many deciding parts enclose it."),
    text: z.string().describe("The part of the clause, cut after 200 characters."),
    value: z.string().describe("Its value, written as in a policy.").optional(),
    error: z.string().describe("Why it has no value.").optional(),
    bindings: z
      .record(z.string(), z.string())
      .describe("Inside `all`, `any` and `filter`: the variables and their values.")
      .optional(),
  })
  .describe("A part of a clause whose value decided the value of the part around it.")
  .meta({
    id: "PolicyTraceStep",
    examples: [
      {
        start: 0,
        end: 35,
        depth: 0,
        text: "activity.kind == 'SIGN_TRANSACTION'",
        value: "true",
      },
    ],
  });

export const ClauseTrace = z
  .object({
    clause: z.enum(["condition", "consensus", "time"]).describe("Which clause of the policy."),
    value: z.boolean().describe("Its value; absent if it has none.").optional(),
    error: z.string().describe("Why the clause has no value.").optional(),
    steps: z.array(TraceStep).describe("The parts that decided, from the whole inwards."),
    isCut: z.boolean().describe("Whether further parts were left out."),
  })
  .describe("Why a clause of a policy has the value that it has.")
  .meta({ id: "PolicyTrace" });

const PolicyOutcome = z
  .object({
    policyId: PolicyId,
    outcome: Outcome,
    trace: z
      .array(ClauseTrace)
      .describe("One trace for each clause of the policy, if the request asked for traces.")
      .optional(),
  })
  .describe("Outcome of one policy.")
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
      .describe("Outcome of each policy; empty if the root quorum decided."),
    createdAt: Timestamp.describe("When the policies were evaluated."),
  })
  .describe("Outcome of the policies when a vote was counted.")
  .meta({ id: "PolicyEvaluation" });

/** Users whose approvals complete an activity together. */
export const NeededApprovals = z
  .array(z.array(UserId))
  .describe(
    "Sets of users. The approvals of any one set would allow the activity. At most 20 sets, the smallest first.",
  );
