import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import { countedApprovals } from "@keyhearth/engine/policies/approvals";
import type { Question } from "@keyhearth/engine/policies/authorize";
import {
  decodeOutcomes,
  type PolicyEvaluation as Evaluated,
} from "@keyhearth/engine/policies/evaluations";

import {
  type ActivityRecord,
  APPROVAL_WINDOW_MS,
  activity as activityKind,
  type Vote,
} from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { findUser } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { lastingCredentials } from "@keyhearth/engine/records/terms";
import * as z from "zod";
import { MissingRecord } from "../errors.ts";
import {
  type Effort,
  type ExplainedEvaluation,
  explainEvaluations,
  isSpent,
  newEffort,
} from "../policies/explain.ts";
import { parseRequest, readSubject, type Subject } from "../policies/question.ts";
import { PolicyEvaluation } from "../presentation/policy-evaluations.ts";
import { renderTimestamp } from "../presentation/render.ts";
import { defineQuery, type QueryContext } from "../query/define.ts";
import { otherNames } from "../query/sent-as.ts";
import { assertLight, readHere } from "../reader/allowance.ts";
import { findActivityWithin } from "../store/activities.ts";
import { findDenial, type KeptDenial } from "../store/denials.ts";
import { readDocumentsAt } from "../store/organizations.ts";
import { isVersionRemoved } from "../store/past-documents.ts";
import { missingActivity } from "../store/removed-activities.ts";
import { ActivityId } from "../wire/objects.ts";

