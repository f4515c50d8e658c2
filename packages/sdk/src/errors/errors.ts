import type { Activity, PolicyOutcome } from "../generated/types.ts";

/** Codes of errors that the SDK itself throws. All others are the stable codes of the service. */
export type ClientErrorCode =
  | "ABORTED"
  | "ACTIVITY_FAILED"
  | "ACTIVITY_REJECTED"
  | "AUTHENTICATORS_NEEDED"
  | "CANCELLED"
  | "CONSENSUS_NEEDED"
  | "DECLINED"
  | "FRAME_REFUSED"
  | "INVALID_CREDENTIAL"
  | "INVALID_OPTION"
  | "INVALID_RESPONSE"
  | "NETWORK"
  | "NOT_ABOUT_POLICIES"
  | "PASSKEY_EXISTS"
  | "POLICY_NOT_GIVEN"
  | "POLL_TIMEOUT"
  | "REDIRECTED"
  | "SESSION_ENDED"
  | "TIMEOUT"
  | "UNSUPPORTED"
  | "UNVERIFIED";

/** What an error knows besides its message. */
export type ErrorFacts = {
  code: ClientErrorCode | (string & {});
  grpcCode?: number | undefined;
  httpStatus?: number | undefined;
  field?: string | undefined;
  docsUrl?: string | undefined;
  details?: ErrorDetail[] | undefined;
  /** For \`InvalidField\`. */
  fields?: FieldProblem[] | undefined;
  serviceMessage?: string | undefined;
  activity?: Activity | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** One entry in the `details` list of an error answer. */
export type ErrorDetail = Record<string, unknown>;

/** A field of a request or of an option that is wrong, and why. */
export type FieldProblem = { field: string; message: string };

/**
 * Every error that the SDK throws. Branch on its class or on `code`: messages are for people and may
 * change.
 */
export class KeyhearthError extends Error {
  override readonly name: string = "KeyhearthError";
  /** A stable code for programs: the service's, or one of `ClientErrorCode`. */
  readonly code: ClientErrorCode | (string & {});
  /** The gRPC status number, if the service answered with an error. */
  readonly grpcCode: number | undefined;
  readonly httpStatus: number | undefined;
  /** The path of the first field that is wrong, such as `parameters.accounts[0].curve`. */
  readonly field: string | undefined;
  /** The page that explains this error. */
  readonly docsUrl: string | undefined;
  readonly details: ErrorDetail[];
  /** The service's own message on one line, if it gave one; `message` adds the page and remarks. */
  readonly serviceMessage: string | undefined;
  /** The activity that did not complete, if there is one. */
  readonly activity: Activity | undefined;

  constructor(message: string, facts: ErrorFacts) {
    const line = oneLine(message);
    super(
      facts.docsUrl ? `${sentence(line)} See ${facts.docsUrl}` : line,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.code = facts.code;
    this.grpcCode = facts.grpcCode;
    this.httpStatus = facts.httpStatus;
    this.field = facts.field;
    this.docsUrl = facts.docsUrl;
    this.details = facts.details ?? [];
    this.serviceMessage = facts.serviceMessage && oneLine(facts.serviceMessage);
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
export class ConsensusNeeded extends KeyhearthError {
  override readonly name = "ConsensusNeeded";
  override readonly activity: Activity;

  constructor(activity: Activity, docsUrl: string) {
    const message =
      `Activity ${activity.id} waits for more approvals. ` +
      `Ask another approver to call client.approve("${activity.id}", decide).`;
    super(message, { code: "CONSENSUS_NEEDED", activity, docsUrl });
    this.activity = activity;
  }

  /** Identifies the request's exact bytes. Approvals name it. */
  get fingerprint(): string {
    return this.activity.fingerprint;
  }
}

/** The credential is known, but its user may not do this. */
export class PermissionDenied extends KeyhearthError {
  override readonly name: string = "PermissionDenied";
}

/** No policy allows this request, or one denies it. `explainDenial` returns the reasons. */
export class PolicyDenied extends PermissionDenied {
  override readonly name = "PolicyDenied";

  /** How each policy was evaluated, in the order of the organization's policies. */
  get evaluations(): Pick<PolicyOutcome, "policyId" | "outcome">[] {
    const listed = this.details.find(({ policyEvaluations }) => Array.isArray(policyEvaluations));
    // The contract defines this list of the policy engine's error detail.
    return (listed?.policyEvaluations ?? []) as Pick<PolicyOutcome, "policyId" | "outcome">[];
  }

  /** Where the service keeps the denied request for a day, if it kept it. */
  get traceId(): string | undefined {
    const trace = this.details.find(({ traceId }) => typeof traceId === "string");
    return trace && String(trace.traceId);
  }
}

/** Another user voted against the request, so it will not be executed. */
export class Rejected extends KeyhearthError {
  override readonly name = "Rejected";
}

/** The request was allowed, but it could not be executed; `code` says why. */
export class ActivityFailed extends KeyhearthError {
  override readonly name = "ActivityFailed";
}

/** The request or an option is wrong. Sending it again gives the same answer. */
export class InvalidField extends KeyhearthError {
  override readonly name = "InvalidField";
  /** Every field that is wrong. Empty if the error is about the request as a whole. */
  readonly fields: FieldProblem[];

  constructor(message: string, facts: ErrorFacts) {
    super(message, { ...facts, field: facts.field ?? facts.fields?.[0]?.field });
    this.fields = facts.fields ?? [];
  }
}

/** The service does not know the credential, or the stamp is not valid. */
export class Unauthenticated extends KeyhearthError {
  override readonly name: string = "Unauthenticated";
}

/** There is no session, or it has expired or was deleted: the user has to log in again. */
export class SessionEnded extends Unauthenticated {
  override readonly name = "SessionEnded";
}

/** What the request names does not exist in this organization. */
export class NotFound extends KeyhearthError {
  override readonly name = "NotFound";
}

/** The request is in conflict with what exists, such as a name that is taken. */
export class Conflict extends KeyhearthError {
  override readonly name = "Conflict";
}

/** The organization or the user has the maximum number of these. Waiting does not help. */
export class LimitExceeded extends KeyhearthError {
  override readonly name = "LimitExceeded";
}

/** Too many requests in too short a time, even after the client waited and tried again. */
export class RateLimited extends KeyhearthError {
  override readonly name = "RateLimited";
  /** How long to wait, in milliseconds, if the service said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/**
 * The service could not be reached or could not answer. The same bytes can be sent again: a submission
 * with the same parameters and the same `timestampMs` is executed at most once.
 */
export class Unavailable extends KeyhearthError {
  override readonly name = "Unavailable";
}

/** Something answered, but not as a Keyhearth service does. Mostly, `baseUrl` is wrong. */
export class UnexpectedAnswer extends KeyhearthError {
  override readonly name = "UnexpectedAnswer";
}

/** A key has the wrong form, is on another curve, or does not belong to its other half. */
export class InvalidCredential extends KeyhearthError {
  override readonly name = "InvalidCredential";
}

/**
 * The browser or the runtime lacks what this needs, or keeps it from the page: WebCrypto, passkeys or
 * storage. Trying again does not help.
 */
export class Unsupported extends KeyhearthError {
  override readonly name = "Unsupported";
}

/** A person or the program stopped the request: nothing was sent, or its answer was not awaited. */
export class Cancelled extends KeyhearthError {
  override readonly name = "Cancelled";
}

/** What the service showed does not agree with the stamps, signatures or fingerprints in it. */
export class Unverified extends KeyhearthError {
  override readonly name = "Unverified";
}

/**
 * The text on one line, for terminals and logs: without control characters, which could start an escape
 * sequence, without those that turn the direction of what follows, and no longer than anyone reads.
 */
function oneLine(message: string): string {
  return message
    .slice(0, 4000)
    .replace(/\s*[\p{C}\u2028\u2029]+\s*/gu, " ")
    .trim();
}

function sentence(line: string): string {
  return /[.!?:]$/.test(line) ? line : `${line}.`;
}
