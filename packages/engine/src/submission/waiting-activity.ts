import type { ActivityDeclaration } from "../declare/define.ts";
import { ApiError, recordRefused } from "../errors.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { isOfType } from "../records/kinds.ts";
import { parseAccepted, parseIntent } from "./envelope.ts";
import type { Submission } from "./submission.ts";

/** An existing activity, and the intent of the request that started it. */
export type WaitingActivity = {
  activity: ActivityRecord;
  version: number;
  target: ActivityDeclaration;
  targetIntent: unknown;
  /** The timestamp of the request that started the activity. */
  timestampMs: number;
};

/** Finds the activity that this submission votes on, by fingerprint or by the same bytes. */
export function findWaitingActivity({
  core,
  declaration,
  intent,
  fingerprint,
  records,
  document,
}: Submission): WaitingActivity | null {
  // Both votes have this one parameter.
  const named = declaration.vote ? (intent as { fingerprint: string }).fingerprint : fingerprint;
  const record = records.bound.find(isOfType("activity"));
  if (!record) {
    if (!declaration.vote) return null;
    throw new ApiError(
      "NOT_FOUND",
      "ACTIVITY_NOT_FOUND",
      "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint",
      { field: "parameters.fingerprint" },
    );
  }
  const activity = record.body;
  if (activity.fingerprint !== named || record.header.organizationId !== document.organizationId) {
    throw recordRefused("the host brought a different activity from the one that is voted on");
  }
  // The first vote's message is the request that started the activity.
  const original = parseAccepted(activity.votes[0]?.message ?? "");
  const target = core.activities.ofType(original.type);
  return {
    activity,
    version: record.header.version,
    target,
    targetIntent: parseIntent(target, original),
    timestampMs: original.timestampMs,
  };
}
