import { ApiError, type ErrorCode, noOrganization, type Reason } from "@keyhearth/engine/errors";

export function organizationNotFound(organizationId: string): ApiError {
  return new ApiError("NOT_FOUND", "ORGANIZATION_NOT_FOUND", noOrganization(organizationId), {
    field: "organizationId",
  });
}

/** The activity has ended, and is older than what the operator keeps. `field` names it in the request. */
export function activityRemoved(field: string, activityId: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ACTIVITY_REMOVED",
    `activity \`${activityId}\` has ended, and this service keeps activities only for a time, which is over; its receipts are still there: call get_receipts with its id`,
    { field },
  );
}

/** What clients see of a bug: no details. */
export function internalError(cause?: unknown): ApiError {
  return new ApiError("INTERNAL", "INTERNAL", "internal server error", { cause });
}

/**
 * A record that the document names is not in the database. The document may have changed since it was
 * read; otherwise the database is damaged.
 */
export class MissingRecord extends Error {
  readonly record: string;

  constructor(record: string, cause?: unknown) {
    super(`the record of ${record} is missing`, { cause });
    this.record = record;
  }
}

/** An error that passes by itself, and the time after which a client should try again. */
export class TryLater extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(code: ErrorCode, reason: Reason, message: string, retryAfterSeconds: number) {
    super(code, reason, message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What answers say about a limit on requests. */
export type RateLimitHeaders = { "ratelimit-limit": string; "ratelimit-remaining": string };

/** More requests than a limit allows. Clients look for the text. */
export class RateLimited extends TryLater {
  readonly headers: RateLimitHeaders;

  constructor(headers: RateLimitHeaders, retryAfterSeconds = 1) {
    super(
      "RESOURCE_EXHAUSTED",
      "RATE_LIMITED",
      "Too many requests. Please wait and try again in a few seconds",
      retryAfterSeconds,
    );
    this.headers = headers;
  }
}
