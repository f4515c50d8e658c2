import { type Decide, type PendingActivity, verifyStampedRequest } from "./consensus.ts";
import { activityError, KeyhearthError } from "./errors.ts";
import { Methods } from "./generated/methods.ts";
import type { Activity } from "./generated/types.ts";
import type {
  ActivityVersions,
  Decided,
  DecideOptions,
  QueryOptions,
  SubmitOptions,
} from "./options.ts";
import { type PollOptions, pollActivity } from "./poll.ts";
import { type Fetch, post, type Stamper } from "./request.ts";

/** What a client needs: the address of the service, the organization and a stamper. */
export type KeyhearthClientOptions = {
  /** Address of the service, such as `http://127.0.0.1:3000`. */
  baseUrl: string;
  /** The organization for every request that does not name another one. */
  organizationId: string;
  stamper: Stamper;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /** How to poll an activity that is not finished yet. By default every 500 ms for one minute. */
  poll?: Partial<PollOptions>;
  /** Timeout of one HTTP request in milliseconds. Default: 30 seconds. */
  timeoutMs?: number;
};

/**
 * The API, with one method for each operation. Queries return their answer. Submissions return the
 * completed activity and the fields of its result. Otherwise they throw a `KeyhearthError`, or an
 * `ActivityConsensusNeededError` if other users have to approve first.
 *
 * If the service is busy (429, or 503 with Retry-After), the client tries again up to three times with
 * the same bytes and the same stamp. It throws every other failure at once.
 */
export class KeyhearthClient extends Methods {
  readonly organizationId: string;
  readonly #baseUrl: string;
  readonly #stamper: Stamper;
  readonly #fetch: Fetch;
  readonly #poll: PollOptions;
  readonly #timeoutMs: number;

  constructor(options: KeyhearthClientOptions) {
    super();
    this.organizationId = options.organizationId;
    // Parsed so that a malformed URL fails here. Its path is kept, for services behind a proxy.
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, "");
    this.#stamper = options.stamper;
    // Browsers refuse to call `fetch` as a method of another object.
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#poll = { intervalMs: 500, timeoutMs: 60_000, ...options.poll };
    this.#timeoutMs = options.timeoutMs ?? 30_000;
  }

  /**
   * Stamps and posts exactly these characters, and returns the answer unchanged. Use it to send a body
   * that was made elsewhere, or to send a body again byte for byte: the same bytes are the same
   * activity.
   */
  async request(
    path: string,
    body: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<Record<string, unknown>> {
    const header = await this.#stamper.stamp(body);
    return post({
      url: this.#baseUrl + path,
      body,
      header,
      fetch: this.#fetch,
      timeoutMs: this.#timeoutMs,
      signal: options.signal,
    });
  }

  /**
   * Approves an activity that waits for consensus, after verifying its request. The original request
   * comes from the first vote. It must hash to the fingerprint and have a valid stamp by the
   * requester. `decide` gets what those bytes say, and the approval is stamped only if it returns
   * true. The intent that the service displays is ignored. If the fingerprint comes from the service,
   * use this and not `approveActivity`.
   */
  async approve(
    activity: string | PendingActivity,
    decide: Decide,
    options: DecideOptions = {},
  ): Promise<Decided> {
    const pending = await this.#pending(activity, options);
    const request = verifyStampedRequest(pending);
    if (!(await decide(request))) {
      const message = `activity \`${pending.id}\` was not approved: \`decide\` declined it`;
      throw new KeyhearthError(message, { code: "DECLINED" });
    }
    const { fingerprint, organizationId } = request;
    return this.approveActivity({ fingerprint }, { ...options, organizationId });
  }

  /** Rejects an activity that waits for consensus. */
  async reject(activity: string | PendingActivity, options: DecideOptions = {}): Promise<Decided> {
    const { fingerprint, organizationId } = await this.#pending(activity, options);
    return this.rejectActivity({ fingerprint }, { ...options, organizationId });
  }

  protected async query<Response>(
    path: string,
    parameters: object,
    options: QueryOptions = {},
  ): Promise<Response> {
    const organizationId = options.organizationId ?? this.organizationId;
    const answer = await this.request(
      path,
      JSON.stringify({ ...parameters, organizationId }),
      options,
    );
    // The contract defines the answer of each query; the generated methods name its type.
    return answer as Response;
  }

  protected async submit<Answer>(
    path: string,
    parameters: object,
    options: SubmitOptions<string> = {},
    versions: ActivityVersions,
  ): Promise<Answer> {
    const { signal, timestampMs, generateAppProofs } = options;
    const type = options.type ?? versions.defaultType;
    const organizationId = options.organizationId ?? this.organizationId;
    const body = JSON.stringify({
      type,
      timestampMs: timestampMs ?? String(Date.now()),
      organizationId,
      parameters,
      generateAppProofs,
    });
    const first = activityOf(await this.request(path, body, options));
    const read = async () => {
      const { id: activityId, organizationId } = first;
      return (await this.getActivity({ activityId }, { organizationId, signal })).activity;
    };
    const activity = await pollActivity(first, read, { ...this.#poll, signal });
    const resultKey = versions.resultKeys[type];
    // The contract defines the result of each version; the generated methods name its type.
    return (resultKey === "*" ? decided(activity) : submitted(activity, resultKey)) as Answer;
  }

  async #pending(
    activity: string | PendingActivity,
    options: QueryOptions,
  ): Promise<PendingActivity> {
    if (typeof activity !== "string") return activity;
    return (await this.getActivity({ activityId: activity }, options)).activity;
  }
}

function submitted(activity: Activity, resultKey: string | undefined) {
  if (activity.status !== "ACTIVITY_STATUS_COMPLETED") throw activityError(activity);
  const results: Record<string, unknown> = { ...activity.result };
  const result = resultKey === undefined ? undefined : results[resultKey];
  if (typeof result !== "object" || result === null) {
    const message = `activity \`${activity.id}\` completed without \`${resultKey}\``;
    throw new KeyhearthError(message, { code: "INVALID_RESPONSE", activity });
  }
  return { ...result, activity };
}

// A vote succeeds whether or not it decides the activity, so only a failed activity is an error.
function decided(activity: Activity): Decided {
  if (activity.status === "ACTIVITY_STATUS_FAILED") throw activityError(activity);
  const [result] = Object.values({ ...activity.result });
  const isResult = typeof result === "object" && result !== null;
  return { activity, result: isResult ? { ...result } : undefined };
}

function activityOf(answer: Record<string, unknown>): Activity {
  const { activity } = answer;
  if (
    typeof activity === "object" &&
    activity !== null &&
    "id" in activity &&
    "status" in activity
  ) {
    // The contract defines the answer of a submission; the members used here are checked.
    return activity as Activity;
  }
  const message = "the service answered a submission without an activity";
  throw new KeyhearthError(message, { code: "INVALID_RESPONSE" });
}
