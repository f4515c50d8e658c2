/** The client of a Keyhearth service, for browsers, Node.js and other runtimes. */
export { approve, explainDenial, type RejectOptions, reject } from "./approvals/approvals.ts";
export type {
  Decide,
  DecideToReject,
  PendingActivity,
  RequestToReject,
  VerifiedRequest,
} from "./approvals/consensus.ts";
export type {
  Answer,
  BareQuery,
  BareSubmission,
  MethodOf,
  Query,
  Submission,
} from "./calls/call.ts";
export * from "./calls/generated/calls.ts";
export type { Methods } from "./calls/generated/methods.ts";
export { KeyhearthClient } from "./client.ts";
export { Connection, type ConnectionOptions } from "./connection/connection.ts";
export type {
  Decided,
  DecideOptions,
  QueryOptions,
  SubmitOptions,
  Submitted,
} from "./connection/options.ts";
export type { PollOptions } from "./connection/poll.ts";
export type { Fetch, Stamper } from "./connection/request.ts";
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
} from "./errors/errors.ts";
export type * from "./generated/types.ts";
export { type ApiKeyScheme, ApiKeyStamper, type ApiKeyStamperOptions } from "./stampers/api-key.ts";
