import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { ApiError } from "@keyhearth/engine/errors";
import { TryLater } from "../errors.ts";

/** The host's side of the door. */
export type SignerClient = {
  /**
   * The organization takes turns with others at the signer, and so does its family, if that has another id. Without an
   * organization it is the host's own call.
   */
  call(request: Request, organizationId?: string, familyId?: string): Promise<Answer>;
  /** Where it is, if it is a process. For the operator: no answer to a client names it. */
  readonly path?: string;
  /** A sentence that says why no signer is used, if waiting does not help. */
  refusal?(): string | null;
  /** Each address and what was wrong with it the last time. */
  problems?(): string;
  /** How many calls wait for an answer. */
  depth(): number;
  close(): Promise<void>;
};

export type SignerEvent = { event: string; [member: string]: unknown };

export function unavailable(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", `${message}; try again in a moment`);
}

/** The requests of this organization have killed the signer more than once. */
export function refusedForNow(milliseconds: number): ApiError {
  const seconds = Math.ceil(milliseconds / 1000);
  return new TryLater(
    "UNAVAILABLE",
    "SIGNER_UNAVAILABLE",
    `the signer has stopped more than once at requests of this organization; it takes its requests again in ${seconds} s`,
    seconds,
  );
}
