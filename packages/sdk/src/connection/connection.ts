import { checkConnectionOptions, checkedHeader, checkedOptions, json } from "../errors/checks.ts";
import { isText } from "../errors/given-values.ts";
import type { Activity, ActivityResponse } from "../generated/types.ts";
import { isInProgress, pageOf } from "./answers.ts";
import type { Decided, QueryOptions, SubmissionFacts, SubmitOptions } from "./options.ts";
import type { PollOptions } from "./poll.ts";
import { aborted, type Fetch, post, type Stamper } from "./request.ts";
import { serviceAddress } from "./service-address.ts";

/** What a connection needs: the address of the service, the organization and a stamper. */
export type ConnectionOptions = {
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
  /** How often a request is sent again after it was lost or put off. Default: 3. */
  maxRetries?: number;
  /**
   * The service's quorum key, in hex, which you got from its operator and not from the service. Then
   * every call throws `Unverified` unless the signer has proven each address of a key that its answer
   * shows, and unless public keys fit their addresses. Submissions that return addresses ask for a signed
   * statement of their outcome (`generateAppProofs`).
   */
  quorumPublicKey?: string;
  /**
   * Returns the `traceparent` header of W3C Trace Context for each request, so that a service that traces its requests
   * goes on with your trace. Another text is not sent.
   */
  traceparent?: () => string | undefined;
};

/**
 * Where requests go, and who stamps them. Every call of the API takes a connection as its first
 * argument; a `KeyhearthClient` is a connection that has all calls as methods.
 *
 * If the network fails or the service is busy (429, or 503 with Retry-After), it sends the same bytes with
 * the same stamp again. It throws every other failure at once.
 */
export class Connection {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly stamper: Stamper;
  readonly #fetch: Fetch;
  readonly #poll: PollOptions;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #quorumPublicKey: string | undefined;
  readonly #traceparent: (() => string | undefined) | undefined;

  constructor(options: ConnectionOptions) {
    checkConnectionOptions(options);
    this.baseUrl = serviceAddress(new URL(options.baseUrl).href);
    this.organizationId = options.organizationId;
    this.stamper = options.stamper;
    // Browsers refuse to call `fetch` as a method of another object.
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const { intervalMs = 500, timeoutMs = 60_000 } = options.poll ?? {};
    this.#poll = { intervalMs, timeoutMs };
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#maxRetries = options.maxRetries ?? 3;
    this.#quorumPublicKey = options.quorumPublicKey?.toLowerCase();
    this.#traceparent = options.traceparent;
  }

  /**
   * Stamps and posts exactly these characters, and returns the answer unchanged. Use it to send a body
   * that was made elsewhere, or to send a body again byte for byte: the same bytes are the same
   * activity.
   */
  async request(
    path: string,
    body: string,
    options: { signal?: AbortSignal | undefined; traceparent?: string | undefined } = {},
  ): Promise<Record<string, unknown>> {
    const { signal, traceparent = this.#traceparent?.() } = await checkedOptions(options);
    // Before a stamper asks a person for a passkey.
    if (signal?.aborted) throw aborted(signal);
    const header = await checkedHeader(await this.stamper.stamp(body));
    return post({
      baseUrl: this.baseUrl,
      path,
      body,
      header,
      ...(isText(traceparent, TRACEPARENT) && { headers: { traceparent } }),
      fetch: this.#fetch,
      timeoutMs: this.#timeoutMs,
      maxRetries: this.#maxRetries,
      signal,
    });
  }

  /** Sends a query and returns its answer. The exported calls name their types. */
  async query<Answer>(
    path: string,
    parameters: object,
    options: QueryOptions = {},
  ): Promise<Answer> {
    const { organizationId = this.organizationId } = await checkedOptions(options);
    const proofs = await this.#proofsFor(path);
    const body = await json({ ...proofs, ...parameters, organizationId });
    const answer = await this.request(path, body, options);
    await assertIds([answer.activity, answer.activities], this.baseUrl);
    await this.#verify(answer, organizationId, parameters);
    // The contract defines the answer of each query; the generated calls name its type.
    return answer as Answer;
  }

  /** Sends a submission and returns its activity as the service first answered it. */
  async submit(
    submission: SubmissionFacts,
    parameters: object,
    options: SubmitOptions<string> = {},
  ): Promise<Activity> {
    const { timestampMs, generateAppProofs, type } = await checkedOptions(options);
    const { organizationId = this.organizationId } = options;
    const proofs = await this.#proofsFor(submission.path);
    const body = await json({
      type: type ?? submission.defaultType,
      timestampMs: timestampMs ?? String(Date.now()),
      organizationId,
      parameters,
      generateAppProofs: generateAppProofs ?? proofs.generateAppProofs,
    });
    const activity = await activityOf(
      await this.request(submission.path, body, options),
      this.baseUrl,
    );
    // The answer to a vote is about the activity that was voted on.
    const { fingerprint: expected = await fingerprintOf(body) } = isVote(submission)
      ? (parameters as { fingerprint?: unknown })
      : {};
    if (activity.fingerprint !== expected) {
      const { notAsked } = await import("./unexpected-answers.ts");
      throw notAsked("the activity of another request", this.baseUrl);
    }
    await this.#verify(activity, organizationId, parameters, submission.path);
    return activity;
  }

  /** Sends a submission, polls until its activity ends, and returns the result or throws. */
  async perform<Answer>(
    submission: SubmissionFacts,
    parameters: object,
    options: SubmitOptions<string> = {},
  ): Promise<Answer> {
    const first = await this.submit(submission, parameters, options);
    // Checked by `submit`.
    const { signal, type = submission.defaultType } = options;
    let activity = first;
    if (isInProgress(first)) {
      activity = await this.#ended(first, signal);
      const { organizationId = this.organizationId } = options;
      await this.#verify(activity, organizationId, parameters, submission.path);
    }
    // The contract defines the result of each version; the generated calls name its type.
    return (
      isVote(submission)
        ? await decided(activity, this.baseUrl)
        : await submitted(activity, submission.resultKeys[type], this.baseUrl)
    ) as Answer;
  }

  /** What a request asks for in addition, if a key is pinned. */
  async #proofsFor(path: string): Promise<{ generateAppProofs?: true }> {
    if (this.#quorumPublicKey === undefined) return {};
    return (await import("./pinned-answers.ts")).proofsFor(path);
  }

  /** Throws `Unverified` for the first address that the pinned key has not proven. */
  async #verify(
    answer: object,
    organizationId: string,
    asked: object,
    path?: string,
  ): Promise<void> {
    const quorumPublicKey = this.#quorumPublicKey;
    if (quorumPublicKey === undefined) return;
    // Loaded when it is needed: most programs pin no key, and verifying needs curves.
    const { verifyAnswer } = await import("./pinned-answers.ts");
    const docsUrl = pageOf(this.baseUrl, "UNVERIFIED");
    const question = { organizationId: organizationId.toLowerCase(), asked, path };
    verifyAnswer(answer, { quorumPublicKey, docsUrl, ...question });
  }

