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
import { Cancelled, PolicyDenied, Unverified } from "../errors/errors.ts";
import { checkConnection, invalidFields } from "../errors/invalid-fields.ts";
import type { PolicyOutcome } from "../generated/types.ts";
import type { Decide, DecideToReject, PendingActivity } from "./consensus.ts";

/**
 * Approves an activity that waits for consensus, after verifying its request. The original request
 * comes from the first vote. It must hash to the fingerprint and have a valid stamp by the requester.
 * `decide` gets what those bytes say, and the approval is stamped only if it returns true. The intent
 * that the service displays is ignored. If the fingerprint comes from the service, use this and not
 * `approveActivity`.
 */
export async function approve(
  connection: Connection,
  activity: string | PendingActivity,
  decide: Decide,
  options: DecideOptions = {},
): Promise<Decided> {
  checkConnection(connection);
  if (typeof decide !== "function") {
    throw invalidFields({
      field: "decide",
      message: "must be a function that gets the request and returns true to approve it",
    });
  }
  const pending = await read(connection, activity, options);
  // Loaded when it is needed: verifying stamps needs every curve, and most programs approve nothing.
  const { verifyStampedRequest } = await import("./consensus.ts");
  const request = verifyStampedRequest(pending, pageOf(connection.baseUrl, "UNVERIFIED"));
  // A text such as "no" is not a yes.
  if ((await decide(request)) !== true) {
    throw new Cancelled(
      `Activity ${pending.id} was not approved, because decide did not return true. To end it, call client.reject`,
      { code: "DECLINED", docsUrl: pageOf(connection.baseUrl, "DECLINED") },
    );
  }
  const { fingerprint, organizationId } = request;
  return approveActivity(connection, { fingerprint }, { ...options, organizationId });
}

/**
 * Rejects an activity that waits for consensus: nobody can approve it afterwards. The bytes of its first vote must hash to
 * the fingerprint that is rejected. The service says which request has an id, so pass `decide`, which gets
 * it, or compare the fingerprint with the requester's. The rejection is stamped only if it returns true.
 */
export async function reject(
  connection: Connection,
  activity: string | PendingActivity,
  given: RejectOptions = {},
): Promise<Decided> {
  checkConnection(connection);
  const { decide, ...options } = asObject(given);
  if (decide !== undefined && typeof decide !== "function") {
    throw invalidFields({
      field: "decide",
      message: "must be a function that gets the request and returns true to reject it",
    });
  }
  const pending = await read(connection, activity, options);
  const { readRequest } = await import("./consensus.ts");
  const request = readRequest(pending, pageOf(connection.baseUrl, "UNVERIFIED"));
  if (decide !== undefined && (await decide(request)) !== true) {
    throw new Cancelled(
      `Activity ${pending.id} was not rejected, because decide did not return true`,
      { code: "DECLINED", docsUrl: pageOf(connection.baseUrl, "DECLINED") },
    );
  }
  const { fingerprint, organizationId } = request;
  return rejectActivity(connection, { fingerprint }, { ...options, organizationId });
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
  throw new Unverified(
    `The service answered for activity ${activity} with another one. Do not vote on it, and ask its requester for the activity`,
    { code: "UNVERIFIED", docsUrl: pageOf(connection.baseUrl, "UNVERIFIED") },
  );
}

function isSame(id: unknown, expected: string): boolean {
  return typeof id === "string" && id === expected.toLowerCase();
}
