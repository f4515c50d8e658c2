import type { Answer, Request } from "@keyhearth/engine/door/protocol";
import { ApiError } from "@keyhearth/engine/errors";

/** The host's side of the door. */
export type SignerClient = {
  call(request: Request): Promise<Answer>;
  /** How many calls wait for an answer. */
  depth(): number;
  close(): Promise<void>;
};

export type SignerEvent = { event: string; [member: string]: unknown };

export function unavailable(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", `${message}; try again in a moment`);
}
