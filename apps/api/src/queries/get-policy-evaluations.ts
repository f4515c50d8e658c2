import type { Question } from "@keyhearth/engine/authorize";
import type { Brought } from "@keyhearth/engine/brought";
import { notFound } from "@keyhearth/engine/errors";
import { decodeOutcomes, type PolicyEvaluation as Evaluated } from "@keyhearth/engine/evaluations";
import { type ExplainedEvaluation, explain } from "@keyhearth/engine/explain";
import { OrganizationId } from "@keyhearth/engine/fields";
import {
  type ActivityRecord,
  APPROVAL_WINDOW_MS,
  activity as activityKind,
} from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { findUser, type OrganizationDocument } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { countedApprovals, policyCredential } from "@keyhearth/engine/vote";
import * as z from "zod";
import { ActivityId } from "../objects.ts";
import { PolicyEvaluation } from "../policy-evaluations.ts";
import { askedBy, bring } from "../question.ts";
import { renderTimestamp } from "../render.ts";
import { findActivity } from "../store/activities.ts";
import type { Db } from "../store/connect.ts";
import { findDenial, type KeptDenial } from "../store/denials.ts";
import { listDocumentVersions, type StoredDocument } from "../store/organizations.ts";
import { defineQuery } from "./define.ts";

/** What the policies came to at each vote of an activity, or at a request that was denied. */
export const getPolicyEvaluations = defineQuery({
  name: "get_policy_evaluations",
  tag: "Policies",
  summary: "Get policy evaluations",
  description:
    "Get what each policy came to at every vote of an activity. A denied request leaves no activity: ask with the `traceId` of its error, which is kept for a day. With `includeTrace` the reasons are computed anew from the policies and records of that time.",
  requestName: "GetPolicyEvaluationsRequest",
  responseName: "GetPolicyEvaluationsResponse",
  request: z.object({
    organizationId: OrganizationId,
    activityId: ActivityId.describe("Id of the activity, or the `traceId` of a denial."),
    includeTrace: z.boolean().describe("Say which parts of each policy decided.").optional(),
  }),
  response: z.object({
    policyEvaluations: z
      .array(PolicyEvaluation)
      .describe("One for each vote, in their order; one for a denied request."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
    includeTrace: true,
  },

  async answer({ db, organizationId, stored }, { activityId, includeTrace = false }) {
    const found = await findActivity(db, organizationId, activityId);
    if (found) {
      const activity = upcast(activityKind, readRecord(found.bytes));
      return { policyEvaluations: await evaluationsOf(db, stored, activity, includeTrace) };
    }
    const denial = await findDenial(db, organizationId, activityId);
    if (!denial) throw notFound("activity", activityId);
    const evaluated = await evaluationsOfDenial(db, stored, denial, includeTrace);
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

async function evaluationsOf(
  db: Db,
  stored: StoredDocument,
  activity: ActivityRecord,
  includeTrace: boolean,
): Promise<z.output<typeof PolicyEvaluation>[]> {
  const { activityId, votes } = activity;
  const documents = await documentsAt(
    db,
    stored,
    votes.map(({ documentVersion }) => documentVersion),
  );
  const needsTraces = includeTrace && votes.some(({ outcomes }) => outcomes !== "");
  const about = needsTraces ? await aboutActivity(db, stored, activity, documents) : null;
  return votes.map((vote, index) => {
    const document = documents.get(vote.documentVersion);
    if (!document) throw new Error(`no document version ${vote.documentVersion}`);
    const recorded = decodeOutcomes(vote.outcomes, document);
    return {
      id: vote.voteId,
      activityId,
      organizationId: stored.organizationId,
      voteId: vote.voteId,
      policyEvaluations: about ? withTraces(recorded, about(document, index)) : recorded,
      createdAt: renderTimestamp(vote.createdAtMs),
    };
  });
}

/** Rebuilds the question that each vote put to the policies, from the records of that version. */
async function aboutActivity(
  db: Db,
  { organizationId }: StoredDocument,
  activity: ActivityRecord,
  documents: Map<number, OrganizationDocument>,
): Promise<(document: OrganizationDocument, index: number) => Question | null> {
  const asked = askedBy(activity.votes[0]?.message ?? "");
  const records = new Map<OrganizationDocument, Brought[]>();
  for (const document of documents.values()) {
    records.set(document, await bring(db, { organizationId, document }, asked));
  }
  return (document, index) => {
    const brought = records.get(document) ?? [];
    const votes = activity.votes.slice(0, index + 1);
    const [first, last] = [votes[0], votes.at(-1)];
    const submitter = first && findUser(document, first.userId);
    if (!submitter || !last) return null;
    const nowMs = last.createdAtMs;
    const then = { ...activity, votes, windowStartedAtMs: windowOf(activity, votes) };
    const approvals = countedApprovals(then, document, nowMs);
    return { ...asked, document, brought, submitter, approvals, nowMs };
  };
}

/** Each vote that came too late for the window opened a new one. */
function windowOf({ createdAtMs }: ActivityRecord, votes: ActivityRecord["votes"]): number {
  return votes.reduce(
    (startMs, vote) =>
      vote.createdAtMs - startMs >= APPROVAL_WINDOW_MS ? vote.createdAtMs : startMs,
    createdAtMs,
  );
}

async function evaluationsOfDenial(
  db: Db,
  stored: StoredDocument,
  { body, userId, publicKey, documentVersion, createdAtMs, error }: KeptDenial,
  includeTrace: boolean,
): Promise<ExplainedOrNot[]> {
  const recorded = recordedIn(error);
  if (!includeTrace || body === null || documentVersion === null) return recorded;
  const document = (await documentsAt(db, stored, [documentVersion])).get(documentVersion);
  const submitter = document && findUser(document, userId ?? "");
  if (!document || !submitter) return recorded;
  const key = submitter.apiKeys.find(({ credential }) => credential.publicKey === publicKey);
  const credential =
    key && policyCredential(submitter.userId, { id: key.apiKeyId, ...key.credential });
  const asked = askedBy(body);
  const brought = await bring(db, { ...stored, document }, asked);
  const approvals = [{ user: submitter, credential }];
  const nowMs = createdAtMs;
  return withTraces(recorded, { ...asked, document, brought, submitter, approvals, nowMs });
}

function recordedIn({ details }: KeptDenial["error"]): Evaluated[] {
  const detail = details.find(({ policyEvaluations }) => policyEvaluations !== undefined);
  // The shape that `denied` gave the error.
  return (detail?.policyEvaluations as Evaluated[] | undefined) ?? [];
}

type ExplainedOrNot = Evaluated | ExplainedEvaluation;

/** A trace that comes to another outcome than the one that was recorded explains nothing. */
function withTraces(recorded: Evaluated[], question: Question | null): ExplainedOrNot[] {
  if (!question || recorded.length === 0) return recorded;
  const explained = new Map(explain(question).evaluations.map((each) => [each.policyId, each]));
  return recorded.map((evaluation) => {
    const found = explained.get(evaluation.policyId);
    // A rejection ended what the policy waited for; the reasons are the same.
    const outcome =
      evaluation.outcome === "OUTCOME_REJECTED" ? "OUTCOME_REQUIRES_CONSENSUS" : evaluation.outcome;
    return found?.outcome === outcome ? { ...evaluation, trace: found.trace } : evaluation;
  });
}

async function documentsAt(
  db: Db,
  current: StoredDocument,
  versions: number[],
): Promise<Map<number, OrganizationDocument>> {
  const older = versions.filter((version) => version !== current.version);
  const documents = await listDocumentVersions(db, current.organizationId, [...new Set(older)]);
  return new Map([current, ...documents].map(({ version, document }) => [version, document]));
}
