import {
  ActivityFailed,
  Cancelled,
  ConsensusNeeded,
  InvalidCredential,
  InvalidField,
  KeyhearthError,
  LimitExceeded,
  NotFound,
  PermissionDenied,
  RateLimited,
  Rejected,
  Unauthenticated,
  Unavailable,
} from "../../errors/errors.ts";

/** The codes that a provider gives itself. Errors of a chain's node keep the node's code. */
export const codes = {
  /** EIP-1193: the user rejected the request. */
  userRejected: 4001,
  /** EIP-1193: the method or account is not authorized. */
  unauthorized: 4100,
  /** EIP-1193: the provider does not support the method. */
  unsupported: 4200,
  /** EIP-1193: the provider is disconnected from all chains. */
  disconnected: 4900,
  /** EIP-1193: the provider is not connected to the requested chain. */
  chainDisconnected: 4901,
  /** EIP-3326: the chain has not been added. */
  unknownChain: 4902,
  /** EIP-1474: the request itself is malformed. */
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32001,
  resourceUnavailable: -32002,
  transactionRejected: -32003,
  limitExceeded: -32005,
} as const;

/** The error of EIP-1193. If the SDK threw first, `cause` is its error. */
export class Eip1193Error extends Error {
  override readonly name = "Eip1193Error";
  readonly code: number;
  /** For an error of the SDK its code, and the activity if there is one. For others the node's data. */
  readonly data: unknown;

  constructor(
    code: number,
    message: string,
    { data, cause }: { data?: unknown; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}

export function invalidParams(message: string): Eip1193Error {
  return new Eip1193Error(codes.invalidParams, message);
}

/** The error that the caller of a provider gets. */
export function eip1193Error(error: unknown): Eip1193Error {
  if (error instanceof Eip1193Error) return error;
  if (!(error instanceof KeyhearthError)) {
    return new Eip1193Error(codes.internal, "The provider failed. See its cause", { cause: error });
  }
  const { code, activity, message } = error;
  const about = activity && { activityId: activity.id, fingerprint: activity.fingerprint };
  return new Eip1193Error(codeOf(error), message, { data: { code, ...about }, cause: error });
}

function codeOf(error: KeyhearthError): number {
  for (const [code, ...classes] of classesByCode()) {
    if (classes.some((each) => error instanceof each)) return code;
  }
  return codes.internal;
}

type ErrorClass = abstract new (...args: never[]) => KeyhearthError;

// A function, so that a bundler sees that nothing happens when this file is imported.
function classesByCode(): [code: number, ...classes: ErrorClass[]][] {
  return [
    [codes.userRejected, Cancelled, Rejected],
    // Until the other approvers have voted, nobody has authorized the request.
    [codes.unauthorized, ConsensusNeeded, PermissionDenied, Unauthenticated, InvalidCredential],
    [codes.invalidParams, InvalidField],
    [codes.resourceNotFound, NotFound],
    [codes.resourceUnavailable, Unavailable],
    [codes.limitExceeded, RateLimited, LimitExceeded],
    [codes.transactionRejected, ActivityFailed],
  ];
}