/** The outcome of the policies at each vote of an activity, or for a denied request. */
export const getPolicyEvaluations = defineQuery({
  name: "get_policy_evaluations",
  tag: "Policies",
  summary: "Get policy evaluations",
  description:
    "Get the outcome of each policy at every vote of an activity, as long as the service keeps the policies of that time. A denied request leaves no activity: use the `traceId` of its error, which is kept for a day. With `includeTrace`, the reasons are computed again from the policies and records of that time.",
  requestName: "GetPolicyEvaluationsRequest",
  responseName: "GetPolicyEvaluationsResponse",
  request: z.object({
    organizationId: OrganizationId,
    activityId: ActivityId.describe("Id of the activity, or the `traceId` of a denial.").register(
      otherNames,
      { names: ["traceId"] },
    ),
    includeTrace: z
      .boolean()
      .describe("Whether to show which parts of each policy decided.")
      .optional(),
  }),
  response: z.object({
    policyEvaluations: z
      .array(PolicyEvaluation)
      .describe("One for each vote, in the order of the votes; one for a denied request."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
    includeTrace: true,
  },

  maxBytes: 8 * 1024 * 1024,
  mayAskStandby: true,
  async answer(context, { activityId, includeTrace = false }) {
    const { db, organizationId, allowance, stored } = context;
    assertLight(allowance, !includeTrace);
    const found = readHere(
      await findActivityWithin(db, organizationId, activityId, allowance.record),
    );
    if (found) {
      const activity = upcast(activityKind, readRecord(found.bytes));
      const versions = new Set(activity.votes.map(({ documentVersion }) => documentVersion));
      assertLight(allowance, versions.size * stored.bytes.length <= allowance.documents);
      return { policyEvaluations: await evaluationsOf(context, activity, includeTrace) };
    }
    const denial = await findDenial(db, organizationId, activityId);
    if (!denial) throw await missingActivity(db, organizationId, activityId);
    const evaluated = await evaluationsOfDenial(context, denial, includeTrace);
    const { createdAtMs } = denial;
    return {
      policyEvaluations: [
        {
          id: activityId,
          activityId,
          organizationId,
          voteId: "",
          policyEvaluations: evaluated,
          createdAt: renderTimestamp(createdAtMs),
        },
      ],
    };
  },
});

type Read = Pick<QueryContext, "db" | "stored" | "interfaces">;

async function evaluationsOf(
  { db, stored, interfaces }: Read,
  activity: ActivityRecord,
  includeTrace: boolean,
): Promise<z.output<typeof PolicyEvaluation>[]> {
  const { activityId, votes } = activity;
  const { organizationId } = stored;
  // A parent does not show the policies that let it send a request.
  const own = votes.filter(({ isParents }) => !isParents);
  const versions = own.map(({ documentVersion }) => documentVersion);
  // Without any evaluation there may be nothing to evaluate: the first activity of an organization.
  const isAsked = votes.some(({ outcomes }) => outcomes !== "");
  const asked = includeTrace && isAsked ? parseRequest(votes[0]?.message ?? "") : null;
  const effort = newEffort();
  const evaluated = new Map<Vote, ExplainedOrNot[]>();
  for await (const { version, organization } of readDocumentsAt(db, stored, versions)) {
    const { document } = organization;
    let subject: Subject | null | undefined;
    for (const [index, vote] of votes.entries()) {
      if (vote.isParents || vote.documentVersion !== version) continue;
      const recorded = decodeOutcomes(vote.outcomes, document);
      evaluated.set(vote, recorded);
      if (!asked || recorded.length === 0 || isSpent(effort)) continue;
      if (subject === undefined) {
        const then = { organizationId, organization };
        subject = await tryReadSubject(db, then, asked, interfaces);
      }
      if (!subject) continue;
      const voted = { ...activity, votes: votes.slice(0, index + 1) };
      const question = questionAt(voted, subject);
      if (question) evaluated.set(vote, await withTraces(recorded, question, effort));
    }
  }
  const lost = own.find((vote) => !evaluated.has(vote));
  if (lost && !(await isVersionRemoved(db, organizationId, lost.documentVersion))) {
    throw new Error(`no document version ${lost.documentVersion}`);
  }
  return votes.map((vote) => {
    // Neither what a parent decided by is shown, nor what was deleted by its age.
    const policyEvaluations = evaluated.get(vote) ?? [];
    return {
      id: vote.voteId,
      activityId,
      organizationId,
      voteId: vote.voteId,
      policyEvaluations,
      createdAt: renderTimestamp(vote.createdAtMs),
    };
  });
}

/** Null if a key was deleted since. Then the outcomes are known, but not explained. */
async function tryReadSubject(
  ...[db, then, asked, interfaces]: Parameters<typeof readSubject>
): Promise<Subject | null> {
  try {
    return await readSubject(db, then, asked, interfaces);
  } catch (error) {
    if (error instanceof MissingRecord) return null;
    throw error;
  }
}

/** The question that policies decided at the last vote, from the records of that version. */
function questionAt(activity: ActivityRecord, subject: Subject): Question | null {
  const { votes } = activity;
  const { document } = subject.organization;
  const [first, last] = [votes[0], votes.at(-1)];
  const submitter = first && findUser(document, first.userId);
  if (!submitter || !last) return null;
  const nowMs = last.createdAtMs;
  const then = { ...activity, windowStartedAtMs: windowOf(activity) };
  const approvals = countedApprovals(then, document, nowMs);
  return { ...subject, submitter, approvals, nowMs };
}

/** Start of the approval window: each vote that came too late for it opened a new one. */
function windowOf({ createdAtMs, votes }: ActivityRecord): number {
  return votes.reduce(
    (startMs, vote) =>
      vote.createdAtMs - startMs >= APPROVAL_WINDOW_MS ? vote.createdAtMs : startMs,
    createdAtMs,
  );
}

async function evaluationsOfDenial(
  { db, stored, interfaces }: Read,
  { body, userId, publicKey, documentVersion, createdAtMs, error }: KeptDenial,
  includeTrace: boolean,
): Promise<ExplainedOrNot[]> {
  const recorded = recordedIn(error);
  if (!includeTrace || body === null || documentVersion === null) return recorded;
  const { value: then } = await readDocumentsAt(db, stored, [documentVersion]).next();
  const submitter = then && findUser(then.document, userId ?? "");
  if (!submitter) return recorded;
  const credential = lastingCredentials(submitter).find(
    ({ public_key }) => public_key === publicKey,
  );
  const subject = await tryReadSubject(db, then, parseRequest(body), interfaces);
  if (!subject) return recorded;
  const approvals = [{ user: submitter, credential }];
  const nowMs = createdAtMs;
  const question = { ...subject, submitter, approvals, nowMs };
  return withTraces(recorded, question, newEffort());
}

function recordedIn({ details }: KeptDenial["error"]): Evaluated[] {
  const detail = details.find(({ policyEvaluations }) => policyEvaluations !== undefined);
  // The shape that `denied` gave the error.
  return (detail?.policyEvaluations as Evaluated[] | undefined) ?? [];
}

type ExplainedOrNot = Evaluated | ExplainedEvaluation;

/** A trace whose outcome differs from the recorded one explains nothing. */
async function withTraces(
  recorded: Evaluated[],
  question: Question,
  effort: Effort,
): Promise<ExplainedOrNot[]> {
  const evaluations = await explainEvaluations(question, effort);
  const explained = new Map(evaluations.map((each) => [each.policyId, each]));
  return recorded.map((evaluation) => {
    const found = explained.get(evaluation.policyId);
    // A rejection ended the policy's wait; the reasons are the same.
    const outcome =
      evaluation.outcome === "OUTCOME_REJECTED" ? "OUTCOME_REQUIRES_CONSENSUS" : evaluation.outcome;
    return found?.outcome === outcome ? { ...evaluation, trace: found.trace } : evaluation;
  });
}
