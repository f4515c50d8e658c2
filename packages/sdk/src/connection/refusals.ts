import {
  ActivityFailed,
  Conflict,
  ConsensusNeeded,
  type ErrorDetail,
  type ErrorFacts,
  type FieldProblem,
  InvalidField,
  KeyhearthError,
  LimitExceeded,
  NotFound,
  PermissionDenied,
  PolicyDenied,
  RateLimited,
  Rejected,
  SessionEnded,
  Unauthenticated,
  Unavailable,
} from "../errors/errors.ts";
import type { Activity } from "../generated/types.ts";
import { isObject, pageOf, parseObject, retryAfterMs } from "./answers.ts";

// Turns the service's error answers, and activities that did not complete, into errors of the SDK. Loaded when there is
// one, so that pages stay small.

/** The error for an activity that ended, or stopped, without a result. */
export function activityError(activity: Activity, baseUrl: string): KeyhearthError {
  const { id, status, failure } = activity;
  switch (status) {
    case "ACTIVITY_STATUS_CONSENSUS_NEEDED":
      return new ConsensusNeeded(activity, pageOf(baseUrl, "CONSENSUS_NEEDED"));
    case "ACTIVITY_STATUS_FAILED": {
      const facts = statusFacts(failure?.code, failure?.details, baseUrl);
      const reason = failure?.message ?? "the service gave no reason";
      return new ActivityFailed(`Activity ${id} failed: ${reason}`, {
        code: "ACTIVITY_FAILED",
        ...facts,
        serviceMessage: failure?.message,
        activity,
      });
    }
    case "ACTIVITY_STATUS_REJECTED":
      return new Rejected(
        `Activity ${id} was rejected by a vote. Talk to the approvers before you send it again`,
        { code: "ACTIVITY_REJECTED", activity, docsUrl: pageOf(baseUrl, "ACTIVITY_REJECTED") },
      );
    default:
      return new KeyhearthError(
        `Activity ${id} stopped at ${status}, which this SDK cannot continue. Update the SDK`,
        {
          code: "AUTHENTICATORS_NEEDED",
          activity,
          docsUrl: pageOf(baseUrl, "AUTHENTICATORS_NEEDED"),
        },
      );
  }
}

/** The error for an answer whose HTTP status is not a success. Undefined if it is not of the API. */
export function answerError(
  { status, headers }: Response,
  text: string,
  baseUrl: string,
): KeyhearthError | undefined {
  const answer = parseObject(text);
  if (!answer || typeof answer.message !== "string") return undefined;
  const facts = {
    code: "UNKNOWN",
    ...statusFacts(answer.code, answer.details, baseUrl),
    httpStatus: status,
    serviceMessage: answer.message,
    retryAfterMs: retryAfterMs(headers),
  };
  const message = answer.message + clockRemark(facts.code, headers);
  const fields = fieldsOf(facts.details ?? [], message);
  return new (classOf(facts))(message, { ...facts, fields });
}

function classOf({ code, httpStatus, grpcCode, retryAfterMs }: ErrorFacts) {
  if (code === "POLICY_DENIED") return PolicyDenied;
  if (code === "CREDENTIAL_EXPIRED") return SessionEnded;
  // The gRPC status is exact; old clients expect some HTTP statuses that are not.
  switch (grpcCode) {
    case 3:
      return InvalidField;
    case 5:
      return NotFound;
    case 6:
      return Conflict;
    case 7:
      return PermissionDenied;
    case 8:
      return code === "RATE_LIMITED" || retryAfterMs !== undefined ? RateLimited : LimitExceeded;
    case 16:
      return Unauthenticated;
    default:
      return httpStatus !== undefined && httpStatus >= 500 ? Unavailable : KeyhearthError;
  }
}

// The first detail that has a code also has the field and the page.
function statusFacts(grpcCode: unknown, details: unknown, baseUrl: string): Partial<ErrorFacts> {
  const list: ErrorDetail[] = Array.isArray(details) ? details.filter(isObject) : [];
  const detail = list.find(
    ({ code }) => typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code),
  );
  const page = typeof detail?.docs === "string" ? detail.docs : undefined;
  return {
    ...(detail ? { code: String(detail.code) } : {}),
    grpcCode: typeof grpcCode === "number" ? grpcCode : undefined,
    field: typeof detail?.field === "string" ? detail.field : undefined,
    // A page of the service itself: messages and logs show the link as it is.
    docsUrl: page && /^\/[\w/.#-]{0,200}$/.test(page) ? siteOf(baseUrl, detail) + page : undefined,
    details: list,
  };
}

/** Where the pages are. A service that does not know the path of the request has them above it. */
function siteOf(baseUrl: string, detail: ErrorDetail | undefined): string {
  return detail?.code === "ROUTE_NOT_FOUND" ? new URL(baseUrl).origin : baseUrl;
}

function fieldsOf(details: ErrorDetail[], message: string): FieldProblem[] {
  return details.flatMap(({ field, message: part }) =>
    typeof field === "string"
      ? [{ field, message: typeof part === "string" ? part : message }]
      : [],
  );
}

// Browsers hide the Date header of other origins; then the service's own words have to do.
function clockRemark(code: string, headers: Headers): string {
  const serverMs = Date.parse(headers.get("date") ?? "");
  if (code !== "TIMESTAMP_OUT_OF_RANGE" || Number.isNaN(serverMs)) return "";
  const minutes = Math.round((Date.now() - serverMs) / 60_000);
  if (minutes === 0) return "";
  const direction = minutes > 0 ? "ahead of" : "behind";
  return `. The clock of this machine is ${Math.abs(minutes)} min ${direction} the service's: set it right`;
}
