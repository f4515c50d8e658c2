/** The client of a Keyhearth service, for browsers, Node.js and other runtimes. */
export { approve, explainDenial, reject } from "./approvals.ts";
export type {
  Answer,
  BareQuery,
  BareSubmission,
  MethodOf,
  Query,
  Submission,
} from "./call.ts";
export { KeyhearthClient } from "./client.ts";
export { Connection, type ConnectionOptions } from "./connection.ts";
export type { Decide, PendingActivity, VerifiedRequest } from "./consensus.ts";
export {
  ActivityFailed,
  Cancelled,
  type ClientErrorCode,
  Conflict,
  ConsensusNeeded,
  type ErrorDetail,
  type FieldProblem,
  InvalidCredential,
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
  UnexpectedAnswer,
  Unsupported,
  Unverified,
} from "./errors.ts";
export * from "./generated/calls.ts";
export type { Methods } from "./generated/methods.ts";
export type * from "./generated/types.ts";
export type {
  Decided,
  DecideOptions,
  QueryOptions,
  SubmitOptions,
  Submitted,
} from "./options.ts";
export type { PollOptions } from "./poll.ts";
export type { Fetch, Stamper } from "./request.ts";
export { type ApiKeyScheme, ApiKeyStamper, type ApiKeyStamperOptions } from "./stampers/api-key.ts";