  async #ended(first: Activity, signal: AbortSignal | undefined): Promise<Activity> {
    const { baseUrl } = this;
    const { id: activityId, organizationId } = first;
    const at = signal ? { organizationId, signal } : { organizationId };
    const read = async () => {
      const path = "/public/v1/query/get_activity";
      return activityOf(await this.query<ActivityResponse>(path, { activityId }, at), baseUrl);
    };
    // Loaded when it is needed: most activities have ended when the service answers.
    const { pollActivity } = await import("./poll.ts");
    return pollActivity(first, read, { ...this.#poll, signal, baseUrl });
  }
}

/** Another text is left out: a request does not fail for its trace. */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

function isVote({ defaultType, resultKeys }: SubmissionFacts): boolean {
  return resultKeys[defaultType] === "*";
}

/** What the service calls the request with these exact characters. */
async function fingerprintOf(body: string): Promise<string> {
  // React Native and pages without https have no WebCrypto.
  if (!globalThis.crypto?.subtle) {
    const { fingerprint } = await import("@keyhearth/crypto/stamps/fingerprint");
    return fingerprint(new TextEncoder().encode(body));
  }
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  // `encodeHex` comes with all other encodings, which a page without it does not need.
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function submitted(activity: Activity, resultKey: string | undefined, baseUrl: string) {
  if (activity.status !== "ACTIVITY_STATUS_COMPLETED") throw await failure(activity, baseUrl);
  const results: Record<string, unknown> = { ...activity.result };
  const result = resultKey === undefined ? undefined : results[resultKey];
  if (typeof result !== "object" || result === null) {
    const { withoutResult } = await import("./unexpected-answers.ts");
    throw withoutResult(activity, resultKey, baseUrl);
  }
  return { ...result, activity };
}

// A vote succeeds whether or not it decides the activity, so only a failed activity is an error. An activity that waits
// has no result, whatever the service sends with it.
async function decided(activity: Activity, baseUrl: string): Promise<Decided> {
  if (activity.status === "ACTIVITY_STATUS_FAILED") throw await failure(activity, baseUrl);
  if (activity.status !== "ACTIVITY_STATUS_COMPLETED") return { activity, result: undefined };
  const [result] = Object.values({ ...activity.result });
  const isResult = typeof result === "object" && result !== null;
  return { activity, result: isResult ? { ...result } : undefined };
}

async function failure(activity: Activity, baseUrl: string) {
  const { activityError } = await import("./refusals.ts");
  return activityError(activity, baseUrl);
}

async function activityOf(answer: Record<string, unknown>, baseUrl: string): Promise<Activity> {
  const { activity } = answer;
  if (
    typeof activity === "object" &&
    activity !== null &&
    "id" in activity &&
    "status" in activity
  ) {
    await assertIds(activity, baseUrl);
    // The contract defines the answer of a submission; the members used here are checked.
    return activity as Activity;
  }
  const { withoutActivity } = await import("./unexpected-answers.ts");
  throw withoutActivity(baseUrl);
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Programs write ids into policies and commands, so whoever answers must not choose their form. */
async function assertIds(activities: unknown, baseUrl: string): Promise<void> {
  if ([activities].flat(2).every((each) => hasIds({ ...(each as Partial<Activity>) }))) return;
  const { notAsked } = await import("./unexpected-answers.ts");
  throw notAsked("an id that is not a UUID in lower case", baseUrl);
}

function hasIds({ id, result }: Partial<Activity>): boolean {
  return (id === undefined || ID.test(id)) && areIds(result);
}

function areIds(value: unknown, name = ""): boolean {
  if (/Ids?$/.test(name)) {
    return [value].flat().every((each) => typeof each === "string" && ID.test(each));
  }
  return typeof value !== "object" || Object.entries({ ...value }).every(([n, v]) => areIds(v, n));
}
