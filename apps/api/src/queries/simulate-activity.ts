import { activities } from "@keyhearth/engine/activities/index";
import { maySend } from "@keyhearth/engine/declare/define";
import { openReading } from "@keyhearth/engine/declare/reading";
import { invalid, shorten, userNotFound } from "@keyhearth/engine/errors";
import { OrganizationId, PolicyId, UserId } from "@keyhearth/engine/fields/schemas";
import type { Approval } from "@keyhearth/engine/policies/approvals";
import { decisionInput } from "@keyhearth/engine/policies/authorize";
import {
  findUser,
  type OrganizationDocument,
  type User,
} from "@keyhearth/engine/records/organization";
import { lastingCredentials } from "@keyhearth/engine/records/terms";
import { parseIntent, typeReadAs } from "@keyhearth/engine/submission/envelope";
import { contextOf } from "@keyhearth/policy/advice/context";
import * as z from "zod";
import { explain } from "../policies/explain.ts";
import { type ParsedRequest, readSubject } from "../policies/question.ts";
import { ClauseTrace, NeededApprovals, Outcome } from "../presentation/policy-evaluations.ts";
import { defineQuery } from "../query/define.ts";

/** Large enough to simulate any transaction. */
export const MAX_SIMULATION_BYTES = 256 * 1024;

/** The decision that an activity would get. Nothing is written and no key is used. */
export const simulateActivity = defineQuery({
  name: "simulate_activity",
  tag: "Policies",
  summary: "Simulate activity",
  description:
    "Find out how an activity would be decided, by which policies and why, and whose approvals it would still need. Nothing is written, and no key is used. Each user counts as approving with their first API key.",
  requestName: "SimulateActivityRequest",
  responseName: "SimulateActivityResponse",
  maxBodyBytes: MAX_SIMULATION_BYTES,
  request: z.object({
    organizationId: OrganizationId,
    activity: z
      .strictObject({
        type: z
          .string()
          .describe("Activity type, with its version.")
          .meta({ examples: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"] }),
        parameters: z
          .record(z.string(), z.unknown())
          .describe("Parameters of the activity, as they would be submitted."),
      })
      .describe("The activity."),
    userId: UserId.describe(
      "User who would submit the activity. If absent, the requesting user.",
    ).optional(),
    approverUserIds: z
      .array(UserId)
      .max(100, "must have at most 100 entries")
      .describe("Users who would have approved it in addition to the user who submits it.")
      .optional(),
    includeContext: z
      .boolean()
      .describe("Whether to answer what conditions read of the activity. Default: false.")
      .optional(),
  }),
  response: z.object({
    outcome: Outcome,
    reason: z
      .enum(["rootQuorum", "policies", "ownCredentials", "default"])
      .describe(
        "What decides the outcome. `rootQuorum`: the root users. `ownCredentials`: the right of users to change their own credentials. `default`: nothing allows the activity.",
      ),
    neededApprovals: NeededApprovals,
    hasMoreApprovals: z
      .boolean()
      .describe("Whether there may be more sets of approvals than the listed ones."),
    evaluations: z
      .array(
        z
          .object({
            policyId: PolicyId,
            outcome: Outcome,
            trace: z.array(ClauseTrace).describe("One trace for each clause of the policy."),
          })
          .describe("Outcome of one policy, and why.")
          .meta({ id: "SimulatedPolicyOutcome" }),
      )
      .describe("Every policy of the organization; empty if the root quorum decides."),
    context: z
      .record(z.string(), z.unknown())
      .describe(
        "What conditions read of the activity, as the context of a policy test has it, if the request set `includeContext`.",
      )
      .optional(),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    activity: {
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      parameters: {
        signWith: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      },
    },
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },

  isHeavy: () => true,
  maxBytes: 4 * 1024 * 1024,
  async answer(
    { db, stored, document, caller, interfaces, nowMs },
    { activity, userId, approverUserIds, includeContext = false },
  ) {
    const submitter = findUser(document, userId ?? caller.user.userId);
    if (!submitter) {
      if (userId !== undefined) throw userNotFound("userId", userId, document.organizationId);
      throw invalid(
        "userId",
        "missing field `userId`: your user belongs to the parent, so say which user of this organization would submit the activity",
      );
    }
    const subject = await readSubject(db, stored, parseActivity(activity), interfaces);
    // Submitting the activity would fail if the key does not exist.
    openReading(subject.reading);
    const question = {
      ...subject,
      submitter,
      approvals: approvalsOf(document, submitter, approverUserIds ?? []),
      nowMs,
    };
    const input = decisionInput(question);
    const explanation = await explain(question, input);
    if (!includeContext) return explanation;
    return { ...explanation, context: contextOf(input.environment) };
  },
});

function parseActivity({
  type,
  parameters,
}: Pick<ParsedRequest, "type"> & { parameters: object }): ParsedRequest {
  const declaration = activities.find(({ versions }) => Object.hasOwn(versions, type));
  if (!declaration) {
    throw invalid(
      "activity.type",
      `\`activity.type\` is \`${shorten(type)}\`, which this version of the service does not know`,
      "ACTIVITY_TYPE_INVALID",
    );
  }
  if (maySend("founder", declaration)) {
    throw invalid(
      "activity.type",
      "no policy decides who creates a top-level organization: the service is open for signup or it is not",
    );
  }
  if (maySend("newcomer", declaration)) {
    throw invalid(
      "activity.type",
      "no policy decides who accepts an invitation: anyone who has its token may",
    );
  }
  if (declaration.vote) {
    throw invalid(
      "activity.type",
      "votes are not decided by policies: simulate the activity that is voted on, with `approverUserIds`",
    );
  }
  // Before they are parsed, parameters are a record of unknown values.
  const given = { type, parameters: parameters as Record<string, unknown> };
  const intent = parseIntent(declaration, given, "activity.parameters");
  return { declaration, type: typeReadAs(declaration, given), intent };
}

function approvalsOf(
  document: OrganizationDocument,
  submitter: User,
  approverUserIds: string[],
): Approval[] {
  const approvers = approverUserIds.map((userId, index) => {
    const user = findUser(document, userId);
    if (user) return user;
    throw invalid(`approverUserIds[${index}]`, `user not found: \`${userId}\``, "NOT_FOUND");
  });
  return [...new Set([submitter, ...approvers])].map((user) => {
    const [credential] = lastingCredentials(user);
    return { user, credential };
  });
}
