import { approve, explainDenial, type RejectOptions, reject } from "./approvals/approvals.ts";
import type { Decide, PendingActivity } from "./approvals/consensus.ts";
import { bindCalls } from "./calls/call.ts";
import * as calls from "./calls/generated/calls.ts";
import type { Methods } from "./calls/generated/methods.ts";
import { Connection, type ConnectionOptions } from "./connection/connection.ts";
import type { Decided, DecideOptions, QueryOptions } from "./connection/options.ts";
import type { PolicyDenied } from "./errors/errors.ts";
import type { PolicyOutcome } from "./generated/types.ts";

// TypeScript cannot see the methods that the constructor adds.
const ConnectionWithMethods = Connection as new (
  options: ConnectionOptions,
) => Connection & Methods;

/**
 * A connection with every call of the API as a method. Queries return their answer. Submissions return
 * the completed activity and the fields of its result; otherwise they throw a `KeyhearthError`, which is
 * a `ConsensusNeeded` if other users have to approve first. `client.createWallet.submit(…)` returns the
 * activity at once, in whatever state it is.
 */
export class KeyhearthClient extends ConnectionWithMethods {
  constructor(options: ConnectionOptions) {
    super(options);
    const methods: Methods = bindCalls(this, calls);
    Object.assign(this, methods);
  }

  /**
   * Approves an activity that waits for consensus, after verifying its request. The original request
   * comes from the first vote. It must hash to the fingerprint and have a valid stamp by the
   * requester. `decide` gets what those bytes say, and the approval is stamped only if it returns
   * true. The intent that the service displays is ignored. If the fingerprint comes from the service,
   * use this and not `approveActivity`. With the option `fingerprint`, no other request than the one that
   * has it is approved. Throws `Unverified` if the service answers the approval with another activity.
   */
  async approve(
    activity: string | PendingActivity,
    decide: Decide,
    options: DecideOptions = {},
  ): Promise<Decided> {
    return approve(this, activity, decide, options);
  }

  /**
   * Rejects an activity that waits for consensus: nobody can approve it afterwards. The bytes of its first vote must hash to
   * the fingerprint that is rejected. The service says which request has an id, so pass `decide`, which gets
   * it, or the requester's `fingerprint`. The rejection is stamped only if `decide` returns true and the request has this
   * fingerprint. Throws `Unverified` if the service answers the rejection with another activity.
   */
  async reject(activity: string | PendingActivity, options: RejectOptions = {}): Promise<Decided> {
    return reject(this, activity, options);
  }

  /**
   * Why policies denied a request: for each policy, the clauses and the parts of them that decided.
   * The service keeps a denied request for a day. Empty if it did not keep it.
   */
  async explainDenial(denied: PolicyDenied, options: QueryOptions = {}): Promise<PolicyOutcome[]> {
    return explainDenial(this, denied, options);
  }
}
