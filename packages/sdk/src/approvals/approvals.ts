import {
  approveActivity,
  getActivity,
  getPolicyEvaluations,
  rejectActivity,
} from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import type { Connection } from "../connection/connection.ts";
import type { Decided, DecideOptions, QueryOptions } from "../connection/options.ts";
import { asObject } from "../errors/as-object.ts";
import { Cancelled, type FieldProblem, PolicyDenied, Unverified } from "../errors/errors.ts";
import { checkConnection, invalidFields } from "../errors/invalid-fields.ts";
import type { PolicyOutcome } from "../generated/types.ts";
import type { Decide, DecideToReject, PendingActivity, RequestToReject } from "./consensus.ts";

/**
 * Approves an activity that waits for consensus, after verifying its request. The original request
 * comes from the first vote. It must hash to the fingerprint and have a valid stamp by the requester.
 * `decide` gets what those bytes say, and the approval is stamped only if it returns true. The intent
 * that the service displays is ignored. If the fingerprint comes from the service, use this and not
 * `approveActivity`. With the option `fingerprint`, no other request than the one that has it is approved. Throws
 * `Unverified` if the service answers the approval with another activity.
 */
export async function approve(
  connection: Connection,
  activity: string | PendingActivity,
  decide: Decide,
  given: DecideOptions = {},
): Promise<Decided> {
  checkConnection(connection);
  const { fingerprint: expected, ...options } = asObject(given);
  const problems = problemsOfFingerprint(expected);
  if (typeof decide !== "function") {
    problems.unshift({
      field: "decide",
      message: "must be a function that gets the request and returns true to approve it",
    });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  const pending = await read(connection, activity, options);
  // Loaded when it is needed: verifying stamps needs every curve, and most programs approve nothing.
  const { verifyStampedRequest } = await import("./consensus.ts");
  const request = verifyStampedRequest(pending, pageOf(connection.baseUrl, "UNVERIFIED"));
  assertExpected(connection, request, expected);
  // A text such as "no" is not a yes.
  if ((await decide(request)) !== true) {
    throw new Cancelled(
      `Activity ${pending.id} was not approved, because decide did not return true. To end it, call client.reject`,
      { code: "DECLINED", docsUrl: pageOf(connection.baseUrl, "DECLINED") },
    );
  }
  const { fingerprint, organizationId } = request;
  const vote = { ...options, organizationId };
  return about(connection, request, await approveActivity(connection, { fingerprint }, vote));
}

/**
 * Rejects an activity that waits for consensus: nobody can approve it afterwards. The bytes of its first vote must hash to
 * the fingerprint that is rejected. The service says which request has an id, so pass `decide`, which gets
 * it, or the requester's `fingerprint`. The rejection is stamped only if `decide` returns true and the request has this
 * fingerprint. Throws `Unverified` if the service answers the rejection with another activity.
 */
export async function reject(
  connection: Connection,
  activity: string | PendingActivity,
  given: RejectOptions = {},
): Promise<Decided> {
  checkConnection(connection);
  const { decide, fingerprint: expected, ...options } = asObject(given);
  const problems = problemsOfFingerprint(expected);
  if (decide !== undefined && typeof decide !== "function") {
    problems.unshift({
      field: "decide",
      message: "must be a function that gets the request and returns true to reject it",
    });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  const pending = await read(connection, activity, options);
  const { readRequest } = await import("./consensus.ts");
  const request = readRequest(pending, pageOf(connection.baseUrl, "UNVERIFIED"));
  assertExpected(connection, request, expected);
  if (decide !== undefined && (await decide(request)) !== true) {
    throw new Cancelled(
      `Activity ${pending.id} was not rejected, because decide did not return true`,
      { code: "DECLINED", docsUrl: pageOf(connection.baseUrl, "DECLINED") },
    );
  }
  const { fingerprint, organizationId } = request;
  const vote = { ...options, organizationId };
  return about(connection, request, await rejectActivity(connection, { fingerprint }, vote));
}

export type RejectOptions = DecideOptions & {
  /** Gets what the bytes of the request say, before anything is sent. */
  decide?: DecideToReject;
};

/**
 * Why policies denied a request: for each policy, the clauses and the parts of them that decided. The
 * service computes them again from the request, which it keeps for a day. Empty if it did not keep it.
 */
export async function explainDenial(
  connection: Connection,
  denied: PolicyDenied,
  options: QueryOptions = {},
): Promise<PolicyOutcome[]> {
  checkConnection(connection);
  if (!(denied instanceof PolicyDenied)) {
    throw invalidFields({ field: "denied", message: "must be a PolicyDenied that a call threw" });
  }
  const { traceId } = denied;
  if (traceId === undefined) return [];
  const parameters = { activityId: traceId, includeTrace: true };
  const { policyEvaluations } = await getPolicyEvaluations(connection, parameters, options);
  return policyEvaluations.flatMap((evaluation) => evaluation.policyEvaluations);
}

function problemsOfFingerprint(given: unknown): FieldProblem[] {
  if (given === undefined) return [];
  if (typeof given === "string" && /^sha256:[0-9a-f]{64}$/.test(given)) return [];
  const shown = typeof given === "string" ? JSON.stringify(given.slice(0, 80)) : typeof given;
  const message = `must be "sha256:" and 64 lower-case hex digits, as the requester's activity has it, and is ${shown}`;
  return [{ field: "fingerprint", message }];
}

function assertExpected(
  connection: Connection,
  { activityId, fingerprint }: RequestToReject,
  expected: string | undefined,
): void {
  if (expected === undefined || expected === fingerprint) return;
  throw unverified(
    connection,
    `Activity ${activityId} has the fingerprint ${fingerprint}, and not ${expected}: it is another request, so nothing was stamped. Ask its requester for the activity`,
  );
}

/** The answer to a vote, if it is about the request that was voted on. The vote cannot be taken back. */
function about(
  connection: Connection,
  { activityId, organizationId, fingerprint }: RequestToReject,
  decided: Decided,
): Decided {
  const { activity } = decided;
  const isAnswered =
    isSame(activity.id, activityId) &&
    isSame(activity.organizationId, organizationId) &&
    activity.fingerprint === fingerprint;
  if (isAnswered) return decided;
  throw unverified(
    connection,
    `The service answered the vote on activity ${activityId} with another activity. The vote on ${fingerprint} was sent: find out what became of it before you rely on it`,
  );
}

async function read(
  connection: Connection,
  activity: string | PendingActivity,
  options: QueryOptions,
): Promise<PendingActivity> {
  if (typeof activity === "object" && Array.isArray(activity?.votes)) return activity;
  if (typeof activity !== "string" || activity === "") {
    throw invalidFields({
      field: "activity",
      message: "must be the id of an activity, or an activity as the service answers it",
    });
  }
  const { organizationId = connection.organizationId } = options;
  const { activity: shown } = await getActivity(connection, { activityId: activity }, options);
  // Otherwise the service chooses what is voted on, and in which organization.
  if (isSame(shown?.id, activity) && isSame(shown.organizationId, organizationId)) {
    return shown;
  }
  throw unverified(
    connection,
    `The service answered for activity ${activity} with another one. Do not vote on it, and ask its requester for the activity`,
  );
}

function unverified({ baseUrl }: Connection, message: string): Unverified {
  return new Unverified(message, { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") });
}

function isSame(id: unknown, expected: string): boolean {
  return typeof id === "string" && id === expected.toLowerCase();
}
