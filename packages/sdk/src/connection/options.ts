import type { Activity } from "../generated/types.ts";

/** Options of every query, in addition to its parameters. */
export type QueryOptions = {
  /** The organization to read, if it is not the connection's own. For example, a sub-organization. */
  organizationId?: string;
  signal?: AbortSignal;
  /** The trace that this request belongs to, if it is not what the connection's `traceparent` says. */
  traceparent?: string;
};

/** Options of every submission, in addition to its parameters. */
export type SubmitOptions<Type extends string> = {
  /** The organization to act on, if it is not the connection's own. */
  organizationId?: string;
  /**
   * Time of the request in milliseconds. Default: now. The same parameters with the same
   * `timestampMs` are the same activity: sending them again changes nothing and returns its current
   * state, and sending them as another user adds that user's approval.
   */
  timestampMs?: string;
  /** The version of the activity type, if it is not the default one. */
  type?: Type;
  /** Asks the service to return a signed statement about the activity. */
  generateAppProofs?: boolean;
  signal?: AbortSignal;
  /** The trace that this request belongs to, if it is not what the connection's `traceparent` says. */
  traceparent?: string;
};

/** Options for approving and rejecting. */
export type DecideOptions = QueryOptions &
  Pick<SubmitOptions<string>, "generateAppProofs"> & {
    /**
     * The fingerprint that the requester has. The service says which request has an id, so a program that cannot judge
     * the request itself passes this. Nothing is stamped for a request with another one.
     */
    fingerprint?: string;
  };

/** The answer to a submission: the completed activity, and the fields of its result. */
export type Submitted<Result> = Result & { activity: Activity };

/**
 * The answer to an approval or a rejection: the activity that was voted on, in its state after the
 * vote. Once it has completed, `result` holds the fields of its result.
 */
export type Decided = { activity: Activity; result: Record<string, unknown> | undefined };

/** Where a submission is sent, and where each of its versions puts its result. */
export type SubmissionFacts = {
  readonly path: string;
  readonly defaultType: string;
  /** The key of the result by activity type; `*` is the result of a decision. */
  readonly resultKeys: Readonly<Record<string, string>>;
};
