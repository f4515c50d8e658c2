import type { Activity } from "./generated/types.ts";

/** What every query accepts beside its parameters. */
export type QueryOptions = {
  /** The organization to read, when it is not the client's own: a sub-organization, for example. */
  organizationId?: string;
  signal?: AbortSignal;
};

/** What every submission accepts beside its parameters. */
export type SubmitOptions<Type extends string> = {
  /** The organization to act on, when it is not the client's own. */
  organizationId?: string;
  /**
   * When the request was made, in milliseconds; now, unless given. The same parameters with the
   * same `timestampMs` are the same activity: sending them again changes nothing and answers with
   * what became of it, and sending them as another user adds that user's approval.
   */
  timestampMs?: string;
  /** The version of the activity type, when it is not the default one. */
  type?: Type;
  /** Asks the service to return a signed statement about the activity. */
  generateAppProofs?: boolean;
  signal?: AbortSignal;
};

/** What approving and rejecting accept. */
export type DecideOptions = QueryOptions & Pick<SubmitOptions<string>, "generateAppProofs">;

/** The answer to a submission: the completed activity, and the fields of its result. */
export type Submitted<Result> = Result & { activity: Activity };

/**
 * The answer to an approval or a rejection: the activity that was decided on, in the state it is in
 * after the vote. Once it is completed, `result` holds the fields of its own result.
 */
export type Decided = { activity: Activity; result: Record<string, unknown> | undefined };

/** Where the result of each version of an activity stands; `*` is the result of a decision. */
export type ActivityVersions = {
  readonly defaultType: string;
  readonly resultKeys: Readonly<Record<string, string>>;
};
