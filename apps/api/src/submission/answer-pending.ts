import { ApiError, errorDetails, grpcCode } from "@keyhearth/engine/errors";
import { internalError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { isPassing } from "../store/unavailable.ts";
import { type Answered, answerWith, shownIn } from "../wire/answered.ts";
import type { Progress, Proposed } from "./commit-proposal.ts";
import { lastVoter } from "./existing-activity.ts";
import { showActivity } from "./show.ts";

/**
 * The outcome of the work, if it is known in time. Otherwise, if there is a proposal, the answer is
 * PENDING and the client polls. Where another process may get the poll, nothing could be said there of an activity that is
 * in no database yet, so the client is asked to send the same bytes again.
 */
export async function answerInTime(
  host: Host,
  work: Promise<Answered>,
  progress: Progress,
): Promise<Answered> {
  const isLate = await isLaterThan(work, host.commitDeadlineMs);
  if (!isLate || !progress.proposed) return work;
  if (host.mayHaveOthers) {
    noteFailure(host, work, progress.proposed);
    throw late(progress);
  }
  return answerPending(host, progress.proposed, work);
}

function isLaterThan(work: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), deadlineMs);
    const settle = () => {
      clearTimeout(timer);
      resolve(false);
    };
    work.then(settle, settle);
  });
}

function noteFailure({ log }: Host, work: Promise<Answered>, { activity }: Proposed) {
  const { activityId } = activity;
  work.catch((err: unknown) => log.error({ activityId, err }, "a late activity failed"));
}

function late({ isCommitted }: Progress): ApiError {
  const [reason, what] = isCommitted
    ? (["SIGNER_UNAVAILABLE", "the signer has not confirmed the activity"] as const)
    : (["DATABASE_UNAVAILABLE", "the database has not stored the activity"] as const);
  const message = `${what} in time; send the same bytes again to get its outcome`;
  return new ApiError("UNAVAILABLE", reason, message);
}

/** How long a client can poll for the outcome of a PENDING activity. */
const PENDING_RETENTION_MS = 10 * 60 * 1000;

async function answerPending(
  host: Host,
  { activity, stored, parent }: Proposed,
  work: Promise<Answered>,
): Promise<Answered> {
  const { pending, log } = host;
  const { activityId } = activity;
  const waiting = { ...activity, status: "ACTIVITY_STATUS_PENDING" as const, result: null };
  const viewer = lastVoter(activity, stored, parent);
  const shown = await showActivity(host, { stored, activity: waiting, viewer });
  const keep = (answer: Answered) => pending.add(stored.organizationId, activityId, answer);
  keep(shown);
  work
    .then(keep, (cause: unknown) => {
      log.error({ activityId, err: cause }, "a pending activity failed");
      // What was lost on its way may still take effect.
      if (isPassing(cause)) pending.lose(stored.organizationId, activityId);
      else keep(failed(shown, cause));
    })
    .finally(() => {
      setTimeout(() => pending.remove(activityId), PENDING_RETENTION_MS).unref();
    });
  return shown;
}

function failed(answered: Answered, cause: unknown): Answered {
  const error = cause instanceof ApiError ? cause : internalError(cause);
  const { code, message } = error;
  const failure = { code: grpcCode(code), message, details: errorDetails(error) };
  return answerWith({ ...shownIn(answered), status: "ACTIVITY_STATUS_FAILED", failure });
}
