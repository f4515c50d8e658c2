import type { Activity } from "./generated/types.ts";

/** Codes of errors that the SDK itself throws. All others are the stable codes of the service. */
export type ClientErrorCode =
  | "ABORTED"
  | "NETWORK"
  | "TIMEOUT"
  | "INVALID_RESPONSE"
  | "INVALID_CREDENTIAL"
  | "POLL_TIMEOUT"
  | "ACTIVITY_FAILED"
  | "ACTIVITY_REJECTED"
  | "CONSENSUS_NEEDED"
  | "AUTHENTICATORS_NEEDED"
  | "UNVERIFIED_REQUEST"
  | "NOT_ABOUT_POLICIES"
  | "POLICY_NOT_GIVEN"
  | "DECLINED";

type Facts = {
  code: string;
  grpcCode?: number | undefined;
  httpStatus?: number | undefined;
  field?: string | undefined;
  docsPath?: string | undefined;
  details?: ErrorDetail[] | undefined;
  activity?: Activity | undefined;
  cause?: unknown;
};

/** One entry in the `details` list of an error answer. */
export type ErrorDetail = Record<string, unknown>;

/** Every error that the SDK throws. Branch on `code`: messages are for people and may change. */
export class KeyhearthError extends Error {
  override readonly name: string = "KeyhearthError";
  /** A stable code for programs: the service's, or one of `ClientErrorCode`. */
  readonly code: ClientErrorCode | (string & {});
  /** The gRPC status number, if the service answered with an error. */
  readonly grpcCode: number | undefined;
  readonly httpStatus: number | undefined;
  /** The path of the request's field that is wrong, such as `parameters.accounts[0].curve`. */
  readonly field: string | undefined;
  /** Where the documentation explains this error. */
  readonly docsPath: string | undefined;
  readonly details: ErrorDetail[];
  /** The activity that did not complete, if there is one. */
  readonly activity: Activity | undefined;

  constructor(message: string, facts: Facts) {
    super(oneLine(message), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.grpcCode = facts.grpcCode;
    this.httpStatus = facts.httpStatus;
    this.field = facts.field;
    this.docsPath = facts.docsPath;
    this.details = facts.details ?? [];
    this.activity = facts.activity;
  }

  get activityStatus(): Activity["status"] | undefined {
    return this.activity?.status;
  }
}

/**
 * The request was accepted and waits for approvals. Give `activity.id` to the other approvers, who
 * each call `client.approve`. Once enough of them have approved, sending the same parameters again
 * with the same `timestampMs` returns the result.
 */
export class ActivityConsensusNeededError extends KeyhearthError {
  override readonly name = "ActivityConsensusNeededError";
  override readonly activity: Activity;

  constructor(activity: Activity) {
    const message = `activity \`${activity.id}\` needs more approvals`;
    super(message, { code: "CONSENSUS_NEEDED", activity });
    this.activity = activity;
  }
}

/** The error for an activity that ended, or stopped, without a result. */
export function activityError(activity: Activity): KeyhearthError {
  switch (activity.status) {
    case "ACTIVITY_STATUS_CONSENSUS_NEEDED":
      return new ActivityConsensusNeededError(activity);
    case "ACTIVITY_STATUS_FAILED": {
      const reason = activity.failure?.message ?? "no reason given";
      return new KeyhearthError(`activity \`${activity.id}\` failed: ${reason}`, {
        ...failureFacts(activity.failure),
        activity,
      });
    }
    case "ACTIVITY_STATUS_REJECTED":
      return new KeyhearthError(`activity \`${activity.id}\` was rejected`, {
        code: "ACTIVITY_REJECTED",
        activity,
      });
    default:
      return new KeyhearthError(`activity \`${activity.id}\` stopped at ${activity.status}`, {
        code: "AUTHENTICATORS_NEEDED",
        activity,
      });
  }
}

/** The error for an answer whose HTTP status is not a success. */
export function answerError(httpStatus: number, text: string): KeyhearthError {
  const answer = parseObject(text);
  if (!answer || typeof answer.message !== "string") {
    return new KeyhearthError(`the service answered ${httpStatus} without an error message`, {
      code: "INVALID_RESPONSE",
      httpStatus,
    });
  }
  const { message, code, details } = answer;
  return new KeyhearthError(message, {
    code: "UNKNOWN",
    ...statusFacts(code, details),
    httpStatus,
  });
}

function failureFacts(failure: Activity["failure"]): Facts {
  return { code: "ACTIVITY_FAILED", ...statusFacts(failure?.code, failure?.details) };
}

// The first detail that has a code also has the field and the page.
function statusFacts(grpcCode: unknown, details: unknown): Partial<Facts> {
  const list = Array.isArray(details) ? details.filter(isObject) : [];
  const detail = list.find(({ code }) => typeof code === "string");
  return {
    ...(detail ? { code: String(detail.code) } : {}),
    grpcCode: typeof grpcCode === "number" ? grpcCode : undefined,
    field: text(detail?.field),
    docsPath: text(detail?.docs),
    details: list,
  };
}

export function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function oneLine(message: string): string {
  return message.replace(/\s*[\r\n]+\s*/g, " ");
}
