import type { Answer } from "../core/protocol.ts";
import type { ActivityDeclaration } from "../declare/define.ts";
import { ApiError, errorDetails, grpcCode } from "../errors.ts";
import type { OutgoingMessage } from "../messages/message.ts";
import { encodeOutcomes, type PolicyEvaluation } from "../policies/evaluations.ts";
import type { ActivityRecord, Vote } from "../records/activity.ts";
import { findUser, type OrganizationDocument } from "../records/organization.ts";
import type { Written } from "../records/write.ts";
import { deriveTimeOrderedId } from "../vault/ids.ts";
import { versionOf } from "./envelope.ts";
import type { Execution } from "./execution.ts";
import { isParents } from "./parents-request.ts";
import { propose } from "./propose.ts";
import type { Submission } from "./submission.ts";

/** An executed activity, and what it changes. */
export type Executed = {
  activity: ActivityRecord;
  /** The organization's next document, if it changes. */
  draft: OrganizationDocument | null;
  /** Does it change nothing but what the document remembers of activities? */
  onlyLists?: boolean;
  written: Written[];
  messages: OutgoingMessage[];
  /** Is the result kept back until the commit is confirmed? */
  isSecret: boolean;
  /** A sub-organization that cannot be made from then on, if it does not exist. */
  unfounded?: string | undefined;
};

/** Of an activity that changes nothing but its own record. */
export const NOTHING: Omit<Executed, "activity"> = {
  draft: null,
  written: [],
  messages: [],
  isSecret: false,
};

/**
 * Runs the handler. A client's error makes the activity FAILED, and nothing else is written, unless it
 * is to refuse the request.
 */
export function run(
  execution: Execution,
  declaration: ActivityDeclaration,
  activity: ActivityRecord,
  handle: () => Record<string, unknown>,
  refusesFailures = false,
): Executed {
  try {
    const result = downgrade(declaration, activity.type, handle());
    execution.context.registrations.assertVerified();
    versionOf(declaration, activity.type).result.parse(result);
    const completed = { ...activity, status: "ACTIVITY_STATUS_COMPLETED" as const, result };
    const { secret } = declaration.answer ?? {};
    const { isVoted, update } = execution.context;
    const isSecret = secret === "always" || (secret === "if voted" && isVoted);
    // Only the confirmation of a document releases it.
    if (isSecret) update();
    const { draft, written, messages } = execution;
    return { activity: completed, draft: draft(), written, messages, isSecret };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "INTERNAL" || refusesFailures) throw error;
    const failure = {
      code: grpcCode(error.code),
      message: error.message,
      details: errorDetails(error),
    };
    const failed = { ...activity, status: "ACTIVITY_STATUS_FAILED" as const, failure };
    return { ...NOTHING, activity: failed };
  }
}

/** Converts the result to the version of the request. */
function downgrade(
  declaration: ActivityDeclaration,
  type: string,
  result: Record<string, unknown>,
): Record<string, unknown> {
  const step = declaration.downgrade?.[type] as
    | ((result: unknown) => Record<string, unknown>)
    | undefined;
  return step ? step(result) : result;
}

/** Proposes the activity and its changes to the host. */
export function finish(
  { core, held, document, envelope, nowMs }: Submission,
  activity: ActivityRecord,
  { draft, onlyLists = false, written, messages, isSecret, unfounded }: Omit<Executed, "activity">,
  activityVersion: number,
): Answer {
  return propose(core, {
    held,
    document,
    activity,
    activityVersion,
    draft,
    onlyLists,
    written,
    messages,
    isSecret,
    unfounded,
    prove: envelope.generateAppProofs,
    nowMs,
  });
}

/** The document that shows the voter. */
function voterIn({
  who: { user },
  held,
  parentHeld,
  document,
  ...deciding
}: Submission): Pick<Vote, "documentVersion" | "isParents"> {
  if (isParents(deciding) && parentHeld) {
    const { shownVersion } = deciding.decider.document;
    return { documentVersion: shownVersion ?? parentHeld.header.version, isParents: true };
  }
  // A newcomer is in the document that the request makes.
  const { version } = held.header;
  const isKnown = findUser(document, user.userId) !== undefined;
  const documentVersion = isKnown ? (document.shownVersion ?? version) : version + 1;
  return { documentVersion, isParents: false };
}

/** Creates the vote of this request's stamp. */
export function createVote(
  submission: Submission,
  activityId: string,
  selection: Vote["selection"],
  evaluations: readonly PolicyEvaluation[],
): Vote {
  const { core, who, body, nowMs } = submission;
  const { id, type } = who.credential;
  const name = `${activityId}|${who.user.userId}|${selection}|${nowMs}`;
  return {
    voteId: deriveTimeOrderedId(core.keyring, name, nowMs),
    userId: who.user.userId,
    ...voterIn(submission),
    selection,
    message: body,
    ...who.stamp,
    sessionEpoch: who.session?.sessionEpoch ?? null,
    credential: { id, type },
    outcomes: encodeOutcomes(evaluations),
    createdAtMs: nowMs,
  };
}
