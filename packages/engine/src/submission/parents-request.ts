import { ApiError } from "../errors.ts";
import { isAttestedScheme } from "../people/attested-stamps.ts";
import type { Submission } from "./submission.ts";
import { isRepeated } from "./vote-rules.ts";
import type { WaitingActivity } from "./waiting-activity.ts";

// Requests that a user of the parent organization sends for a sub-organization (decision 12).

/** Whether the parent decides, of which the sender is a user. */
export function isParents({ decider, organization }: Pick<Submission, "decider" | "organization">) {
  return decider !== organization;
}

/** Approvals that an activity waits for are those of the organization's own users. */
export function assertDecidedHere(submission: Submission, { activity }: WaitingActivity) {
  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return;
  if (isAttestedScheme(submission.who.stamp.scheme) && !isRepeated(submission, activity)) {
    throw new ApiError(
      "PERMISSION_DENIED",
      "REQUEST_NOT_AUTHORIZED",
      "request not authorized: a stamp that a token attests approves nothing; log in with another `timestampMs`, and approve with the key of your session",
    );
  }
  if (!isParents(submission)) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: a user of the sub-organization has sent the same request, which waits for approvals there; send yours with another `timestampMs`",
    { field: "timestampMs" },
  );
}

/** The parent's users cannot vote in the sub-organization, so nothing waits for them. */
export function needsMoreApprovals(): ApiError {
  return new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: the parent organization's policies want more approvals, and a parent's request for a sub-organization cannot wait for them; let a policy of the parent allow it to this user alone, or stamp with a credential of the sub-organization",
    { field: "organizationId" },
  );
}
