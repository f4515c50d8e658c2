/**
 * Why a request had no response. `refused` means that the guard did not let it out, and that it would
 * not do so next time either. The message is fit for a log that the person who chose the URL reads: it
 * never says which address a name has.
 */
export type OutboundFailure = "refused" | "unresolved" | "timeout" | "too-large" | "network";

export class OutboundError extends Error {
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OutboundError";
    this.failure = failure;
  }
}
